import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { type Context, inWorkspace, type ProcessContext, processOf } from '../context.ts'
import { pipelineOf, poolOf } from './db.ts'
import { prepared, preparedForBatch } from './prepared.ts'
import { transaction } from './transaction.ts'

const [own, other] = [
  '0199b0de-0000-7000-8000-000000000001',
  '0199b0de-0000-7000-8000-000000000002',
]

const echo = prepared<[workspaceId: string], { id: string }>('echo_own', 'select $1::uuid as id')
const echoMany = preparedForBatch<[workspaceIds: string[]], { id: string }>(
  'echo_batch',
  '/* batch */ select unnest($1::uuid[]) as id',
)

let ctx: TestContext
let process: ProcessContext
let bound: Context
beforeAll(async () => {
  ctx = await testContext()
  process = { ...ctx, db: ctx.database.db }
  bound = inWorkspace(process, own)
})
afterAll(() => ctx[Symbol.asyncDispose]())

test('a prepared statement is refused that names another workspace than its handle', async () => {
  expect(await echo(bound.db, own)).toEqual([{ id: own }])
  await expect(echo(bound.db, other)).rejects.toThrow('another workspace')
})

test('a transaction knows the workspace, and whatever joins it', async () => {
  await transaction(bound, async (tx) => {
    expect(tx.db.workspaceId).toBe(own)
    await transaction(tx, async (joined) => {
      expect(joined.db).toBe(tx.db)
      await expect(echo(joined.db, other)).rejects.toThrow('another workspace')
    })
  })
})

test('a transaction of the process works for one workspace after the other', async () => {
  const told: ProcessContext[] = []
  await transaction(process, async (tx) => {
    for (const id of [own, other]) {
      const inside = inWorkspace(tx, id)
      expect(inside.db.isTransaction).toBe(true)
      expect(await echo(inside.db, id)).toEqual([{ id }])
      inside.afterCommit?.((after) => told.push(after))
    }
  })
  expect(told).toEqual([process, process])
})

test('a batch on a handle of one workspace has no rows of another', async () => {
  expect(await echoMany(process.db, [own, other])).toHaveLength(2)
  expect(await echoMany(bound.db, [own, own])).toHaveLength(2)
  await expect(echoMany(bound.db, [own, other])).rejects.toThrow('another workspace')
})

test('a handle is bound once, and uses the connections of the process', () => {
  expect(inWorkspace(bound, own).db).toBe(bound.db)
  expect(() => inWorkspace(bound, other)).toThrow('for good')
  expect(poolOf(bound.db)).toBe(poolOf(process.db))
  expect(pipelineOf(bound.db)).toBe(pipelineOf(process.db))
  expect(processOf(bound)).toBe(process)
})
