import { sql } from 'kysely'
import { textArray } from '../../kernel/db/binary-array.ts'
import type { Db } from '../../kernel/db/db.ts'

export interface EventToInsert {
  id: string
  type: string
  campaign_id: string | null
  lead_email: string | null
  body: string
  test: boolean
}

/** One statement and seven parameters whatever the number of events. */
export const insertEvents = (db: Db, workspaceId: string, events: EventToInsert[]) =>
  sql`
    insert into events (workspace_id, id, type, campaign_id, lead_email, body, test)
    select ${workspaceId}::uuid, id, type, campaign_id, lead_email, body, test
    from unnest(
      ${events.map((event) => event.id)}::uuid[],
      ${events.map((event) => event.type)}::text[],
      ${events.map((event) => event.campaign_id)}::uuid[],
      ${events.map((event) => event.lead_email)}::text[],
      ${textArray(events.map((event) => event.body))}::text[],
      ${events.map((event) => event.test)}::boolean[]
    ) as batch (id, type, campaign_id, lead_email, body, test)`.execute(db)
