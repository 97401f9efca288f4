// Also runs on PostgreSQL 15: plans.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { readLanes } from './lane-queries.ts'
import { allowOnlyTidScan, disableSort } from './planner-queries.ts'
import { deleteEnded, updateRetried } from './settle-queries.ts'

// What vacuum has seen empty is filled by a burst: the planner believes that it is still empty.

let ctx: TestContext
let workspaceId: string
const webhookIds: string[] = []
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
})
afterAll(() => ctx[Symbol.asyncDispose]())

test('a burst into an empty queue is read by the index of its lanes and settled by its places', async () => {
  await ctx.db.connection().execute(async (db) => {
    const own = { ...ctx, db }
    await fill(db)
    await sql`delete from deliveries where workspace_id = ${workspaceId}::uuid`.execute(db)
    await sql`vacuum analyze deliveries`.execute(db)
    await fill(db)
    const first = firstIdAt(new Date(0))
    const lanes = webhookIds.map(() => '-infinity')
    const after = webhookIds.map(() => first)
    const { due } = await readLanes(own, workspaceId, webhookIds, lanes, after, ctx.now(), 3)
    expect(due).toHaveLength(3 * webhookIds.length)
    const rows = due.map((row) => ({ ...row, workspace_id: workspaceId, seen: row.attempt }))
    const settle = (tx: Db) => deleteEnded(tx, rows)
    expect(await transaction(own, (tx) => settle(tx.db))).toHaveLength(rows.length)

    const array = (values: string[]) => `'{${values.map((value) => `"${value}"`).join()}}'`
    const plans = await transaction(own, async (tx) => {
      await disableSort(tx.db)
      const read = await planOf(
        tx.db,
        `read_webhook_lanes('${workspaceId}', ${array(webhookIds)}, ${array(lanes)},
           ${array(after)}, 'infinity', 3)`,
      )
      await allowOnlyTidScan(tx.db)
      const keys = [rows.map(() => workspaceId), rows.map(({ id }) => id)].map(array).join()
      const end = await planOf(tx.db, `delete_ended(${keys}, '{}', '{}')`)
      return { read, end }
    })
    expect(plans.read).toMatch(/Index Scan using deliveries_lane/)
    expect(plans.read).not.toMatch(/deliveries_due|deliveries_pkey|Seq Scan on deliveries/)
    expect(plans.end).toMatch(/Tid Scan on deliveries/)
  })
})

test('a delivery that was moved since it was read is settled by its key', async () => {
  await fill(ctx.db)
  const first = firstIdAt(new Date(0))
  const { due } = await readLanes(
    ctx,
    workspaceId,
    [webhookIds[0] ?? ''],
    ['-infinity'],
    [first],
    ctx.now(),
    1,
  )
  const [row] = due
  if (!row) throw new Error('nothing is due')
  const due_at = ctx.now()
  const key = { workspace_id: workspaceId, id: row.id, place: row.place }
  const retried = { ...key, seen: 0, due_at }
  const write = <Row>(work: (db: Db) => Promise<Row>) => transaction(ctx, (tx) => work(tx.db))
  expect(await write((db) => updateRetried(db, [retried]))).toEqual([
    { id: row.id, attempt: 0, isMoved: false },
  ])
  expect(await write((db) => updateRetried(db, [{ ...retried, seen: 1 }]))).toEqual([
    { id: row.id, attempt: 1, isMoved: true },
  ])
  expect(await write((db) => deleteEnded(db, [{ ...key, seen: 1 }]))).toEqual([])
  expect(await write((db) => deleteEnded(db, [{ ...key, seen: null }]))).toEqual([
    { id: row.id, attempt: 2, isMoved: true },
  ])
})

/** So many that the index of lanes is a level deeper than the others, which seem to be shorter ways. */
const rowsOfLane = 2000

/** Rows of all lanes, with other ids each time. */
const fill = (db: Db) => {
  const time = ctx.now()
  return sql`
    insert into deliveries (workspace_id, id, bucket, webhook_id, event_id, due_at, expires_at)
    select ${workspaceId}::uuid, md5(${ctx.newId()}::text || webhook_id || n)::uuid, 1, webhook_id,
      ${ctx.newId()}::uuid, ${time}::timestamptz, ${time}::timestamptz
    from unnest(${webhookIds}::uuid[]) webhook_id, generate_series(1, ${rowsOfLane}::int) n`.execute(
    db,
  )
}

async function planOf(db: Db, call: string): Promise<string> {
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    ${sql.raw(`explain (costs off) execute ${call}`)}`.execute(db)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
