import { sql } from 'kysely'
import { firstIdAt } from '../server/src/kernel/ids.ts'
import { startRole } from './child.ts'
import { type Figure, percentile } from './figure.ts'
import { type BenchService, openService } from './service.ts'
import { insertHistory } from './webhook-history.ts'

const rows = 2_000_000
const deepRow = 1_000_000
const requests = 200

/** Page 1 against the page at row 1,000,000 of webhook-events, and the summary over 30 days. */
export async function bench(): Promise<Figure[]> {
  await using service = await openService()
  const cursor = await fill(service)
  await using api = await startRole('api', service)
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
async function fill(service: BenchService): Promise<string> {
  const { ctx, workspaceId } = service
  const url = 'https://example.com/hook'
  await insertHistory(service, { webhookId: ctx.newId(), url, rows, leads: rows })
  const { rows: found } = await sql<{ id: string }>`
    select id from webhook_events where workspace_id = ${workspaceId}::uuid and id > ${firstIdAt(new Date(0))}::uuid
    order by id desc offset ${deepRow} limit 1`.execute(ctx.db)
  return found[0]?.id ?? ''
}
