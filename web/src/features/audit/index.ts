export { auditFilterOf } from './filter.ts'
