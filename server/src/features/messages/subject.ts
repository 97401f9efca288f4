import type { MailThread } from './mail.ts'
import { MailRefused } from './mail-refused.ts'
import { oneLine } from './mime/header-text.ts'

export interface SubjectLine {
  subject: string
  threadSubject: string
  /** The thread that the mail continues. */
  continues: MailThread | null
}

/** A mail with a subject begins a thread, one without continues the thread there is. */
export function subjectLine(rendered: string, thread: MailThread | null): SubjectLine {
  const own = lineOf(rendered)
  if (own !== '') return { subject: own, threadSubject: own, continues: null }
  if (!thread) {
    throw new MailRefused(
      'empty_subject',
      'The subject is empty for this lead, and there is no earlier mail that it could continue.',
    )
  }
  const first = lineOf(thread.subject)
  const subject = /^re:/i.test(first) ? first : `Re: ${first}`
  return { subject, threadSubject: first, continues: thread }
}

/** Composed, as it is read: a copy is known by its subject, and names from files of a Mac are decomposed. */
const lineOf = (text: string) => cut(oneLine(text).normalize('NFC'))

const charactersMax = 980

/** Never within a surrogate pair. */
const cut = (text: string) =>
  text.length <= charactersMax
    ? text
    : text
        .slice(0, charactersMax)
        .toWellFormed()
        .replace(/\ufffd$/, '')
