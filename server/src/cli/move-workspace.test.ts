import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { queryUnchecked, run } from '../../test/commands.ts'
import { patience } from '../../test/patience.ts'
import {
  rowsOf,
  type ShardedApi,
  type ShardedDatabases,
  shardedApi,
  shardedDatabases,
} from '../../test/sharded.ts'
import { leaveTo, listLeaving, moveWorkspace } from '../features/moves/index.ts'
import { confirmHeld, holdSending, listHeld } from '../features/sending/index.ts'
import { updateRegistered } from '../kernel/shards/queries.ts'
import { cancel, keep, moveTo } from './move-workspace.ts'

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

afterEach(() => void vi.unstubAllEnvs())

test('a move that was left is taken back while its target does not answer if a person says that the source has lost nothing, and never once it has left', async () => {
  const { ctx, call } = sharded.api
  const { id, key } = await sharded.createOn('first', 'Waiting')
  const change = async () =>
    (await call('POST', '/api/v2/campaigns', { key, body: { name: 'one' } })).status
  await queryUnchecked(databases.first, `update workspaces set moving_to = 'b' where id = '${id}'`)
  const gone = await sharded.createOn('first', 'Gone')
  await moveToNowhere(gone.id)
  databases.takeAway()
  try {
    await expect(cancel(ctx, id)).rejects.toThrow('add --yes if first is still what it was')
    expect(await cancel(ctx, id, { yes: true })).toEqual({ id, stays_on: 'first' })
    expect(await change()).toBe(201)
    await expect(cancel(ctx, gone.id, { yes: true })).rejects.toThrow(
      'The database of the shard b is not reachable',
    )
  } finally {
    databases.bringBack()
  }
  await vi.waitFor(async () => {
    expect(await cancel(ctx, gone.id)).toEqual({ id: gone.id, stays_on: 'first' })
  }, patience)
})

/** The mover ends between its two commits. */
async function moveToNowhere(id: string, sourceName = 'first', targetName = 'b') {
  const [source, target] = [sharded.shards.byName(sourceName), sharded.shards.byName(targetName)]
  const moving = moveWorkspace(source.ctx, target.ctx, id, {
    ...{ sourceName, targetName, restMs: 0 },
    onProgress({ step }) {
      if (step === 'activate') throw new Error('killed')
    },
  })
  await expect(moving).rejects.toThrow('killed')
}

const nobody = 'postgres://u:secret@127.0.0.1:1/x'

async function doctorSays(check: string, settings: Record<string, string> = {}) {
  for (const [name, value] of Object.entries({ ...databases.settings, ...settings }))
    vi.stubEnv(name, value)
  vi.stubEnv('BASE_URL', '')
  const { checks } = JSON.parse((await run('doctor', '--json')).stdout)
  return checks.find((each: { check: string }) => each.check === check)
}

test('the doctor names a workspace that has left its shard and come to none, and the command that brings it there', async () => {
  const { id, key } = await sharded.createOn('first', 'Lost')
  await moveToNowhere(id)
  expect(await doctorSays('moves')).toMatchObject({
    ...{ status: 'fail', detail: 'a move of Lost to b was left before it arrived' },
    remedy: expect.stringContaining(`"npx outrider workspaces move ${id} --to b"`),
  })
  const away = { DATABASE_SHARDS: `b=${nobody}` }
  expect(await doctorSays('moves', away)).toMatchObject({
    ...{ status: 'warn', detail: expect.stringMatching(/^Lost left .* could be asked$/) },
  })
  await moveTo(sharded.api.ctx, id, 'b', { json: true })
  expect(await doctorSays('moves')).toMatchObject({ status: 'ok' })
  const other = { DATABASE_SHARDS: `${databases.settings.DATABASE_SHARDS} c=${nobody}` }
  expect(await doctorSays('moves', other)).toMatchObject({ status: 'ok' })
  expect((await sharded.api.call('GET', '/oauth/service-accounts', { key })).status).toBe(200)
})

test('of a workspace that is nowhere only the shard that had it last is complained of, and its move is what works', async () => {
  const { ctx } = sharded.api
  const { id } = await sharded.createOn('first', 'Astray')
  await moveTo(ctx, id, 'b', { json: true })
  await moveToNowhere(id, 'b', 'first')
  expect(await doctorSays('moves')).toMatchObject({ status: 'ok' })
  expect(await doctorSays('b: moves')).toMatchObject({
    ...{ status: 'fail', detail: 'a move of Astray to first was left before it arrived' },
    remedy: expect.stringContaining(`"npx outrider workspaces move ${id} --to first"`),
  })
  await expect(moveTo(ctx, id, 'b', { json: true })).rejects.toThrow(
    'A move of the workspace from b to first was left before it arrived: run it again with --to first',
  )
  await moveTo(ctx, id, 'first', { json: true })
  expect(await doctorSays('b: moves')).toMatchObject({ status: 'ok' })
})

test('a move to the shard that the workspace has come to is refused while a later one from there is left', async () => {
  const { ctx } = sharded.api
  const { id } = await sharded.createOn('first', 'Undecided')
  const move = (to: string) => moveTo(ctx, id, to, { json: true })
  await move('b')
  const leave = `update workspaces set moving_to = 'first' where id = '${id}'`
  await queryUnchecked(databases.second, leave)
  await expect(move('b')).rejects.toThrow(
    'A move of this workspace to first was begun and left. Run it again with --to first, or take it back with --cancel.',
  )
  expect(await doctorSays('b: moves')).toMatchObject({
    ...{ status: 'fail', detail: 'a move of Undecided to first was begun and left' },
    remedy: expect.stringContaining('it sends nothing, and may refuse changes'),
  })
  await cancel(ctx, id)
  expect(await move('b')).toMatchObject({ was_there: true })
})

/** On b, and the first one has it as well, as a backup from before its move does. */
async function createOnBoth(name: string) {
  const created = await sharded.createOn('b', name)
  const row = `select to_jsonb(w) as row from workspaces w where id = '${created.id}'`
  const [{ row: moved } = { row: {} }] = (await queryUnchecked(databases.second, row)).rows
  const insert = 'insert into workspaces select * from jsonb_populate_record(null::workspaces, $1)'
  await queryUnchecked(databases.first, insert, [moved])
  return created
}

test('a shard that was put back sends only once a person has said who goes on with what has left it since', async () => {
  const { ctx, call } = sharded.api
  const { id, key } = await createOnBoth('Twice')
  await holdSending(sharded.shards.first.ctx)
  const confirm = async () => confirmHeld(await listHeld(ctx))
  const both = `Twice (${id}) is on first and b`
  const refused = expect.objectContaining({
    message: expect.stringMatching(/^Twice .* "npx outrider workspaces keep ID --on SHARD"/s),
  })

  await expect(confirm()).rejects.toEqual(refused)
  await expect(moveTo(ctx, id, 'b', { json: true })).rejects.toEqual(refused)
  await expect(cancel(ctx, id)).rejects.toEqual(refused)
  expect(await doctorSays('workspaces')).toMatchObject({ status: 'fail', detail: both })
  databases.takeAway()
  try {
    // Nobody can say what it has.
    await expect(confirm()).rejects.toThrow('The database of the shard b is not reachable')
  } finally {
    databases.bringBack()
  }
  expect(await listHeld(ctx)).toHaveLength(1)

  await vi.waitFor(async () => {
    expect(await keep(ctx, id, 'b')).toEqual({ id, on: 'b', left_by: ['first'] })
  }, patience)
  expect(await confirm()).toEqual({ uncertain: 0 })
  expect(await doctorSays('workspaces')).toMatchObject({ status: 'ok' })
  const made = await call('POST', '/api/v2/campaigns', { key, body: { name: 'one' } })
  expect(made.status).toBe(201)
  expect(await rowsOf(databases.second, id)).toMatchObject({ campaigns: 1 })
  // Nothing is written there any more, until upkeep has deleted it.
  await expect(
    queryUnchecked(databases.first, `update workspaces set name = 'x' where id = '${id}'`),
  ).rejects.toMatchObject({ code: 'OR503', hint: 'moved' })
  const leaving = await listLeaving(sharded.shards.first.ctx.db)
  expect(leaving).toContainEqual(expect.objectContaining({ id, moved_to: 'b', is_fenced: true }))
  await expect(keep(ctx, id, 'first')).rejects.toThrow('The workspace is not on the shard first')
})

test('a workspace that stays on the shard from which its move had been begun is worked for there again', async () => {
  const { ctx } = sharded.api
  const { id } = await createOnBoth('Begun')
  await queryUnchecked(databases.first, `update workspaces set moving_to = 'b' where id = '${id}'`)
  await vi.waitFor(async () => {
    expect(await keep(ctx, id, 'first')).toEqual({ id, on: 'first', left_by: ['b'] })
  }, patience)
  const leaving = await listLeaving(sharded.shards.first.ctx.db)
  expect(leaving.map((one) => one.id)).not.toContain(id)
})

test('a workspace that several people leave to different shards at once stays on one of them', async () => {
  const { ctx } = sharded.api
  const { id } = await createOnBoth('Contested')
  const writer = await databases.first.peek.startTransaction().execute()
  await sql`lock table leads in row exclusive mode`.execute(writer)
  const keeping = keep(ctx, id, 'b')
  try {
    const fence = `outrider_fence_${id.replaceAll('-', '')}_new`
    const raised = `select from pg_trigger where tgname = '${fence}'`
    const isFenced = async () => (await queryUnchecked(databases.first, raised)).rows.length > 0
    await expect.poll(isFenced, patience).toBe(true)
    await expect(keep(ctx, id, 'first')).rejects.toThrow('Another move of this workspace')
  } finally {
    await writer.rollback().execute()
  }
  expect(await keeping).toEqual({ id, on: 'b', left_by: ['first'] })
  // As who had read before that, and comes to it only now.
  const [first, b] = [sharded.shards.byName('first'), sharded.shards.byName('b')]
  await expect(leaveTo(first, [b], id)).rejects.toThrow('The workspace has left first meanwhile')
  await expect(leaveTo(b, [first], id)).rejects.toThrow('The workspace has left first meanwhile')
  expect(await doctorSays('moves')).toMatchObject({ status: 'ok' })
})

test('a workspace is moved by its name, its key goes on, and what cannot be is refused with what to do', async () => {
  const { ctx, call } = sharded.api
  const { id, key } = await sharded.createOn('first', 'Acme')
  const move = (to: string) => moveTo(ctx, 'Acme', to, { json: true })
  const made = await call('POST', '/api/v2/campaigns', { key, body: { name: 'one' } })
  expect(made.status).toBe(201)
  await expect(move('c')).rejects.toThrow('There is no shard c: there are first, b.')
  await expect(move('first')).rejects.toThrow('on the shard first already')
  await expect(cancel(ctx, id)).rejects.toThrow('The workspace is not being moved.')
  await updateRegistered(databases.first.db, 'b', { workspaces_max: 0 })
  await expect(move('b')).rejects.toThrow('The shard b takes no more workspaces')
  await updateRegistered(databases.first.db, 'b', { workspaces_max: null })
  expect(await move('b')).toMatchObject({ id, from: 'first', to: 'b', was_there: false })
  const path = `/api/v2/campaigns/${made.body.id}`
  const renamed = await call('PATCH', path, { key, body: { name: 'two' } })
  expect([renamed.status, renamed.body.name]).toEqual([200, 'two'])
  // Again, as after a kill.
  expect(await move('b')).toMatchObject({ from: 'first', was_there: true })
})
