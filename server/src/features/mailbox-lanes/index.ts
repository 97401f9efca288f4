export { bucketOfMailbox } from './queries.ts'
export {
  wakeCampaignMailboxes,
  wakeMailboxes,
  wakeMendedMailbox,
  wakeWorkspaceMailboxes,
} from './wake.ts'
