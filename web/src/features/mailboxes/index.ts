export { mailboxFilterOf } from './filter.ts'
