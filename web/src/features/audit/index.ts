export { auditSearchOf } from './search.ts'
