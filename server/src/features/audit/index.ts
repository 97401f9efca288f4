export { type AuditAction, auditActions } from './actions.ts'
export {
  type Actor,
  type ChangedBy,
  type ChangedByCaller,
  changedBy,
  changedByPerson,
  dropOldEntries,
  listAudit,
  type NewEntry,
  operator,
  recordAudit,
  service,
  withNamesOfPeople,
} from './audit.ts'
export { type AuditFilter, actorName } from './queries.ts'
export { auditRoutes, auditSchemas } from './routes.ts'
export type { AuditEntry } from './schema.ts'
