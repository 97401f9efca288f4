import { hourMs, minuteMs } from '../../../kernel/durations.ts'
import {
  isPassingRefusal,
  type MailFailure,
  type RefusalReason,
  reasonOfRefusal,
  tokenDetail,
} from '../../../kernel/mail/index.ts'
import type { LeadEffect, Outcome, SendError } from './outcome.ts'

/** Something is wrong with the mailbox or its server, whoever is written to. */
export interface MailboxTrouble {
  /** A person has to look at it, and it is told at once; else only when it goes on. */
  needsPerson: boolean
  /** That it keeps the mailbox from sending; null: as long as its failures in a row say. */
  pauseMs: number | null
}

export interface FailureClass {
  outcome: Outcome
  trouble: MailboxTrouble | null
}

export interface Attempted {
  /** From 1. */
  attempt: number
  now: Date
  /** Uniform in [0, 1). */
  random: number
}

/**
 * What a failure means: for this lead alone, or for its mailbox. A permanent refusal of one lead
 * touches no other, and trouble of a mailbox is held against none of its leads. Only a refusal that
 * says that the address is gone ends a lead; everything else is tried a counted number of times, and
 * then waits for a person.
 */
export function classifyFailure(failure: MailFailure, attempted: Attempted): FailureClass {
  const error = errorOf(failure)
  if (!failure.certain) {
    // A server that never answers must not take all leads one by one.
    return { outcome: { kind: 'uncertain', error }, trouble: connectionTrouble(failure) }
  }
  const fail = (effect: LeadEffect, trouble: MailboxTrouble | null = null): FailureClass => ({
    outcome: { kind: 'failed', error, effect },
    trouble,
  })
  // Nothing was said of the lead: the mailbox is in error before long, and the lead waits for it.
  if (isOnTheWay(failure)) return fail({ kind: 'again' }, connectionTrouble(failure))
  if (isConnection(failure)) return fail(again(attempted, error), connectionTrouble(failure))
  const reason = reasonOf(failure)
  if (reason === 'size') return fail(skip(tooLarge))
  if (failure.enhanced === '5.6.7') return fail(skip(noUtf8))
  if (reason === 'quota') return fail(again(attempted, error), quotaTrouble)
  if (reason === 'full') return fail(later(attempted, error))
  if (failure.stage === 'mail') return fail(again(attempted, error), senderTrouble(failure))
  if (reason === 'sender' || isRefusedMessage(failure, reason)) {
    return fail(later(attempted, error), senderTrouble(failure))
  }
  if (reason === 'gone') return fail(bounce(failure))
  return fail(isAboutContent(failure) ? skip(refusal(error)) : later(attempted, error))
}

/**
 * Whether what is held against the lead may be about the mailbox, as it is where everybody is refused alike. A
 * recipient that is put off is not: some servers ask each one's own server first. Nor is one that has no room.
 */
export const mayBeOfMailbox = (failure: MailFailure, { outcome, trouble }: FailureClass) =>
  trouble === null &&
  outcome.kind === 'failed' &&
  outcome.effect.kind === 'later' &&
  reasonOf(failure) !== 'full' &&
  !(failure.stage === 'rcpt' && isTemporary(failure))

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

/** Makes of a server's words a text that every database takes. */
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

const isOnTheWay = ({ stage }: MailFailure) =>
  stage === 'connect' || stage === 'tls' || stage === 'login'

/** 421: it closes, whatever was asked (RFC 5321 §3.8). */
const isConnection = ({ kind, code }: MailFailure) => kind !== 'refused' || code === 421

/** A bare 552 says of a recipient that the mailbox is full, and else that the mail is too large. */
function reasonOf({ code, enhanced, response, stage }: MailFailure): RefusalReason {
  const reason = reasonOfRefusal({ code, enhanced, text: response ?? '' })
  if (reason !== 'unknown' || enhanced !== null || code !== 552) return reason
  return stage === 'rcpt' ? 'full' : 'size'
}

/** Whether a rule refuses the mail as a whole, as what this mailbox sends, and not one recipient alone. */
const isRefusedMessage = ({ stage, code, enhanced }: MailFailure, reason: RefusalReason) =>
  stage !== 'rcpt' && (reason === 'policy' || (enhanced === null && code === 554))

/** X.6.X, what is in the mail or how it is written, stays as it is. */
const isAboutContent = ({ enhanced }: MailFailure) => enhanced?.startsWith('5.6.') ?? false

const connectionTrouble = (failure: MailFailure): MailboxTrouble => ({
  needsPerson:
    failure.kind === 'blocked' ||
    failure.kind === 'tls' ||
    (failure.stage === 'login' && isWrongLogin(failure)),
  pauseMs: null,
})

/** The provider of a login has no SMTP code: it refuses a consent, or it has trouble that passes. */
const isWrongLogin = (failure: MailFailure) =>
  failure.detail === tokenDetail
    ? failure.kind === 'refused'
    : failure.kind === 'protocol' || (failure.kind === 'refused' && !isPassingRefusal(failure))

export const senderTrouble = (failure: MailFailure): MailboxTrouble => ({
  needsPerson: !isTemporary(failure),
  pauseMs: null,
})

const quotaTrouble: MailboxTrouble = { needsPerson: true, pauseMs: hourMs }

/** Greylisting ends within minutes, a full mailbox within hours, and next day it is not the time. */
const laterMs = [5, 15, 60, 240, 720].map((minutes) => minutes * minuteMs)
/** A mail that its server breaks down over, again and again, must not keep the others waiting. */
const againMax = 3

/** @param tries that led to no pause, before this one */
function later({ attempt, now, random }: Attempted, error: SendError, tries = 0): LeadEffect {
  const waitMs = laterMs[attempt - tries - 1]
  if (waitMs === undefined) return skip(`${refusal(error)} It was tried ${attempt} times.`)
  return { kind: 'later', at: new Date(now.getTime() + waitMs * (0.9 + 0.2 * random)) }
}

const again = (attempted: Attempted, error: SendError): LeadEffect =>
  attempted.attempt < againMax ? { kind: 'again' } : later(attempted, error, againMax - 1)

const skip = (detail: string): LeadEffect => ({ kind: 'skip', reason: 'message_refused', detail })

const bounce = (failure: MailFailure): LeadEffect => {
  const { code, message } = errorOf(failure)
  return { kind: 'bounce', bounce: { kind: 'hard', code: code ?? '550', diagnostic: message } }
}

const refusal = ({ message }: SendError) => `The mail was not taken: ${message}`
const tooLarge = 'The mail is larger than the mail server takes.'
const noUtf8 = 'The mail server takes no addresses beyond ASCII.'
