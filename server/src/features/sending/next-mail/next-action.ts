import type { LaneRow } from '../lanes/lane-queries.ts'
import type { Claim } from '../ledger.ts'
import type { CachedCampaign } from './campaign-cache.ts'

/** What a lane does next. */
export type NextAction =
  | { kind: 'send'; mails: ClaimedMail[] }
  | { kind: 'asleep' }
  /** Something changed while it was looked at. */
  | { kind: 'again' }
  /** Results of its own are on their way into the ledger, and may change the plan: it waits for them. */
  | { kind: 'settle' }
  /** A person's reply comes before everything else. */
  | { kind: 'reply'; row: LaneRow }
  /** The mailbox is in error, and its time to be tried has come. */
  | { kind: 'probe'; row: LaneRow }
  /** Nothing of it is done here: it is another runner's, removed or moved, or sending is held. */
  | { kind: 'left' }

export interface ClaimedMail {
  claim: Claim
  campaign: CachedCampaign
  mailbox: LaneRow
  /** That the mailbox waits after it. */
  gapMs: number
}
