export { bucketOfMailbox } from './queries.ts'
export {
  markCampaign,
  wakeCampaignMailboxes,
  wakeMailboxes,
  wakeMendedMailbox,
  wakeWorkspaceMailboxes,
} from './wake.ts'
export { createMarkedWaker } from './wake-marked.ts'
