export { mailboxFilterOf } from './filter.ts'
export { useMailboxes } from './useMailboxes.ts'
