export {
  type Actor,
  type ChangedBy,
  changedBy,
  dropOldEntries,
  type ListedEntry,
  listAudit,
  operator,
  recordAudit,
  service,
} from './audit.ts'
export type { AuditFilter } from './queries.ts'
export { auditRoutes, auditSchemas } from './routes.ts'
