import { sql } from 'kysely'
import { createPartitions } from '../server/src/kernel/db/partitions.ts'
import type { BenchService } from './service.ts'

const dayMs = 86_400_000
const days = 30
/** Each well within the time that a statement may take, also on a busy machine. */
const batchRows = 100_000

interface History {
  webhookId: string
  url: string
  rows: number
  /** Deliveries go round among so many leads. */
  leads: number
}

/** Deliveries of the last 30 days as they are kept, straight into the tables: making them is not measured. */
export async function insertHistory(
  { ctx, workspaceId }: BenchService,
  { webhookId, url, rows, leads }: History,
): Promise<void> {
  for (let week = 0; week <= 5; week++) {
    const at = new Date(ctx.now().getTime() - week * 7 * dayMs)
    for (const name of ['events', 'webhook_events']) {
      await createPartitions(ctx.db, { name, by: 'week' }, at)
    }
  }
  const startMs = ctx.now().getTime() - days * dayMs
  const stepMs = (days * dayMs) / rows
  // An id whose time grows with n and whose tail is n, so that both tables can be joined.
  const id = sql`(lpad(to_hex((${startMs}::float8 + n * ${stepMs}::float8)::bigint), 12, '0')
    || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid`
  const email = sql`'person' || n % ${leads}::int || '@bench.example'`
  for (let from = 1; from <= rows; from += batchRows) {
    const numbers = sql`generate_series(${from}::int, ${Math.min(rows, from + batchRows - 1)}::int) n`
    await sql`
      insert into events (workspace_id, id, type, lead_email, body)
      select ${workspaceId}::uuid, ${id}, 'lead.interested', ${email},
        '{"type": "lead.interested", "data": {"note": "' || repeat('x', 200) || '"}}'
      from ${numbers}`.execute(ctx.db)
    await sql`
      insert into webhook_events (workspace_id, id, webhook_id, webhook_url, event_id, event_type,
        lead_email, retry_group_id, retry_count, status_code, success, will_retry, response_time_ms)
      select ${workspaceId}::uuid, ${id}, ${webhookId}::uuid, ${url}, ${id},
        'lead.interested', ${email}, ${id}, 0, 200, true, false, 20
      from ${numbers}`.execute(ctx.db)
  }
  await sql`
    insert into webhook_event_counts (workspace_id, date, slot, succeeded, failed)
    select ${workspaceId}::uuid, d::date, slot, ${Math.floor(rows / days / 16)}::int, 0
    from generate_series(${new Date(startMs)}::timestamptz, ${ctx.now()}::timestamptz, '1 day') d,
      generate_series(0, 15) slot`.execute(ctx.db)
  await sql`vacuum analyze webhook_events, events, webhook_event_counts`.execute(ctx.db)
}
