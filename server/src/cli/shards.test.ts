import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { json, queryUnchecked, run } from '../../test/commands.ts'
import type { TestDatabase } from '../../test/database.ts'
import { fileWith } from '../../test/directory-files.ts'
import { type ShardedDatabases, shardedApi, shardedDatabases } from '../../test/sharded.ts'
import { createSecretBox } from '../kernel/crypto.ts'

let databases: ShardedDatabases
let both: TestDatabase[]
let old: Buffer

beforeAll(async () => {
  databases = await shardedDatabases()
  old = Buffer.from(String(databases.settings.OUTRIDER_SECRET_KEY), 'base64')
  both = [databases.first, databases.second]
  await using sharded = await shardedApi(databases)
  for (const [shard, name] of [
    ['first', 'home'],
    ['b', 'north'],
  ] as const) {
    const { key } = await sharded.createOn(shard, name)
    const { call } = sharded.api
    const campaign = await call('POST', '/api/v2/campaigns', { key, body: { name: 'one' } })
    const { id: campaign_id } = campaign.body
    const headers = { 'idempotency-key': 'once' }
    const leads = [{ email: 'Ada@lead.example' }, { email: 'bob@lead.example' }]
    const added = await call('POST', '/api/v2/lead/add', {
      ...{ key, headers, body: { campaign_id, leads } },
    })
    const target = { event_type: 'all_events', target_hook_url: 'https://hooks.example.com/' }
    const webhook = await call('POST', '/api/v2/webhooks', {
      ...{ key, headers: { 'idempotency-key': 'webhook' }, body: { name: 'all', ...target } },
    })
    expect([added.status, webhook.status]).toEqual([200, 201])
  }
})
afterAll(() => databases[Symbol.asyncDispose]())
beforeEach(() => {
  for (const [name, value] of Object.entries(databases.settings)) vi.stubEnv(name, value)
  // Vitest sets it to a path.
  vi.stubEnv('BASE_URL', '')
})
afterEach(() => void vi.unstubAllEnvs())

const addressesOn = ({ peek }: TestDatabase) =>
  peek.selectFrom('leads').select('email').orderBy('email').execute()

test('leads erase takes a person out of the workspaces of every shard, and nobody else', async () => {
  const { leads } = await json('leads', 'erase', 'ada@lead.example', '--yes')
  expect(leads).toBe(2)
  for (const each of both) {
    const kept = JSON.stringify(await addressesOn(each))
    expect(kept).toContain('bob@lead.example')
    expect(kept.toLowerCase()).not.toContain('ada@')
    const optouts = await each.peek.selectFrom('directory_optouts').selectAll().execute()
    expect(optouts).toHaveLength(1)
  }
})

test('directory import writes the directory of every shard, and a report for each', async () => {
  const file = await fileWith('first_name,email\nAda,ada@a.example\nBob,nothing\n')
  expect(await json('directory', 'import', file)).toMatchObject({
    contacts_created: 1,
    rejected: 1,
  })
  for (const { peek } of both) {
    const contacts = await peek.selectFrom('directory_contacts').select('first_name').execute()
    expect(contacts).toEqual([{ first_name: 'Ada' }])
  }
  const rejected = 'row,reason\n3,"email is not an e-mail address"\n'
  for (const end of ['', '.b']) {
    expect(await readFile(`${file}.rejected.csv${end}`, 'utf8')).toBe(rejected)
  }
})

const reasons = () =>
  Promise.all(
    both.map(async ({ peek }) => {
      const instance = peek.selectFrom('instance').select('sending_held_reason')
      return (await instance.executeTakeFirst())?.sending_held_reason
    }),
  )
const heldOnFirst =
  'Sending is held on first. b did not answer or cannot be used, and may go on sending'

test.each([
  ['does not answer', { port: '1' }, 'does not answer (ECONNREFUSED)'],
  ['is missing', { pathname: '/none_of_this_name' }, 'has no database "none_of_this_name"'],
  ['refuses the user', { username: 'nobody' }, 'refuses'],
  ['takes no connections', { pathname: '/template0' }, 'refuses connections (55000)'],
])(
  'sends hold holds each database that answers where one %s, and says which are held and which is not',
  async (_how, elsewhere, why) => {
    const url = Object.assign(new URL(databases.second.url), elsewhere)
    vi.stubEnv('DATABASE_SHARDS', `b=${url.href}`)
    const { code, stdout, stderr } = await run('sends', 'hold')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(why)
    expect(stderr).toContain(heldOnFirst)
    expect(await reasons()).toEqual(['operator', null])
    vi.stubEnv('DATABASE_SHARDS', databases.settings.DATABASE_SHARDS)
    expect((await run('sends', 'hold')).code).toBe(0)
    expect(await reasons()).toEqual(['operator', 'operator'])
    await json('sends', 'confirm-restore', '--yes')
  },
)

test.each([
  [
    'is not migrated',
    `delete from migrations where name = (select max(name) from migrations) returning name`,
    (name: unknown) => [`insert into migrations values ($1, now())`, name] as const,
    'npx outrider migrate --shards',
  ],
  [
    'is sealed with another key',
    `update instance i set secret_key_id = 'deadbeef' from instance o where o.id = i.id
     returning o.secret_key_id`,
    (id: unknown) => [`update instance set secret_key_id = $1`, id] as const,
    'OUTRIDER_SECRET_KEY',
  ],
])(
  'sends hold holds each database that can be held where one %s, and every other command refuses',
  async (_how, breakIt, mendBy, why) => {
    const { rows } = await queryUnchecked(databases.second, breakIt)
    const [was] = Object.values(rows[0] ?? {})
    const { code, stdout, stderr } = await run('sends', 'hold')
    const listed = await run('workspaces', 'list')
    const found = await reasons()
    const [text, value] = mendBy(was)
    await queryUnchecked(databases.second, text, [value])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(why)
    expect(stderr).toContain(heldOnFirst)
    expect(found).toEqual(['operator', null])
    expect(listed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(why) })
    expect((await run('sends', 'hold')).code).toBe(0)
    expect(await reasons()).toEqual(['operator', 'operator'])
    await json('sends', 'confirm-restore', '--yes')
  },
)

test('migrate warns of whoever is connected also where a further database alone was changed', async () => {
  const name = '0144_erased_answers.sql'
  await queryUnchecked(databases.second, 'delete from migrations where name = $1', [name])
  // As a process does.
  await databases.first.db.selectFrom('instance').select('id').execute()
  expect(await run('migrate', '--shards')).toMatchObject({
    ...{ code: 0, stderr: expect.stringMatching(/have changed under \d connections? of Outrider/) },
  })
  expect((await run('migrate', '--shards')).stderr).not.toContain('connection')
})

test('secrets reseal seals what lies on every shard, and the new key alone opens it', async () => {
  const next = randomBytes(32)
  const keyIdOf = (key: Buffer) => createSecretBox([key]).keyId
  const box = (...of: Buffer[]) => of.map((key) => key.toString('base64')).join(',')
  vi.stubEnv('OUTRIDER_SECRET_KEY', box(next, old))
  const { unreadable, items } = await json('secrets', 'reseal')
  expect(unreadable).toBe(0)
  const counted = items.map(({ key_id }: { key_id: string }) => key_id)
  expect(new Set(counted)).toEqual(new Set([keyIdOf(next)]))
  for (const { peek } of both) {
    const sealed = await peek.selectFrom('webhooks').select('secret').execute()
    // A byte of the version, and then the id of the key.
    const ids = sealed.map(({ secret }) => secret?.subarray(1, 5).toString('hex'))
    expect(ids).toEqual([keyIdOf(next)])
  }
  vi.stubEnv('OUTRIDER_SECRET_KEY', box(next))
  expect(await json('secrets', 'reseal')).toMatchObject({ resealed: 0, unreadable: 0 })
})

test('migrate names the variable of the address that does not answer', async () => {
  vi.stubEnv('DATABASE_DIRECT_URL', 'postgres://u:secret@127.0.0.1:1/x')
  const { code, stderr } = await run('migrate', '--shards')
  expect([code, stderr]).toEqual([1, expect.stringContaining('and DATABASE_DIRECT_URL.')])
})

test('a shard without workspaces is taken out, and the rest goes on without it', async () => {
  await using empty = await shardedDatabases()
  for (const [name, value] of Object.entries(empty.settings)) vi.stubEnv(name, value)
  expect((await run('shards', 'remove', 'first')).stderr).toContain('it stays')
  await json('shards', 'set', 'b', '--workspaces-max', '0')
  expect(await json('shards', 'remove', 'b')).toEqual({ removed: 'b' })
  const instance = await empty.second.peek.selectFrom('instance').select('shard').execute()
  expect(instance).toEqual([{ shard: null }])
  vi.stubEnv('DATABASE_SHARDS', '')
  expect(await json('secrets', 'reseal')).toMatchObject({ unreadable: 0 })
  expect((await json('shards', 'list')).items).toMatchObject([{ name: 'first' }])
})

test('a shard that takes workspaces or has one stays, and one that is gone for good goes with --yes, and sending is held only for what comes back', async () => {
  await using own = await shardedDatabases()
  for (const [name, value] of Object.entries(own.settings)) vi.stubEnv(name, value)
  const { id } = await json('workspaces', 'create', '--name', 'north', '--shard', 'b')
  const refused = async (sentence: string) => {
    const { code, stderr } = await run('shards', 'remove', 'b')
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
  }
  await refused('shards set b --workspaces-max 0')
  await json('shards', 'set', 'b', '--workspaces-max', '0')
  await refused('The shard b has workspaces')
  await json('workspaces', 'move', 'north', '--to', 'first')
  await refused('is kept there for an hour')
  await json('shards', 'set', 'b', '--workspaces-max', 'none')
  await json('workspaces', 'move', 'north', '--to', 'b')
  vi.stubEnv('DATABASE_SHARDS', 'b=postgres://nobody@127.0.0.1:1/gone')
  await refused('With --yes it is removed all the same')
  vi.stubEnv('DATABASE_SHARDS', `b=${own.second.url.replace(/[^/]+$/, 'dropped')}`)
  await refused('With --yes it is removed all the same')
  expect((await run('shards', 'remove', 'b', '--yes')).stdout).toMatch(/^b was removed\./)
  vi.stubEnv('DATABASE_SHARDS', '')
  expect(await json('secrets', 'reseal')).toMatchObject({ unreadable: 0 })
  const cancel = ['workspaces', 'move', id, '--cancel']
  const holdOf = () =>
    own.first.peek.selectFrom('instance').select('sending_held_reason').executeTakeFirst()
  const setEmptied = (is: boolean) =>
    queryUnchecked(
      own.first,
      `begin; set local outrider.mover = 'on'; update workspaces set is_emptied = ${is}; commit`,
    )
  // As upkeep does, once what it has left was kept for an hour.
  await setEmptied(true)
  for (const options of [[], ['--yes']]) {
    const { stderr } = await run(...cancel, ...options)
    expect(stderr).toContain('What it had left here has been deleted since')
    expect(stderr).not.toContain('--yes')
  }
  expect(await holdOf()).toEqual({ sending_held_reason: null })
  await setEmptied(false)
  expect((await run(...cancel)).stderr).toContain('With --yes it is on first again as it left')
  await own.first.peek.transaction().execute(async (mover) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('move ' || ${id}, 0))`.execute(mover)
    expect((await run(...cancel, '--yes')).stderr).toContain('Another move of this workspace')
    expect(await holdOf()).toEqual({ sending_held_reason: null })
  })
  expect(await json(...cancel, '--yes')).toMatchObject({ stays_on: 'first' })
  expect(await holdOf()).toEqual({ sending_held_reason: 'operator' })
})
