export {
  wakeCampaignMailboxes,
  wakeMailboxes,
  wakeMendedMailbox,
  wakeWorkspaceMailboxes,
} from './wake.ts'
