import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asService, type TestContext, testContext } from '../../../test/context.ts'
import { lockLeadsTable } from '../../../test/moves.ts'
import { patience } from '../../../test/patience.ts'
import type { ProcessContext } from '../../kernel/context.ts'
import { lowerFence, raiseFence } from './fence.ts'
import { listFenced } from './queries.ts'
import { listWorkspaceTables, type WorkspaceTable } from './tables.ts'

let ctx: TestContext
let service: ProcessContext
let table: WorkspaceTable
beforeAll(async () => {
  ctx = await testContext()
  service = asService(ctx)
  const tables = await listWorkspaceTables(ctx.db)
  table = tables.find(({ name }) => name === 'leads') as WorkspaceTable
})
afterAll(() => ctx[Symbol.asyncDispose]())

const workspaceId = '00000000-0000-7000-8000-000000000001'

/** Somebody waits so long for a lock that the database has looked who has it. */
const isAnybodyWaitingLong = async () => {
  const { rows } = await sql`
    select from pg_locks
    where not granted and relation = 'leads'::regclass
      and clock_timestamp() - waitstart > current_setting('deadlock_timeout')::interval`.execute(
    ctx.database.peek,
  )
  return rows.length > 0
}

test('a table that an autovacuum has is fenced, and freed of it, once the vacuum was called off', async () => {
  for (const [change, fenced] of [
    [() => raiseFence(service, [table], workspaceId, () => undefined), ['leads']],
    [() => lowerFence(service, ['leads'], workspaceId), []],
  ] as const) {
    let changing: Promise<void>
    {
      await using _vacuum = await lockLeadsTable(ctx.database, 'share update exclusive')
      changing = change()
      await expect.poll(isAnybodyWaitingLong, patience).toBe(true)
    }
    await changing
    expect(await listFenced(ctx.db, workspaceId)).toEqual(fenced)
  }
})
