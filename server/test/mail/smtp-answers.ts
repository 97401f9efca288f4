import { readFileSync } from 'node:fs'
import type { MailFailure, MailStage } from '../../src/kernel/mail/failure.ts'
import { refusal } from '../../src/kernel/mail/reply.ts'

/** A server's answer, and what must follow from it: see the head of smtp-answers.txt. */
export interface SmtpAnswer {
  verdict: string
  stage: MailStage
  text: string
}

export const smtpAnswers: SmtpAnswer[] = readFileSync(
  new URL('smtp-answers.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [verdict = '', stage = '', ...text] = line.split(' | ')
    return { verdict, stage: stage as MailStage, text: text.join(' | ') }
  })

/** The failure that the SMTP client makes of it. */
export function failureOf({ stage, text }: Pick<SmtpAnswer, 'stage' | 'text'>, recipient: string) {
  const reply = { code: Number(text.slice(0, 3)), text: text.slice(4) }
  return refusal(stage, reply, stage === 'rcpt' ? { recipient } : {}) satisfies MailFailure
}
