// Also runs on PostgreSQL 15: plans.
import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FreeContext } from '../../../test/context.ts'
import { type TestContext, testContext } from '../../../test/context.ts'
import { freeHandle } from '../../../test/database.ts'
import { listPrepared } from '../../kernel/db/prepared.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { allBuckets } from '../../kernel/runner/leases.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { sweepLanes } from './cross-workspace.ts'
import { keepLanePlan, readLanes } from './lane-queries.ts'
import { listOldest } from './queries.ts'
import { deleteEnded, keepKeyPlan, updateRetried } from './settle-queries.ts'

let ctx: TestContext
let workspaceId: string
const webhookIds: string[] = []
const first = firstIdAt(new Date(0))
beforeAll(async () => {
  ctx = await testContext()
  workspaceId = (await createWorkspace(ctx, 'burst')).id
  for (let n = 0; n < 8; n++) webhookIds.push(ctx.newId())
  const at = ctx.now()
  await ctx.db
    .insertInto('webhooks')
    .values(
      webhookIds.map((id) => ({
        ...{ workspace_id: workspaceId, id, name: 'burst', target_hook_url: 'http://127.0.0.1/' },
        ...{ event_type: 'all_events', secret: Buffer.from('sealed') },
        ...{ timestamp_created: at, timestamp_updated: at },
      })),
    )
    .execute()
  await ctx.db
    .insertInto('webhook_urls')
    .values(
      webhookIds.map((webhook_id) => ({
        ...{ workspace_id: workspaceId, webhook_id, url: 'http://127.0.0.1/' },
        url_hash: Buffer.from(webhook_id),
      })),
    )
    .execute()
  await sql`alter table deliveries set (autovacuum_enabled = off)`.execute(ctx.database.peek)
})
afterAll(() => ctx[Symbol.asyncDispose]())

/** What the planner may take the queue for when a burst has come. */
const beliefs: [string, () => Promise<unknown>][] = [
  ['that vacuum has never seen', () => fill()],
  [
    'that vacuum has seen empty',
    async () => {
      await empty()
      await sql`vacuum analyze deliveries`.execute(ctx.database.peek)
      await fill()
    },
  ],
  [
    'that was full when it was counted',
    async () => {
      await empty()
      await fill()
      await sql`vacuum analyze deliveries`.execute(ctx.database.peek)
    },
  ],
]

describe.each(beliefs)('in a queue %s', (_name, make) => {
  beforeAll(() => make().then(() => undefined))

  test('due rows are read by the index of lanes, and no more than are wanted', async () => {
    const { due, used } = await inTransaction(async (tx) => ({
      due: (await readDue(tx, 3)).due,
    }))
    expect(due).toHaveLength(3 * webhookIds.length)
    expect(used).toEqual({ deliveries_lane: { scans: webhookIds.length, entries: due.length } })
  })

  test('the sweep looks at one row of each lane, however many are due later', async () => {
    const start = { bucket: -1, workspace_id: first, webhook_id: first }
    const sweep = (tx: FreeContext, now: Date) => sweepLanes(tx, allBuckets, start, now, 1000)
    const before = new Date(ctx.now().getTime() - 1)
    const { found, used } = await inTransaction(async (tx) => ({ found: await sweep(tx, before) }))
    expect(found.map(({ has_work }) => has_work)).toEqual(webhookIds.map(() => false))
    expect(used).toEqual({
      deliveries_lane: { scans: webhookIds.length, entries: webhookIds.length },
    })
  })

  test('the oldest of a lane are found by the index of lanes', async () => {
    const [webhookId = ''] = webhookIds
    const { oldest, used } = await inTransaction(async (tx) => {
      await keepLanePlan(tx.db)
      return { oldest: await listOldest(tx.db, workspaceId, webhookId, 300) }
    })
    expect(oldest).toHaveLength(300)
    expect(used).toEqual({ deliveries_lane: { scans: 1, entries: rowsOfLane } })
  })

  test.each(['custom', 'generic'])(
    'rows are settled by their keys, with a %s plan',
    async (plan) => {
      const { ended, retried, used } = await inTransaction(async (tx) => {
        const { due } = await readDue(ctx, 60)
        const rows = due.map(({ id }) => ({ workspace_id: workspaceId, id, seen: 0 }))
        const due_at = ctx.now()
        await sql`select set_config('plan_cache_mode', ${`force_${plan}_plan`}::text, true)`.execute(
          tx.db,
        )
        await keepKeyPlan(tx.db)
        const ended = await deleteEnded(tx.db, rows.slice(0, 240))
        const others = rows.slice(240).map((row) => ({ ...row, due_at }))
        return { ended, retried: await updateRetried(tx.db, others) }
      })
      expect([ended.length, retried.length]).toEqual([240, 240])
      expect(Object.keys(used)).toEqual(['deliveries_pkey'])
      // Each is found by a search of its own; entries of rows that were taken back may lie beside it.
      expect(used.deliveries_pkey?.scans).toBe(480)
      expect(used.deliveries_pkey?.entries).toBeLessThan(3 * 480)
    },
  )
})

test('a plan that was made for an empty queue holds in a full one', async () => {
  await empty()
  await sql`vacuum deliveries`.execute(ctx.database.peek)
  const { ended, used } = await inTransaction(async (tx) => {
    await sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`.execute(tx.db)
    await keepKeyPlan(tx.db)
    const settle = (ids: string[]) =>
      deleteEnded(
        tx.db,
        ids.map((id) => ({ workspace_id: workspaceId, id, seen: null })),
      )
    await settle([first])
    const ids = await fill(tx.db)
    return { ended: await settle(ids.slice(0, 480)) }
  })
  expect(ended).toHaveLength(480)
  expect(used).toMatchObject({ deliveries_pkey: { scans: 481 } })
})

test('fan-outs are numbered no further than they are wanted, and sorted without their destinations', async () => {
  const text = listPrepared().find(({ name }) => name === 'find_due_fanouts')?.text
  const explain = `explain (verbose, format text) ${text}`
  const { rows } = await ctx.database.peek.executeQuery<Record<'QUERY PLAN', string>>(
    CompiledQuery.raw(explain, [allBuckets, ctx.now(), 64]),
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toMatch(/Run Condition: .* <= /)
  expect(plan).not.toContain('webhook_ids')
})

test('a delivery that was put back is settled by whoever saw its last attempt, or by a success', async () => {
  await empty()
  await fill()
  const [row] = (await readDue(ctx, 1)).due
  const key = { workspace_id: workspaceId, id: row?.id ?? '' }
  const retried = { ...key, seen: 0, due_at: ctx.now() }
  const answer = { id: key.id, person_erased: false }
  expect(await updateRetried(ctx.db, [retried])).toEqual([{ ...answer, attempt: 0 }])
  expect(await updateRetried(ctx.db, [{ ...retried, seen: 0 }])).toEqual([])
  expect(await updateRetried(ctx.db, [{ ...retried, seen: 1 }])).toEqual([
    { ...answer, attempt: 1 },
  ])
  expect(await deleteEnded(ctx.db, [{ ...key, seen: 1 }])).toEqual([])
  expect(await deleteEnded(ctx.db, [{ ...key, seen: null }])).toEqual([{ ...answer, attempt: 2 }])
})

interface Use {
  scans: number
  entries: number
}

/** Does something in a transaction that is taken back, and tells which indexes of the queue it used. */
async function inTransaction<Result extends object>(work: (tx: FreeContext) => Promise<Result>) {
  let answer: (Result & { used: Record<string, Use> }) | undefined
  const takenBack = new Error()
  await ctx.db.connection().execute(async (db) => {
    const run = transaction({ ...ctx, db: freeHandle(db) }, async (tx) => {
      const before = await indexesUsed(tx)
      const result = await work(tx)
      const used: Record<string, Use> = {}
      for (const [index, now] of await indexesUsed(tx)) {
        const then = before.get(index) ?? { scans: 0, entries: 0 }
        const use = { scans: now.scans - then.scans, entries: now.entries - then.entries }
        if (use.scans > 0) used[index] = use
      }
      answer = { ...result, used }
      throw takenBack
    })
    await expect(run).rejects.toBe(takenBack)
  })
  if (!answer) throw new Error('the work failed')
  return answer
}

async function indexesUsed({ db }: FreeContext): Promise<Map<string, Use>> {
  const { rows } = await sql<Use & { name: string }>`
    select i.relname as name, pg_stat_get_xact_numscans(i.oid)::int as scans,
      pg_stat_get_xact_tuples_returned(i.oid)::int as entries
    from pg_index x
    join pg_class i on i.oid = x.indexrelid
    where x.indrelid = 'deliveries'::regclass`.execute(db)
  return new Map(rows.map(({ name, scans, entries }) => [name, { scans, entries }]))
}

const readDue = (tx: FreeContext, most: number) =>
  readLanes(
    tx,
    workspaceId,
    webhookIds,
    webhookIds.map(() => '-infinity'),
    webhookIds.map(() => first),
    webhookIds.map(() => 0),
    webhookIds.map(() => most),
    ctx.now(),
  )

/** So many that the index of lanes is a level deeper than the others, which seem to be shorter ways. */
const rowsOfLane = 2000

const empty = () =>
  sql`delete from deliveries where workspace_id = ${workspaceId}::uuid`.execute(ctx.db)

/** Rows of all lanes, with other ids each time, which it answers. */
async function fill(db = ctx.db): Promise<string[]> {
  const time = ctx.now()
  const { rows } = await sql<{ id: string }>`
    insert into deliveries (workspace_id, id, bucket, webhook_id, event_id, due_at, expires_at)
    select ${workspaceId}::uuid, md5(${ctx.newId()}::text || webhook_id || n)::uuid, 1, webhook_id,
      ${ctx.newId()}::uuid, ${time}::timestamptz, ${time}::timestamptz
    from unnest(${webhookIds}::uuid[]) webhook_id, generate_series(1, ${rowsOfLane}::int) n
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}
