import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { testApi } from '../../test/app.ts'
import { password, setUp } from '../../test/browser.ts'
import { commandDatabase, json, queryUnchecked, run } from '../../test/commands.ts'
import { asService, type TestContext } from '../../test/context.ts'
import { testDatabase } from '../../test/database.ts'
import { patience } from '../../test/patience.ts'
import { shardedApi, shardedDatabases } from '../../test/sharded.ts'
import { createSignal } from '../../test/signal.ts'
import { operator } from '../features/audit/index.ts'
import { addMailbox } from '../features/mailboxes/index.ts'
import { moveWorkspace, type Progress } from '../features/moves/index.ts'
import { createSecretBox } from '../kernel/crypto.ts'
import { openSecrets } from '../kernel/secret-key.ts'
import { Troubles } from '../kernel/troubles.ts'
import { watchHealth } from '../process/watch-health.ts'

commandDatabase()

const old = randomBytes(32)
const next = randomBytes(32)
const idOf = (key: Buffer) => createSecretBox([key]).keyId

const login = { host: 'mail.example.com', port: 1, security: 'tls', username: 'a', password: 'b' }

/** Every kind of sealed value, sealed with the old key; the commands have their keys from here on. */
async function sealedWithOld() {
  const api = await testApi()
  const { ctx } = api
  ctx.secrets = createSecretBox([old])
  vi.stubEnv('DATABASE_URL', ctx.database.url)
  vi.stubEnv('OUTRIDER_SECRET_KEY', old.toString('base64'))
  const { id: workspaceId } = await json('workspaces', 'list').then(({ items }) => items[0])
  await addMailbox(
    ctx,
    workspaceId,
    { address: 'anna@example.com', smtp: login, imap: login },
    operator,
  )
  const { key } = await json('keys', 'create', '--name', 'x', '--scopes', 'all:*')
  const webhook = await api.call('POST', '/api/v2/webhooks', {
    key,
    headers: { 'idempotency-key': 'once' },
    body: {
      ...{ name: 'all', event_type: 'all_events', target_hook_url: 'https://hooks.example.com/' },
      headers: { 'x-token': 'let me in' },
    },
  })
  const rotated = await api.call('PATCH', `/api/v2/webhooks/${webhook.body.id}`, {
    key,
    body: { signing_secret: null },
  })
  expect([webhook.status, rotated.status]).toEqual([201, 200])
  return api
}

const useKeys = (...keys: Buffer[]) =>
  vi.stubEnv('OUTRIDER_SECRET_KEY', keys.map((key) => key.toString('base64')).join(','))

/** What a start of the service does with its keys. */
const startWith = (ctx: TestContext, ...keys: Buffer[]) =>
  openSecrets(ctx.database.db, {
    ...ctx,
    config: { secretKey: keys.map((key) => key.toString('base64')).join(','), dataDir: '/nowhere' },
  })

/** Every column of every table that holds these bytes. */
async function placesOf(url: string, bytes: string): Promise<string[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows: columns } = await client.query(
      `select table_name, column_name from information_schema.columns
       where table_schema = 'public' and data_type = 'bytea'`,
    )
    const found: string[] = []
    for (const { table_name, column_name } of columns) {
      const { rowCount } = await client.query(
        `select from "${table_name}" where position('\\x${bytes}'::bytea in "${column_name}") = 2`,
      )
      if (rowCount) found.push(`${table_name}.${column_name}`)
    }
    return found.sort()
  } finally {
    await client.end()
  }
}

test('after secrets reseal nothing is left that the old key has sealed, and all of it opens', async () => {
  await using api = await sealedWithOld()
  const { url } = api.ctx.database
  expect(await placesOf(url, idOf(old))).toEqual(
    expect.arrayContaining(['mailboxes.settings', 'webhooks.previous_secret', 'webhooks.secret']),
  )
  useKeys(next, old)
  const { resealed, unreadable, items } = await json('secrets', 'reseal')
  expect(resealed).toBeGreaterThanOrEqual(5)
  expect(unreadable).toBe(0)
  expect(new Set(items.map(({ key_id }: { key_id: string }) => key_id))).toEqual(
    new Set([idOf(next)]),
  )
  expect(await placesOf(url, idOf(old))).toEqual([])
  expect(await json('secrets', 'reseal')).toMatchObject({ resealed: 0 })

  useKeys(next)
  const { checks } = JSON.parse((await run('doctor', '--json')).stdout)
  expect(checks).toContainEqual(
    expect.objectContaining({ check: 'secret key', status: 'ok', detail: idOf(next) }),
  )
})

test('an installation whose secrets cannot be opened is not called healthy', async () => {
  await using api = await sealedWithOld()
  const browser = await setUp(api)
  const enrolled = await browser.call('POST', '/app/profile/second-factor', { body: { password } })
  expect(enrolled.status).toBe(200)
  await startWith(api.ctx, next, old)
  useKeys(next)
  const { checks } = JSON.parse((await run('doctor', '--json')).stdout)
  const told = new RegExp(
    `1 mailboxes with key ${idOf(old)}, 1 signing secrets with key.*1 second factors with`,
  )
  expect(checks).toContainEqual(
    expect.objectContaining({
      ...{ check: 'secret key', status: 'fail', detail: expect.stringMatching(told) },
      remedy: expect.stringMatching(/secrets reseal.*users disable-second-factor/),
    }),
  )

  const { ctx } = api
  ctx.secrets = createSecretBox([next])
  ctx.troubles = new Troubles(ctx)
  await using _watch = await watchHealth(ctx, undefined)
  const ready = await api.call('GET', '/ready', { key: null })
  expect(ready).toMatchObject({ status: 503, body: { message: expect.stringMatching(told) } })
  expect(ctx.logLines.some((line) => told.test(line))).toBe(true)
})

test('a process that lacks the key with which another one has begun to seal says so at once', async () => {
  await using api = await sealedWithOld()
  const { ctx } = api
  ctx.troubles = new Troubles(ctx)
  const looking = createSignal()
  let looks = 0
  const hurried = {
    ...asService(ctx),
    async sleep() {
      looks += 1
      looking.raise()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
  const ready = async () => (await api.call('GET', '/ready', { key: null })).body
  await using _health = await watchHealth(hurried, undefined)
  await looking.until(() => looks > 3)
  expect(await ready()).toEqual({ status: 'ok' })
  const secrets = await startWith(ctx, next, old)
  useKeys(next, old)
  const secretKey = async () => {
    const { checks } = JSON.parse((await run('doctor', '--json')).stdout)
    return checks.find(({ check }: { check: string }) => check === 'secret key')
  }
  expect(await secretKey()).toMatchObject({ status: 'ok' })
  const asOther = { ...ctx, secrets }
  const { items } = await json('workspaces', 'list')
  const mailbox = { address: 'bert@example.com', smtp: login, imap: login }
  await addMailbox(asOther, items[0].id, mailbox, operator)
  await expect.poll(ready, patience).toMatchObject({
    message: expect.stringContaining(`1 mailboxes with key ${idOf(next)}`),
  })
  await queryUnchecked(
    ctx.database,
    `insert into runners (id, heartbeat_at, secret_key_ids)
     select id, outrider_now(), array['${idOf(old)}'] from instance`,
  )
  expect(await secretKey()).toMatchObject({
    status: 'fail',
    detail: `1 runner that is alive lacks the key ${idOf(next)}, with which the service seals`,
  })
})

test('secrets reseal fails while a value is left that no key here opens', async () => {
  await using api = await sealedWithOld()
  await startWith(api.ctx, next, old)
  useKeys(next)
  const { code, stdout } = await run('secrets', 'reseal', '--json')
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ resealed: 0, unreadable: 5 })
})

test('secrets reseal goes on past a workspace whose move was left, and says what to do about it', async () => {
  await using api = await sealedWithOld()
  const { database } = api.ctx
  const { id, name } = await json('workspaces', 'list').then(({ items }) => items[0])
  await queryUnchecked(
    database,
    `create trigger outrider_fence_${id.replaceAll('-', '')}_old before update or delete on mailboxes
     for each row when (old.workspace_id = '${id}') execute function outrider_fence('${id}')`,
  )
  await queryUnchecked(database, `update workspaces set moving_to = 'b' where id = '${id}'`)
  useKeys(next, old)
  const { code, stdout, stderr } = await run('secrets', 'reseal')
  expect([code, stderr]).toEqual([1, ''])
  const sentence = `1 of ${name} stay as they were, since its move to b was left: run "npx outrider workspaces move ${id} --to b"`
  expect(stdout).toContain(sentence)
  expect(await placesOf(database.url, idOf(old))).toEqual(['mailboxes.settings'])
  await queryUnchecked(database, `update workspaces set moving_to = null where id = '${id}'`)
  expect(await json('secrets', 'reseal')).toMatchObject({ resealed: 1, fenced: [] })
  expect(await placesOf(database.url, idOf(old))).toEqual([])
})

test('what has left its shard and come to none is counted under the old key, until its move was run again', async () => {
  await using databases = await shardedDatabases()
  await using sharded = await shardedApi(databases)
  const { id, key } = await sharded.createOn('first', 'Lost')
  const body = { name: 'all', event_type: 'all_events', target_hook_url: 'https://a.example.com/' }
  expect((await sharded.api.call('POST', '/api/v2/webhooks', { key, body })).status).toBe(201)
  const [first, b] = [sharded.shards.first.ctx, sharded.shards.byName('b').ctx]
  const move = (onProgress: (progress: Progress) => void) =>
    moveWorkspace(first, b, id, {
      ...{ sourceName: 'first', targetName: 'b', restMs: 0 },
      onProgress,
    })
  const killed = move(({ step }) => {
    if (step === 'activate') throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')

  for (const [name, value] of Object.entries(databases.settings)) vi.stubEnv(name, value)
  const own = Buffer.from(String(databases.settings.OUTRIDER_SECRET_KEY), 'base64')
  useKeys(next, own)
  const { code, stdout } = await run('secrets', 'reseal', '--json')
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    fenced: [{ id, name: 'Lost', moving_to: 'b', values: 1 }],
    items: expect.arrayContaining([
      { key_id: idOf(own), label: 'signing secrets', count: 1, opens: true },
    ]),
  })
  await move(() => undefined)
  // What it has left on the first is kept for an hour, and needed no more.
  const { items } = await json('secrets', 'reseal')
  expect(items.map(({ key_id }: { key_id: string }) => key_id)).not.toContain(idOf(own))
  expect(await placesOf(databases.second.url, idOf(own))).toEqual([])
})

test('nothing is sealed anew while a runner is alive that could not open it', async () => {
  await using own = await testDatabase()
  vi.stubEnv('DATABASE_URL', own.url)
  useKeys(old)
  await json('workspaces', 'list')
  await queryUnchecked(
    own,
    `insert into runners (id, kind, heartbeat_at, process, secret_key_ids)
     select gen_random_uuid(), kind, outrider_now(), 'one', array['${idOf(old)}']
     from unnest(array['deliveries', 'mailboxes']) as kind`,
  )
  useKeys(next, old)
  const { code, stderr } = await run('secrets', 'reseal')
  expect(code).toBe(1)
  expect(stderr).toContain('restart every process with this OUTRIDER_SECRET_KEY first')
  // A process is one runner for each kind of lease.
  expect(stderr).toContain('1 runner that is alive lacks the key')
  expect(await queryUnchecked(own, 'select secret_key_id from instance')).toMatchObject({
    rows: [{ secret_key_id: idOf(old) }],
  })
})

test('a command seals with the key of the service, which starts without the new one afterwards', async () => {
  await using api = await sealedWithOld()
  useKeys(next, old)
  await json('secrets', 'list')
  await json('keys', 'create', '--name', 'y', '--scopes', 'all:*')
  expect(await placesOf(api.ctx.database.url, idOf(next))).toEqual([])
  await expect(startWith(api.ctx, next)).rejects.toThrow('sealed with key')
  expect((await startWith(api.ctx, old)).keyId).toBe(idOf(old))
})
