export { flushTokens, storeTokenForMs } from './access-token.ts'
export {
  countMailboxes,
  countRemoteSenders,
  countUnreadMailboxes,
  listMailDomains,
} from './cross-workspace.ts'
export { checkMailDomain } from './domain-check.ts'
export { explainFailure } from './explain.ts'
export { saveHandOver } from './hand-over-queries.ts'
export { reportMailboxError, reportMailboxRecovered } from './health.ts'
export {
  addMailbox,
  findMailboxes,
  findSenderMailboxes,
  getMailbox,
  listMailboxes,
  pauseMailbox,
  removeMailbox,
  resumeMailbox,
  updateMailbox,
} from './mailboxes.ts'
export { connectMailboxImap, connectMailboxSmtp, openMailbox } from './open-mailbox.ts'
export { findMailboxesByAddress, lockMailboxVersion } from './queries.ts'
export {
  isBeingRead,
  isInboxRead,
  mayFollowUp,
  type Reading,
  reportInboxRead,
  reportInboxUnread,
} from './read-before-follow-up.ts'
export { findRemovedByAddress } from './removed-queries.ts'
export type { Mailbox, MailboxSide, MailboxStatus } from './schema.ts'
export { sealedMailboxColumns } from './settings.ts'
export { type MailboxTest, type TestStep, testMailbox } from './test-mailbox.ts'
