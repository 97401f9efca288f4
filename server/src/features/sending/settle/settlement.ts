import type { RefusedCopy } from '../../campaigns/index.ts'
import type { SendKey } from '../ledger.ts'
import type { Outcome, Transition } from '../transmit/outcome.ts'
import type { LedgerRow } from './settle-queries.ts'

/** The result of one attempt, ready to be written. */
export interface Settlement extends SendKey {
  /** Of the attempt. */
  id: string
  campaign_id: string
  outcome: Outcome
  /** When the server answered, or was given up. */
  at: Date
  /** Address of the mailbox. */
  mailbox: string
  /** Of the lead. */
  recipient: string
  /** Of the thread, as far as the sender knew. */
  threadSubject: string | null
  /** What was made; null: nobody has it any more. */
  mail: SettledMail | null
  /** Of the mailbox. */
  gapSeconds: number
}

interface SettledMail {
  text: string
  html: string | null
  /** Of them those that were taken. */
  cc_addresses: string[]
  refused_copies: Omit<RefusedCopy, 'campaign_id'>[]
  in_reply_to: string | null
  size_bytes: number
}

/** A row that this settlement changes. */
export interface Settled {
  settlement: Settlement
  row: LedgerRow
  transition: Transition
}

/** Of what nobody was there for, the last that is known. */
export const sentAt = ({ outcome, at }: Settlement, { timestamp_transmitting }: LedgerRow) =>
  outcome.kind === 'abandoned' ? (timestamp_transmitting ?? at) : at
