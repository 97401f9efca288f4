import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { queryUnchecked } from '../../../test/commands.ts'
import { patience } from '../../../test/patience.ts'
import {
  rowsOf,
  type ShardedApi,
  type ShardedDatabases,
  shardedApi,
  shardedDatabases,
  silentLog,
} from '../../../test/sharded.ts'
import { readConfig } from '../../config.ts'
import { deleteRegistered, insertRegistered } from '../../kernel/shards/queries.ts'
import { startRunner } from '../../loops.ts'
import { openServer } from '../../process/open.ts'
import { startServices } from '../../process/services.ts'
import { moveWorkspace } from '../moves/index.ts'
import { tokenBoxOf, unsubscribeWaiting, webLinks } from './index.ts'
import { insertWaiting } from './queries.ts'

let databases: ShardedDatabases
let sharded: ShardedApi
beforeAll(async () => {
  databases = await shardedDatabases()
  sharded = await shardedApi(databases)
})
afterAll(async () => {
  await sharded[Symbol.asyncDispose]()
  await databases[Symbol.asyncDispose]()
})

async function unsubscribeFrom(workspaceId: string) {
  const links = webLinks(tokenBoxOf(sharded.api.ctx), '')
  const mail = { workspaceId, leadId: workspaceId, stepId: workspaceId }
  const url = links.unsubscribe(mail, 'ann@example.com')
  return (await sharded.api.call('POST', url, { key: null })).status
}

/** As once upkeep has deleted what the workspace left on the first. */
const setEmptied = (id: string) =>
  queryUnchecked(
    databases.first,
    `begin; set local outrider.mover = 'on'; update workspaces set is_emptied = true where id = '${id}'; commit`,
  )

/** How many addresses of the workspace nobody writes to, on the first and on b. */
async function suppressedOf(id: string) {
  const both = [databases.first, databases.second]
  const rows = await Promise.all(both.map((each) => rowsOf(each, id)))
  return rows.map(({ suppressions = 0 }) => suppressions)
}

async function countWaiting() {
  const { peek } = databases.first
  return (await peek.selectFrom('waiting_unsubscribes').select('token').execute()).length
}

test('who unsubscribes while a workspace is moved is taken at their word, and it holds where it goes', async () => {
  const { id } = await sharded.createOn('first', 'moving')
  const [source, target] = ['first', 'b'].map((name) => sharded.shards.byName(name).ctx)
  if (!source || !target) throw new Error('There is one database.')
  let nowMs = 0
  const draining = Promise.withResolvers<void>()
  const copying = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  // Until it is given back no row can be copied.
  const locking = databases.second.peek.transaction().execute(async (tx) => {
    await draining.promise
    await sql`lock table suppressions in exclusive mode`.execute(tx)
    nowMs += 60_000
    await asked.promise
  })
  const waiting = {
    ...source,
    monotonicMs: () => nowMs,
    async sleep() {
      draining.resolve()
      await setImmediate()
    },
  }
  const moving = moveWorkspace(waiting, target, id, {
    ...{ sourceName: 'first', targetName: 'b', restMs: 60_000 },
    onProgress({ step }) {
      if (step === 'copy') copying.resolve()
      if (step === 'clean') throw new Error('killed')
    },
  })
  try {
    await Promise.race([copying.promise, moving])
    expect([await unsubscribeFrom(id), await unsubscribeFrom(id)]).toEqual([200, 200])
    await unsubscribeWaiting(sharded.api.ctx)
    expect([await countWaiting(), await suppressedOf(id)]).toEqual([1, [0, 0]])
  } finally {
    asked.resolve()
    await Promise.all([locking, expect(moving).rejects.toThrow('killed')])
  }
  // It came with the workspace: its mailboxes are awake from then on.
  expect((await suppressedOf(id))[1]).toBe(1)
  const late = tokenBoxOf(source).make({
    ...{ kind: 'unsubscribe', workspaceId: id, leadId: id, stepId: id, text: 'bob@example.com' },
  })
  await insertWaiting(databases.first.db, late, new Date())
  await moveWorkspace(source, target, id, { sourceName: 'first', targetName: 'b' })
  expect([await countWaiting(), (await suppressedOf(id))[1]]).toEqual([2, 2])
  await unsubscribeWaiting(sharded.api.ctx)
  expect([await countWaiting(), (await suppressedOf(id))[1]]).toEqual([0, 2])
})

test('who unsubscribes while the shard of the workspace is away is unsubscribed there once it is back', async () => {
  const { id } = await sharded.createOn('b', 'away')
  const config = readConfig({ ...databases.settings, PORT: '0' })
  await using opened = await openServer(config, { log: silentLog })
  databases.takeAway()
  try {
    expect(await unsubscribeFrom(id)).toBe(200)
    expect(await countWaiting()).toBe(1)
  } finally {
    databases.bringBack()
  }
  await using _services = await startServices('runner', opened)
  await vi.waitFor(async () => expect(await countWaiting()).toBe(0), patience)
  expect(await suppressedOf(id)).toEqual([0, 1])
})

test('what was kept while a shard was away is written down there before a runner that opens it sends', async () => {
  const { id } = await sharded.createOn('b', 'opened')
  const { ctx } = sharded.shards.byName('b')
  const kept = tokenBoxOf(ctx).make({
    ...{ kind: 'unsubscribe', workspaceId: id, leadId: id, stepId: id, text: 'eve@example.com' },
  })
  await insertWaiting(databases.first.db, kept, new Date())
  const runner = await startRunner(ctx)
  await runner.stop()
  expect([await countWaiting(), await suppressedOf(id)]).toEqual([0, [0, 1]])
})

/** What was kept for it is given up, and who follows a link of it from now on is told. */
async function expectNothingKept(workspaceId: string) {
  await unsubscribeWaiting(sharded.api.ctx)
  expect(await countWaiting()).toBe(0)
  expect(await unsubscribeFrom(workspaceId)).toBe(404)
  expect(await countWaiting()).toBe(0)
}

test('who unsubscribes from a workspace that no shard has is told so, and nothing is kept, once every shard is known', async () => {
  const { ctx } = sharded.api
  const id = ctx.newId()
  const { peek } = databases.first
  await insertRegistered(peek, { name: 'c', instance_id: id, timestamp_created: ctx.now() })
  expect(await unsubscribeFrom(id)).toBe(200)
  await unsubscribeWaiting(ctx)
  expect(await countWaiting()).toBe(1)
  await deleteRegistered(peek, 'c')
  await expectNothingKept(id)
})

test('what was kept for a workspace that was moved is lost with the shard it went to only once nothing of it is left elsewhere', async () => {
  const { ctx } = sharded.api
  const { id } = await sharded.createOn('first', 'lost')
  await queryUnchecked(
    databases.first,
    `begin; set local outrider.mover = 'on'; update workspaces set moving_to = 'c', moved_to = 'c' where id = '${id}'; commit`,
  )
  // It can be brought back as it left.
  expect(await unsubscribeFrom(id)).toBe(200)
  await unsubscribeWaiting(ctx)
  expect(await countWaiting()).toBe(1)

  const { peek } = databases.first
  await insertRegistered(peek, { name: 'c', instance_id: id, timestamp_created: ctx.now() })
  await setEmptied(id)
  await unsubscribeWaiting(ctx)
  expect(await countWaiting()).toBe(1)
  await deleteRegistered(peek, 'c')
  await expectNothingKept(id)
})
