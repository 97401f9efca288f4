import type { AnyContext } from '../../../kernel/context.ts'
import type { RefusedCopy } from '../../campaigns/index.ts'
import type { SendKey } from '../ledger.ts'
import type { Outcome, Transition } from '../transmit/outcome.ts'
import type { LedgerRow } from './settle-queries.ts'

/** The result of one attempt, ready to be written. */
export interface Settlement extends SendKey {
  /** Id of the attempt. */
  id: string
  campaign_id: string
  outcome: Outcome
  /** When the server answered, or was given up. */
  at: Date
  /** Address of the mailbox. */
  mailbox: string
  /** Address of the lead. */
  recipient: string
  /** Subject of the thread, as far as the sender knew. */
  threadSubject: string | null
  /** What was made; null: nobody has it any more. */
  mail: SettledMail | null
  /** Gap between two mails of the mailbox. */
  gapSeconds: number
}

/** Of a mail that is recorded already, or kept elsewhere: only its state changes. */
export const bareSettlement = (
  ctx: Pick<AnyContext, 'now'>,
  send: Pick<Settlement, 'workspace_id' | 'lead_id' | 'step_id' | 'id' | 'campaign_id'>,
  outcome: Outcome,
): Settlement => ({
  workspace_id: send.workspace_id,
  lead_id: send.lead_id,
  step_id: send.step_id,
  id: send.id,
  campaign_id: send.campaign_id,
  outcome,
  at: ctx.now(),
  mailbox: '',
  recipient: '',
  threadSubject: null,
  mail: null,
  gapSeconds: 0,
})

interface SettledMail {
  text: string
  html: string | null
  /** The copies that the server took. */
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

/** When it was sent; where nobody saw that, the last time that is known. */
export const sentAt = ({ outcome, at }: Settlement, { timestamp_transmitting }: LedgerRow) =>
  outcome.kind === 'abandoned' ? (timestamp_transmitting ?? at) : at
