export { campaignKind, hintReading, hintReadings, leaseKind, readingKind } from './hint.ts'
export { Listening } from './listening.ts'
export { MailboxOwner } from './mailbox-owner.ts'
export {
  endTrouble,
  holdLanes,
  type LaneKey,
  lockLanes,
  type OwnedLane,
  type PacedLane,
  paceLanes,
  putToSleep,
  type Sleep,
  setTrouble,
  takeLanes,
} from './owned-lane-queries.ts'
export { bucketOfMailbox } from './queries.ts'
export {
  changeCampaignGap,
  changeGap,
  markCampaigns,
  markCampaignsChanged,
  markLeadsDue,
  takeInMailboxes,
  wakeMailboxes,
  wakeMendedMailbox,
  wakeRecoveredMailbox,
  wakeWorkspaceMailboxes,
} from './wake.ts'
export { createMarkedWaker } from './wake-marked.ts'
