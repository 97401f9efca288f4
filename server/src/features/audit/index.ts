export {
  type Actor,
  type AuditEntry,
  type ChangedBy,
  changedBy,
  changedByPerson,
  dropOldEntries,
  listAudit,
  operator,
  recordAudit,
  service,
} from './audit.ts'
export type { AuditFilter } from './queries.ts'
export { auditRoutes, auditSchemas } from './routes.ts'
export type { ListedEntry } from './schema.ts'
