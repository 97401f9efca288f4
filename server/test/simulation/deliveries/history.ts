import type pg from 'pg'
import { timeOfId } from '../../../src/kernel/ids.ts'

export interface StoredEvent {
  id: string
  workspaceId: string
  type: string
  campaign: string | null
  action: number
}

/** A delivery that was committed once, whether or not it is still there. */
interface Delivery {
  id: string
  workspaceId: string
  webhookId: string
  eventId: string
}

export interface RecordedAttempt {
  id: string
  group: string
  number: number
  workspaceId: string
  webhookId: string
  eventId: string
  success: boolean
  willRetry: boolean
  nextRetryAt: Date | null
  error: string | null
  tookMs: number | null
  at: Date
}

/** `<workspace> <date> <outcome>` → how many. */
export type Counts = Map<string, number>

/** What the database holds at the end. */
export interface History {
  /** Without those of test calls. */
  events: StoredEvent[]
  deliveries: Delivery[]
  /** In the order of their groups and numbers; test calls too. */
  attempts: RecordedAttempt[]
  counts: Counts
  pending: number
  fanouts: number
}

export async function readHistory(admin: pg.Client): Promise<History> {
  const { rows: events } = await admin.query<StoredEvent>(
    `select id, workspace_id as "workspaceId", type, campaign_id as campaign,
       (body::jsonb -> 'data' ->> 'action')::int as action
     from events where not test order by id`,
  )
  const { rows: deliveries } = await admin.query<Delivery>(
    `select id, workspace_id as "workspaceId", webhook_id as "webhookId", event_id as "eventId"
     from simulation_ledger order by id`,
  )
  const { rows: attempts } = await admin.query<RecordedAttempt>(
    `select id, retry_group_id as group, retry_count as number, workspace_id as "workspaceId",
       webhook_id as "webhookId", event_id as "eventId", success, will_retry as "willRetry",
       timestamp_next_retry as "nextRetryAt", error_message as error, response_time_ms as "tookMs"
     from webhook_events order by retry_group_id, retry_count, id`,
  )
  const { rows: counts } = await admin.query<{ key: string; count: number }>(
    `select id || ' ' || date || ' ' || outcome as key, sum(count)::int as count
     from (
         select workspace_id as id, date, succeeded, failed from webhook_event_counts
         union all
         select webhook_id, day, succeeded, failed from webhook_days
       ) as c,
       lateral (values ('succeeded', succeeded), ('failed', failed)) as o (outcome, count)
     where count > 0 group by key order by key`,
  )
  const { rows: left } = await admin.query<{ pending: number; fanouts: number }>(
    `select (select count(*)::int from deliveries) as pending,
       (select count(*)::int from fanouts) as fanouts`,
  )
  return {
    ...{ events, deliveries, ...(left[0] ?? { pending: 0, fanouts: 0 }) },
    attempts: attempts.map((attempt) => ({ ...attempt, at: timeOfId(attempt.id) })),
    counts: new Map(counts.map(({ key, count }) => [key, count])),
  }
}
