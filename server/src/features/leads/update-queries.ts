import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { StoredLead } from './record.ts'
import { textNames } from './schema.ts'

export const updateFields = (db: Db, lead: StoredLead) =>
  sql`
    update leads
    set ${sql.join(textNames.map((name) => sql`${sql.ref(name)} = ${lead[name]}`))},
      custom_variables = ${JSON.stringify(lead.custom_variables)}::jsonb,
      timestamp_updated = ${lead.timestamp_updated}::timestamptz
    where workspace_id = ${lead.workspace_id}::uuid and id = ${lead.id}::uuid`.execute(db)
