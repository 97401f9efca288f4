import type { Insertable } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { AuditLog } from '../../kernel/db/types.gen.ts'

export const insertAuditEntry = (db: Db, entry: Insertable<AuditLog>) =>
  db.insertInto('audit_log').values(entry).execute()
