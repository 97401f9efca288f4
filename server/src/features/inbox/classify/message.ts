import PostalMime, { addressParser, decodeWords, type Email } from 'postal-mime'
import { parseEmail } from '../../../kernel/email.ts'
import { storable } from '../../../kernel/text.ts'
import { boundedSource, headOf } from './bounded-source.ts'
import { textOfHtml } from './html.ts'
import { keepLinesOfParts } from './part-lines.ts'

keepLinesOfParts()

/** A mail as it came in, taken apart. Nothing of it is trusted. */
export interface ParsedMessage {
  /** With its angle brackets; null where there is none. */
  messageId: string | null
  inReplyTo: string[]
  references: string[]
  from: { address: string; name: string } | null
  /** Where answers to it go, if not to its sender. */
  replyTo: string | null
  to: string[]
  cc: string[]
  subject: string
  /** As the sender's clock had it. */
  date: Date | null
  text: string
  html: string | null
  attachments: { name: string | null; type: string; bytes: number }[]
  /** Of reports (RFC 3464, RFC 5965): the parts a machine is meant to read. */
  reports: { type: string; content: string }[]
  /** All values of a header, by its name in lower case. */
  header: (name: string) => string[]
}

/** @param source the whole message, or its beginning */
export async function parseMessage(source: Buffer): Promise<ParsedMessage> {
  const email = await takeApart(boundedSource(source))
  const headers = Map.groupBy(email.headers, ({ key }) => key)
  const header = (name: string) => headers.get(name)?.map(({ value }) => value) ?? []
  const date = new Date(email.date ?? Number.NaN)
  return {
    messageId: idsIn(header('message-id'))[0] ?? null,
    inReplyTo: idsIn(header('in-reply-to')),
    references: idsIn(header('references')),
    from: senderOf(email, header('x-original-from')),
    replyTo: (email.replyTo ?? []).flatMap((one) => addressesOf(one))[0] ?? null,
    to: listed(email.to),
    cc: listed(email.cc),
    subject: storable(email.subject ?? '', subjectMax)
      .normalize('NFC')
      .replace(/\s+/g, ' ')
      .trim(),
    date: Number.isNaN(date.getTime()) ? null : date,
    // An accent may be written as a character of its own: words would not be found.
    text: storable(writtenText(email)).normalize('NFC'),
    html: email.html === undefined ? null : storable(email.html),
    attachments: email.attachments.slice(0, attachmentsMax).map(({ content, ...attachment }) => ({
      ...namesOf(attachment),
      bytes: typeof content === 'string' ? content.length : content.byteLength,
    })),
    reports: email.attachments
      .filter(({ mimeType }) => reportTypes.has(mimeType))
      .map(({ mimeType, content }) => ({ type: mimeType, content: textOf(content) })),
    header,
  }
}

/**
 * What is attached to a mail, by its place among what is attached. For who has the whole mail: nothing of it
 * is left out, so that it takes as long as its writer likes.
 */
export async function attachedAt(source: Buffer, index: number): Promise<Attached | undefined> {
  const { attachments, date } = await takeApart(source)
  const found = attachments[index]
  if (!found || typeof found.content === 'string') return undefined
  // It may be a part of the source, which would go along with it to another thread.
  return { ...namesOf(found), content: new Uint8Array(found.content), date }
}

export interface Attached {
  name: string | null
  type: string
  content: Uint8Array
  /** Of its mail, by the sender's clock. */
  date: string | undefined
}

const namesOf = ({ filename, mimeType }: Pick<Attachment, 'filename' | 'mimeType'>) => ({
  name: filename === null ? null : storable(filename, nameMax),
  type: storable(mimeType, nameMax),
})

type Attachment = Email['attachments'][number]

/** An image within the text often has no name. */
export const nameOfAttachment = ({ name, type }: ParsedMessage['attachments'][number]) =>
  name ?? type

/** Whether it refers to a mail before it. */
export const isAnswer = ({ inReplyTo, references }: ParsedMessage): boolean =>
  inReplyTo.length > 0 || references.length > 0

/** Some programs put a blank plain part beside what was written. */
const writtenText = ({ text = '', html = '' }: Email): string =>
  text.trim() === '' ? textOfHtml(html) : text

/** Of a mail that is nested too deeply there are its headers. */
const takeApart = (source: Buffer): Promise<Email> =>
  PostalMime.parse(source, limits)
    .then((email) => (isEmpty(email) ? readAnyway(email, source) : email))
    .catch(() => PostalMime.parse(headOf(source)))
    .catch(() => unreadable)

const isEmpty = ({ text = '', html, attachments }: Email): boolean =>
  text.trim() === '' && html === undefined && attachments.length === 0

/**
 * A mail whose parts are told apart by nothing, or by something else than its header says, as a
 * gateway leaves it that rewrites headers: by what stands before the first part, or as one text.
 */
async function readAnyway(email: Email, source: Buffer): Promise<Email> {
  const type = email.headers.find(({ key }) => key === 'content-type')?.value ?? ''
  const multipart = /^multipart\/[\w-]{1,40}/i.exec(type)?.[0]
  const bodyAt = source.indexOf('\n\r\n') + 1 || source.indexOf('\n\n') + 1
  if (multipart === undefined || bodyAt === 0) return email
  const body = source.subarray(bodyAt)
  const boundary = partBegin.exec(body.toString('latin1'))?.[1]
  const readAs = boundary ? `${multipart}; boundary="${boundary}"` : 'text/plain; charset=utf-8'
  const head = Buffer.from(`Content-Type: ${readAs}\r\n`)
  const { text, html, attachments } = await PostalMime.parse(Buffer.concat([head, body]), limits)
  return { ...email, ...(text && { text }), ...(html && { html }), attachments }
}

const partBegin = /^--([\w'()+,./:=?-]{1,70})[ \t]*\r?\ncontent-/im

/** What no reasonable mail exceeds; each mail within a mail is parsed again as a whole. */
const limits = { maxNestingDepth: 50, maxRfc822NestingDepth: 3 }
const addressesMax = 100
const attachmentsMax = 100
const subjectMax = 1000
const nameMax = 255

/** A mail that breaks the limits is a mail without anything in it. */
const unreadable: Email = { headers: [], headerLines: [], attachments: [] }

const reportTypes = new Set([
  'message/delivery-status',
  'message/global-delivery-status',
  'message/disposition-notification',
  'message/feedback-report',
  'message/rfc822',
  'message/global',
  'text/rfc822-headers',
  'message/global-headers',
])

/**
 * Every Message-ID in the values of a header, in their order. Some programs encode them as words
 * (RFC 2047), and some leave out the angle brackets.
 */
export function idsIn(values: string[]): string[] {
  const ids = values.flatMap((value) => {
    const text = decodeWords(value.slice(0, idsTextMax))
    return text.match(/<[^<>\s\p{Cc}]{1,995}>/gu) ?? (text.includes('<') ? [] : bareIdsIn(text))
  })
  return [...new Set(ids)].slice(-idsMax)
}

const bareIdsIn = (text: string): string[] =>
  text
    .split(/[\s>"',;]+/)
    .filter((word) => /^[^@\p{Cc}]{1,500}@[^@\p{Cc}]{1,490}$/u.test(word))
    .map((word) => `<${word}>`)

const idsTextMax = 65_536
const idsMax = 200

/**
 * A group that passes a mail on may put its own address in the place of the author's, for the sake of
 * DMARC, and tells the author beside it (Google Groups). Neither is harder to make up than the other.
 */
function senderOf({ from, sender, replyTo }: Email, originalFrom: string[]): ParsedMessage['from'] {
  const [original] = addressParser(originalFrom[0] ?? '')
  for (const one of [original, from, sender, replyTo?.[0]]) {
    const mailbox = one?.group ? one.group[0] : one
    if (!mailbox?.address) continue
    const { address, name = '' } = mailbox
    return { address: storable(address, nameMax).trim(), name: storable(name, nameMax) }
  }
  return null
}

type Addressee = NonNullable<Email['to']>[number]

const listed = (all: Addressee[] = []): string[] =>
  all.flatMap((one) => addressesOf(one)).slice(0, addressesMax)

const addressesOf = (one: Addressee): string[] =>
  (one.group ?? [one]).flatMap((mailbox) => parseEmail(mailbox.address ?? '')?.folded ?? [])

function textOf(content: Attachment['content']): string {
  if (typeof content === 'string') return storable(content, reportBytesMax)
  const bytes = Buffer.from(content as ArrayBuffer).subarray(0, reportBytesMax)
  return storable(bytes.toString('utf8'))
}

const reportBytesMax = 262_144
