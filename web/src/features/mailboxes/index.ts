export { connectSearchOf, mailboxesSearchOf } from './search.ts'
export { useMailboxes } from './useMailboxes.ts'
