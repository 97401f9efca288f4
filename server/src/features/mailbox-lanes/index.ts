export { wakeCampaignMailboxes, wakeMailboxes, wakeWorkspaceMailboxes } from './wake.ts'
