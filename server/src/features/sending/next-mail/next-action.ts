import type { LaneRow } from '../lanes/lane-queries.ts'
import type { Claim } from '../ledger.ts'
import type { CachedCampaign } from './campaign-cache.ts'

/** What a lane does next. */
export type NextAction =
  | { kind: 'send'; mails: ClaimedMail[] }
  | { kind: 'asleep' }
  /** Something changed while it was looked at. */
  | { kind: 'again' }
  /** Nothing to send, but results are on their way that may change it. */
  | { kind: 'settle' }
  /** A person's reply comes before everything else. */
  | { kind: 'reply'; row: LaneRow }
  /** The mailbox is in error, and its time to be tried has come. */
  | { kind: 'probe'; row: LaneRow }
  /** Another runner's, or nobody's. */
  | { kind: 'left' }

export interface ClaimedMail {
  claim: Claim
  campaign: CachedCampaign
  mailbox: LaneRow
  /** That the mailbox waits after it. */
  gapMs: number
}
