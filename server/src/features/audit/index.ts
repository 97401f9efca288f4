export { type Actor, operator, recordAudit, service } from './audit.ts'
