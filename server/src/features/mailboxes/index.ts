export { addMailbox, listMailboxes, removeMailbox } from './mailboxes.ts'
export { findMailboxesByAddress } from './queries.ts'
export type { Mailbox, MailboxStatus } from './schema.ts'
