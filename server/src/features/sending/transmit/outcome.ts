import type { EventBounce, MadeOf, SkipReason } from '../../leads/index.ts'
import type { SendState } from '../ledger.ts'

/** Why a mail was not sent, for a person. */
export interface SendError {
  stage: string
  code: string | null
  message: string
}

/** What came of an attempt. */
export type Outcome =
  | { kind: 'sent' }
  /** The end of the message was on the wire, and no answer came. */
  | { kind: 'uncertain'; error: SendError }
  /** Certainly not sent. */
  | { kind: 'failed'; error: SendError; effect: LeadEffect }
  /** Nobody works on it any more: it says itself how far it had come. */
  | { kind: 'abandoned' }

/** What becomes of a lead whose mail was certainly not sent. */
export type LeadEffect =
  /** The failure was no fault of the lead: any mailbox may try at once. */
  | { kind: 'again' }
  | { kind: 'later'; at: Date }
  | { kind: 'bounce'; bounce: EventBounce }
  | { kind: 'skip'; reason: SkipReason; detail: string; madeOf?: MadeOf }

export interface Transition {
  state: Extract<SendState, 'sent' | 'failed' | 'uncertain'>
  error: SendError | null
  /** The lead was written to, as far as anybody can tell, and nobody has recorded it yet. */
  records: boolean
  /** What was reserved for it is free again. */
  givesBack: boolean
  /** The lead was thought to have been written to. */
  takesBack: boolean
  effect: LeadEffect | null
}

/**
 * What an outcome makes of a row in this state. Null: nothing, for somebody knew better before. What
 * is uncertain counts as sent from the start, so the truth about it is recorded without another event.
 */
export function transitionOf(state: SendState, outcome: Outcome): Transition | null {
  if (state === 'sent' || state === 'failed' || state === 'waiting') return null
  switch (outcome.kind) {
    case 'sent':
      return state === 'claimed' ? null : { ...sent, records: state === 'transmitting' }
    case 'uncertain':
      return state === 'transmitting' ? uncertain(outcome.error) : null
    case 'failed':
      return {
        ...failed,
        error: outcome.error,
        takesBack: state === 'uncertain',
        effect: outcome.effect,
      }
    case 'abandoned':
      if (state === 'uncertain') return null
      return state === 'claimed'
        ? { ...failed, error: notSent, effect: { kind: 'again' } }
        : uncertain(abandoned)
  }
}

const sent: Transition = {
  state: 'sent',
  error: null,
  records: true,
  givesBack: false,
  takesBack: false,
  effect: null,
}

const failed: Omit<Transition, 'effect'> = {
  state: 'failed',
  error: null,
  records: false,
  givesBack: true,
  takesBack: false,
}

const uncertain = (error: SendError): Transition => ({ ...sent, state: 'uncertain', error })

const notSent: SendError = {
  stage: 'process',
  code: null,
  message: 'The process that was sending it ended before it was sent.',
}

const abandoned: SendError = {
  stage: 'message',
  code: null,
  message: 'The process that was sending it ended before the mail server answered.',
}
