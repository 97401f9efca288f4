import type { MailFailure } from '../../kernel/mail/index.ts'
import type { Aftermath, Outcome, SendError } from './outcome.ts'

/** Something is wrong with the mailbox or its server, whoever is written to. */
export interface Trouble {
  /** A person has to look at it, and it is told at once; else only when it goes on. */
  needsPerson: boolean
  /** That it keeps the mailbox from sending; null: as long as its failures in a row say. */
  pauseMs: number | null
}

export interface Verdict {
  outcome: Outcome
  trouble: Trouble | null
}

export interface Attempted {
  /** From 1. */
  attempt: number
  /** Address of the lead. */
  recipient: string
  now: Date
  /** Uniform in [0, 1). */
  random: number
}

/**
 * What a failure means: for this lead alone, or for its mailbox. A permanent refusal of one lead
 * touches no other, and trouble of a mailbox is held against none of its leads.
 */
export function judge(failure: MailFailure, attempted: Attempted): Verdict {
  const error = errorOf(failure)
  if (!failure.certain) {
    // A server that never answers must not take all leads one by one.
    return { outcome: { kind: 'uncertain', error }, trouble: connectionTrouble(failure) }
  }
  const fail = (aftermath: Aftermath, trouble: Trouble | null = null): Verdict => ({
    outcome: { kind: 'failed', error, aftermath },
    trouble,
  })
  if (isConnection(failure)) return fail(again(attempted, error), connectionTrouble(failure))
  if (isTooLarge(failure)) return fail(skip(tooLarge))
  if (failure.enhanced === '5.6.7') return fail(skip(noUtf8))
  if (isQuota(failure)) return fail({ kind: 'again' }, quotaTrouble)
  if (failure.stage === 'mail') return fail(again(attempted, error), senderTrouble(failure))
  if (isPolicy(failure)) return fail(later(attempted, error), senderTrouble(failure))
  if (isTemporary(failure) || isFull(failure)) return fail(later(attempted, error))
  if (failure.recipient !== null && failure.recipient !== attempted.recipient) {
    return fail(later(attempted, error))
  }
  return fail(isAboutRecipient(failure) ? bounce(failure) : skip(refusal(error)))
}

/** What a person is told, with the server's words. */
export function errorOf(failure: MailFailure): SendError {
  const { stage, code, enhanced, kind, detail, response } = failure
  return {
    stage,
    code: enhanced ?? (code === null ? null : String(code)),
    message: printable(response ?? detail ?? `${sentences[kind]}.`),
  }
}

const charactersMax = 500

/** As a text that every database takes. */
export const printable = (text: string) =>
  text
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed()
    .slice(0, charactersMax)
    .toWellFormed()

const sentences: Record<MailFailure['kind'], string> = {
  refused: 'The mail server refused',
  timeout: 'The mail server did not answer in time',
  closed: 'The mail server closed the connection',
  unreachable: 'The mail server cannot be reached',
  dns: 'The name of the mail server is not known',
  tls: 'No secure connection to the mail server can be made',
  blocked: 'The address of the mail server is one that nothing may connect to',
  protocol: 'The mail server says what no mail server would',
}

const isTemporary = ({ code }: MailFailure) => code !== null && code >= 400 && code < 500

/** 421: it closes, whatever was asked (RFC 5321 §3.8). */
const isConnection = ({ stage, kind, code }: MailFailure) =>
  kind !== 'refused' || code === 421 || stage === 'connect' || stage === 'tls' || stage === 'login'

/** RFC 3463: 5.3.4 by the server, 5.2.3 by the recipient; 552 also says that a mailbox is full. */
const isTooLarge = ({ enhanced, code, stage }: MailFailure) =>
  enhanced === '5.3.4' ||
  enhanced === '5.2.3' ||
  (enhanced === null && code === 552 && (stage === 'mail' || stage === 'message'))

/** The lead's mailbox: it may have room tomorrow. */
const isFull = ({ enhanced, code, stage }: MailFailure) =>
  enhanced === '5.2.2' || (enhanced === null && code === 552 && stage === 'rcpt')

const isQuota = ({ enhanced, response }: MailFailure) =>
  enhanced === '5.4.5' || enhanced === '4.4.5' || quotaPattern.test(response ?? '')
const quotaPattern =
  /(sending|message|daily|hourly|outbound|recipient|rate)\W+(user\W+)?(\w+\W+)?(quota|limit)|too many (messages|mails|emails)/i

/** X.7.X is about what may be sent, 530 to 538 about who may; 554 without more says no to all of it. */
const isPolicy = ({ enhanced, code }: MailFailure) =>
  enhanced === null
    ? code === 554 || (code !== null && code >= 530 && code <= 538)
    : /^[45]\.7\./.test(enhanced)

/** X.1.X is about the address, 5.2.1 a mailbox that takes no mail; 550, 551, 553 by themselves say so. */
function isAboutRecipient({ stage, enhanced, code }: MailFailure): boolean {
  if (enhanced === null) return stage === 'rcpt' && [550, 551, 553, 501].includes(code ?? 0)
  return /^5\.1\.|^5\.2\.1$/.test(enhanced) || (stage === 'rcpt' && /^5\.(0|4)\./.test(enhanced))
}

const connectionTrouble = ({ stage, kind, code }: MailFailure): Trouble => ({
  needsPerson:
    kind === 'blocked' ||
    kind === 'tls' ||
    (stage === 'login' && (kind === 'protocol' || (kind === 'refused' && (code ?? 0) >= 500))),
  pauseMs: null,
})

const senderTrouble = (failure: MailFailure): Trouble => ({
  needsPerson: !isTemporary(failure),
  pauseMs: null,
})

const quotaTrouble: Trouble = { needsPerson: true, pauseMs: 3_600_000 }

const minuteMs = 60_000
/** Greylisting ends within minutes, a full mailbox within hours, and next day it is not the time. */
const laterMs = [5, 15, 60, 240, 720].map((minutes) => minutes * minuteMs)
/** A mail that its server breaks down over, again and again, must not keep the others waiting. */
const againMax = 3

function later({ attempt, now, random }: Attempted, error: SendError): Aftermath {
  const waitMs = laterMs[attempt - 1]
  if (waitMs === undefined) return skip(`${refusal(error)} It was tried ${attempt} times.`)
  return { kind: 'later', at: new Date(now.getTime() + waitMs * (0.9 + 0.2 * random)) }
}

const again = (attempted: Attempted, error: SendError): Aftermath =>
  attempted.attempt < againMax
    ? { kind: 'again' }
    : later(
        { ...attempted, attempt: Math.min(attempted.attempt - againMax + 1, laterMs.length) },
        error,
      )

const skip = (detail: string): Aftermath => ({ kind: 'skip', reason: 'message_refused', detail })

const bounce = (failure: MailFailure): Aftermath => {
  const { code, message } = errorOf(failure)
  return { kind: 'bounce', bounce: { kind: 'hard', code: code ?? '550', diagnostic: message } }
}

const refusal = ({ message }: SendError) => `The mail server refused the mail: ${message}`
const tooLarge = 'The mail is larger than the mail server takes.'
const noUtf8 = 'The mail server takes no addresses beyond ASCII.'
