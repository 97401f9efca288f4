export { inboxSearchOf } from './search.ts'
