import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ShardedApi,
  type ShardedDatabases,
  shardedApi,
  shardedDatabases,
} from '../../test/sharded.ts'
import { updateRegistered } from '../kernel/shards/queries.ts'
import { cancel, moveTo } from './move-workspace.ts'

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
