import { textArray } from '../../kernel/db/binary-array.ts'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'

export interface EventToInsert {
  id: string
  type: string
  campaign_id: string | null
  lead_email: string | null
  body: string
  test: boolean
}

type Texts = (string | null)[]

const insertBatch = prepared<
  [string, string[], string[], Texts, Texts, string[], boolean[]],
  unknown
>(
  'insert_events',
  `insert into events (workspace_id, id, type, campaign_id, lead_email, body, test)
   select $1::uuid, id, type, campaign_id, lead_email, body, test
   from unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::boolean[])
     as batch (id, type, campaign_id, lead_email, body, test)`,
)

/** One statement and seven parameters whatever the number of events. */
export const insertEvents = (db: Db, workspaceId: string, events: EventToInsert[]) =>
  insertBatch(
    db,
    workspaceId,
    events.map((event) => event.id),
    events.map((event) => event.type),
    events.map((event) => event.campaign_id),
    events.map((event) => event.lead_email),
    textArray(events.map((event) => event.body)),
    events.map((event) => event.test),
  )
