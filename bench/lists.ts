import { sql } from 'kysely'
import { createPartitions } from '../server/src/kernel/db/partitions.ts'
import { firstIdAt } from '../server/src/kernel/ids.ts'
import { startRole } from './child.ts'
import type { Figure } from './figure.ts'
import { type BenchService, openService, percentile } from './service.ts'

const rows = 2_000_000
const deepRow = 1_000_000
const days = 30
const requests = 200
const dayMs = 86_400_000

/** Page 1 against the page at row 1,000,000 of webhook-events, and the summary over 30 days. */
export async function bench(): Promise<Figure[]> {
  await using service = await openService()
  const cursor = await fill(service)
  await using api = await startRole('api', service)
  await service.ctx.db.updateTable('workspaces').set({ plan_rate: 0 }).execute()
  const time = async (path: string) => {
    const startedMs = performance.now()
    const response = await fetch(`${api.address}${path}`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    const body = await response.text()
    if (response.status !== 200) throw new Error(body)
    return performance.now() - startedMs
  }
  const first: number[] = []
  const deep: number[] = []
  const summary: number[] = []
  for (let i = 0; i < requests; i++) {
    first.push(await time('/api/v2/webhook-events'))
    deep.push(await time(`/api/v2/webhook-events?starting_after=${cursor}`))
    summary.push(await time('/api/v2/webhook-events/summary'))
  }
  const [page1, pageDeep, total] = [first, deep, summary].map((ms) => percentile(ms.slice(20), 0.5))
  if (page1 === undefined || pageDeep === undefined || total === undefined) return []
  return [
    {
      name: `page at row ${deepRow.toLocaleString('en-US')} of ${rows.toLocaleString('en-US')}, p50`,
      value: pageDeep,
      unit: 'ms',
      limit: { name: 'page 1', value: page1 },
      target: '≤ 1.2× of page 1',
      met: pageDeep <= 1.2 * page1,
    },
    {
      name: 'summary over 30 days, p50',
      value: total,
      unit: 'ms',
      target: '< 5 ms',
      met: total < 5,
    },
  ]
}

/** @returns the id at `deepRow`, counted from the newest */
async function fill({ ctx, workspaceId }: BenchService): Promise<string> {
  for (let week = 0; week <= 5; week++) {
    const at = new Date(ctx.now().getTime() - week * 7 * dayMs)
    for (const name of ['events', 'webhook_events']) {
      await createPartitions(ctx.db, { name, by: 'week' }, at)
    }
  }
  const startMs = ctx.now().getTime() - days * dayMs
  const stepMs = (days * dayMs) / rows
  const webhook = ctx.newId()
  // An id whose time grows with n and whose tail is n, so that both tables can be joined.
  const id = sql`(lpad(to_hex((${startMs}::float8 + n * ${stepMs}::float8)::bigint), 12, '0')
    || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid`
  await sql`
    insert into events (workspace_id, id, type, lead_email, body)
    select ${workspaceId}::uuid, ${id}, 'lead.interested', 'lead' || n || '@example.com',
      '{"type": "lead.interested", "data": {"note": "' || repeat('x', 200) || '"}}'
    from generate_series(1, ${rows}::int) n`.execute(ctx.db)
  await sql`
    insert into webhook_events (workspace_id, id, webhook_id, webhook_url, event_id, event_type,
      lead_email, retry_group_id, retry_count, status_code, success, will_retry, response_time_ms)
    select ${workspaceId}::uuid, ${id}, ${webhook}::uuid, 'https://example.com/hook', ${id},
      'lead.interested', 'lead' || n || '@example.com', ${id}, 0, 200, true, false, 20
    from generate_series(1, ${rows}::int) n`.execute(ctx.db)
  await sql`
    insert into webhook_event_counts (workspace_id, date, slot, succeeded, failed)
    select ${workspaceId}::uuid, d::date, slot, ${Math.floor(rows / days / 16)}::int, 0
    from generate_series(${new Date(startMs)}::timestamptz, ${ctx.now()}::timestamptz, '1 day') d,
      generate_series(0, 15) slot`.execute(ctx.db)
  await sql`vacuum analyze webhook_events, events, webhook_event_counts`.execute(ctx.db)
  const { rows: found } = await sql<{ id: string }>`
    select id from webhook_events where workspace_id = ${workspaceId}::uuid and id > ${firstIdAt(new Date(0))}::uuid
    order by id desc offset ${deepRow} limit 1`.execute(ctx.db)
  return found[0]?.id ?? ''
}
