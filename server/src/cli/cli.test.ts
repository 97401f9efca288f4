import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { describe, expect, test, vi } from 'vitest'
import { commandDatabase, json, queryUnchecked, run } from '../../test/commands.ts'
import { testDatabase } from '../../test/database.ts'
import {
  makeDataDir,
  makeDataDirWithDatabase,
  operatorJson,
  runOperator,
  startService,
} from '../../test/processes.ts'
import { migrationNames } from '../kernel/db/migrate.ts'
import { firstIdAt } from '../kernel/ids.ts'
import { createProgram } from './program.ts'
import { formatTable } from './terminal.ts'

const database = commandDatabase()

const uuid = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('beside a running server with its own database', () => {
  test('a key made by a command works, its JSON is all there is on stdout, and commands in another shell go by the settings of the service', async () => {
    const DATA_DIR = await makeDataDirWithDatabase()
    const BASE_URL = 'https://outrider.example.com'
    await using service = startService('main', { DATA_DIR, BASE_URL })
    const address = await service.address()
    const args = ['keys', 'create', '--name', 'ci', '--scopes', 'all:*', '--json']
    const { code, stdout, stderr } = await runOperator(args, { DATA_DIR })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    const { key } = JSON.parse(stdout)
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${address}/oauth/service-accounts`, { headers })).status).toBe(200)

    const { url } = await operatorJson(['users', 'set-up-link'], { DATA_DIR })
    expect(url).toMatch(/^https:\/\/outrider\.example\.com\/set-up#/)
    const doctor = await runOperator(['doctor', '--json'], { DATA_DIR })
    const { checks } = JSON.parse(doctor.stdout)
    const detailOf = (name: string) =>
      checks.find(({ check }: { check: string }) => check === name)?.detail
    expect(detailOf('settings')).toContain('of the service that started at')
    expect(detailOf('outbound policy')).toContain('outrider.example.com is reachable')

    service.kill('SIGTERM')
    await service.exited
    const alone = await runOperator(['keys', 'list', '--json'], { DATA_DIR })
    expect(JSON.parse(alone.stdout).items).toHaveLength(1)
  })

  test('where no database is, none is made', async () => {
    const DATA_DIR = await makeDataDir()
    const { code, stdout, stderr } = await runOperator(['keys', 'list'], { DATA_DIR })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('run "npm start" first')
  })
})

describe('workspaces', () => {
  test('are created, listed, and switched', async () => {
    const created = await json('workspaces', 'create', '--name', 'acme')
    expect(created).toMatchObject({ id: uuid, name: 'acme', plan_api: true, plan_rate: 10_000 })
    const plan = [
      '--webhooks',
      'off',
      '--rate',
      '0',
      '--leads-max',
      '500',
      '--leadbank-scope',
      'on',
    ]
    expect(await json('workspaces', 'set-plan', 'acme', ...plan)).toMatchObject({
      id: created.id,
      plan_api: true,
      plan_webhooks: false,
      plan_rate: 0,
      plan_leads_max: 500,
      leadbank_scope_required: true,
    })
    const back = await json('workspaces', 'set-plan', created.id, '--leads-max', 'unlimited')
    expect(back.plan_leads_max).toBeNull()
    const { items } = await json('workspaces', 'list')
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['acme', 'default'])
  })
})

describe('keys', () => {
  test('are created with the fields of the API and the secret', async () => {
    const args = ['--name', ' ci ', '--scopes', 'campaigns:read, leads:*']
    const expiry = '2126-01-31T00:00:00Z'
    const created = await json('keys', 'create', ...args, '--expires', expiry)
    expect(created).toEqual({
      key: expect.stringMatching(/^ork_[0-9A-Za-z]{49}$/),
      id: uuid,
      name: 'ci',
      scopes: ['campaigns:read', 'leads:*'],
      key_prefix: created.key.slice(0, 12),
      workspace_id: uuid,
      status: 'active',
      timestamp_created: time,
      timestamp_updated: time,
      timestamp_last_used: null,
      timestamp_expires: '2126-01-31T00:00:00.000Z',
      timestamp_revoked: null,
      created_by: { type: 'operator', id: null },
    })
  })

  test('are listed whole, without secrets, and gone from the list once revoked', async () => {
    const { id: workspace } = await json('workspaces', 'create', '--name', 'many keys')
    const args = ['--workspace', workspace, '--name', 'one', '--scopes', 'all:*']
    for (let i = 0; i < 3; i++) await json('keys', 'create', ...args)
    await queryUnchecked(
      database(),
      `insert into service_accounts select workspace_id, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
         name, scopes, key_prefix, created_by_type, created_by_id, timestamp_created, timestamp_updated
       from service_accounts, generate_series(1, 40) n where workspace_id = $1 and id = (
         select id from service_accounts where workspace_id = $1 order by id limit 1)`,
      [workspace],
    )
    const { items } = await json('keys', 'list', '--workspace', 'many keys')
    expect(items).toHaveLength(43)
    expect(items[0]).not.toHaveProperty('key')
    const revoked = await json('keys', 'revoke', items[0].id, '--workspace', workspace)
    expect(revoked).toMatchObject({ id: items[0].id, status: 'revoked', timestamp_revoked: time })
    expect((await json('keys', 'list', '--workspace', workspace)).items).toHaveLength(42)
  })

  test('are listed with who made them: the operator, a person by name, a key by name, else by id', async () => {
    const { id: workspace } = await json('workspaces', 'create', '--name', 'made keys')
    const args = ['--workspace', workspace, '--scopes', 'all:*']
    const make = (name: string) => json('keys', 'create', ...args, '--name', name)
    const made = [await make('parent'), await make('child'), await make('hers'), await make('lost')]
    const [parent, child, hers, lost] = made.map(({ id }) => id)
    const user = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
    await queryUnchecked(
      database(),
      `insert into users (id, name, email, email_verified, timestamp_created, timestamp_updated)
       values ($1, 'Ann Example', 'ann@example.com', true, now(), now())`,
      [user],
    )
    for (const [id, type, maker] of [
      [child, 'key', parent],
      [hers, 'user', user],
      [lost, 'user', parent?.replace(/.{12}$/, '0'.repeat(12))],
    ]) {
      await queryUnchecked(
        database(),
        'update service_accounts set created_by_type = $2, created_by_id = $3 where id = $1',
        [id, type, maker],
      )
    }
    const { items } = await json('keys', 'list', '--workspace', workspace)
    expect(
      Object.fromEntries(items.map((key: Record<string, string>) => [key.name, key.made_by])),
    ).toEqual({
      parent: 'operator',
      child: 'key parent',
      hers: 'user Ann Example',
      lost: `user ${parent?.replace(/.{12}$/, '0'.repeat(12))}`,
    })
    const { stdout } = await run('keys', 'list', '--workspace', workspace)
    expect(stdout).toMatch(/made by/i)
    expect(stdout).toContain('user Ann Example')
  })

  test('are revoked with those they made when that is asked for', async () => {
    const args = ['--name', 'parent', '--scopes', 'all:*']
    const parent = await json('keys', 'create', ...args)
    const child = await json('keys', 'create', ...args)
    await queryUnchecked(
      database(),
      `update service_accounts set created_by_type = 'key', created_by_id = $1 where id = $2`,
      [parent.id, child.id],
    )
    await json('keys', 'revoke', parent.id, '--with-children')
    const ids = (await json('keys', 'list')).items.map(({ id }: { id: string }) => id)
    expect(ids).not.toContain(child.id)
  })
})

test('labels are created, renamed, listed and archived', async () => {
  const created = await json('labels', 'create', '--name', 'Hot lead', '--effect', 'stop')
  expect(created).toMatchObject({
    id: uuid,
    value: 'hot_lead',
    effect: 'stop',
    sentiment: 'neutral',
  })
  const renamed = await json('labels', 'rename', created.id, '--name', 'Warm lead')
  expect(renamed).toMatchObject({ name: 'Warm lead', value: 'hot_lead' })
  expect((await json('labels', 'list')).items).toEqual([renamed])
  expect(await json('labels', 'archive', created.id)).toMatchObject({ timestamp_archived: time })
  expect((await json('labels', 'list')).items).toEqual([])
  expect((await json('labels', 'list', '--archived')).items).toHaveLength(1)
})

test('mailboxes are added from a file, and no password comes back or stays readable', async () => {
  const password = 'hunter2-hunter2'
  const server = { host: 'mail.example.com', username: 'ada', password }
  const file = join(await makeDataDir(), 'mailbox.json')
  await writeFile(file, JSON.stringify({ address: 'ada@example.com', smtp: server, imap: server }))
  const added = await json('mailboxes', 'add', file)
  expect(added).toMatchObject({ id: uuid, address: 'ada@example.com', status: 'connected' })
  expect(JSON.stringify(added)).not.toContain(password)
  const { rows } = await queryUnchecked(database(), 'select settings from mailboxes')
  expect(rows[0]?.settings.includes(password)).toBe(false)
  expect((await json('mailboxes', 'list')).items).toEqual([added])
  await json('mailboxes', 'remove', added.id)
  expect((await json('mailboxes', 'list')).items).toEqual([])

  await writeFile(file, `{"password": "${password}`)
  const broken = await run('mailboxes', 'add', file)
  expect(broken).toEqual({ code: 1, stdout: '', stderr: `${file} is not valid JSON.\n` })
  const typed = Readable.from([`{"password": "${password}`]) as unknown as typeof process.stdin
  const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(typed)
  const piped = await run('mailboxes', 'add', '-')
  stdin.mockRestore()
  expect(piped).toEqual({ code: 1, stdout: '', stderr: 'Standard input is not valid JSON.\n' })
  await writeFile(file, `["${password}"]`)
  const list = await run('mailboxes', 'add', '--save-sent', 'on', file)
  expect(list).toEqual({
    ...{ code: 1, stdout: '', stderr: `${file} must hold a JSON object; see --help.\n` },
  })
})

test('replay queues the events of a window with an audit entry, or says what it needs', async () => {
  await json('workspaces', 'list')
  const [id, other] = [
    '00000000-0000-7000-8000-000000000001',
    '00000000-0000-7000-8000-000000000002',
  ]
  await queryUnchecked(
    database(),
    `insert into webhooks (workspace_id, id, name, target_hook_url, event_type, secret, timestamp_created, timestamp_updated)
     select id, $1, 'crm', 'https://example.com', 'all_events', '', timestamp_created, timestamp_updated
     from workspaces where name = 'default'`,
    [id],
  )
  const now = Date.now()
  const eventId = firstIdAt(new Date(now))
  await queryUnchecked(
    database(),
    `insert into events select id, $1, 'lead.interested', null, null, '{}' from workspaces where name = 'default'`,
    [eventId],
  )
  const window = [
    '--from',
    new Date(now - 1000).toISOString(),
    '--to',
    new Date(now + 1000).toISOString(),
  ]
  expect(await json('webhooks', 'replay', id, ...window)).toEqual({ queued: 1 })
  const { rows } = await queryUnchecked(
    database(),
    'select webhook_id, event_id, attempt from deliveries',
  )
  expect(rows).toEqual([{ webhook_id: id, event_id: eventId, attempt: 0 }])
  const { items } = await json('audit', 'list', '--action', 'webhook.replayed')
  expect(items).toMatchObject([{ actor_type: 'operator', subject_id: id }])
  expect((await run('webhooks', 'replay', other, ...window)).code).toBe(1)
  const day = '2026-01-31'
  for (const [options, complaint] of [
    [[], 'give --from and --to, or --delivery'],
    [[...window, '--delivery', other], '--delivery stands alone'],
    [['--from', day, '--to', day], '--to must be later than --from; a date is its first instant'],
  ] as const) {
    const { code, stderr } = await run('webhooks', 'replay', id, ...options)
    expect([code, stderr]).toEqual([2, expect.stringContaining(complaint)])
  }
  expect((await run('webhooks', 'replay', id, '--delivery', other)).code).toBe(1)
  expect((await run('webhooks', 'replay', '--help')).stdout).toMatch(
    /--from and --to,\s+which go\s+together/,
  )
})

test('webhooks list tells since when a destination fails, and leaves out the others if asked to', async () => {
  await using own = await testDatabase()
  vi.stubEnv('DATABASE_URL', own.url)
  await json('workspaces', 'list')
  await queryUnchecked(
    own,
    `insert into webhooks (workspace_id, id, name, target_hook_url, event_type, secret, timestamp_created, timestamp_updated)
     select id, gen_random_uuid(), hook.name, 'https://example.com', 'all_events', '', timestamp_created, timestamp_updated
     from workspaces, unnest(array['crm', 'erp']) as hook (name)`,
  )
  await queryUnchecked(
    own,
    `insert into webhook_lanes (workspace_id, webhook_id, failing_since)
     select workspace_id, id, '2026-03-02T08:00:00Z' from webhooks where name = 'crm'`,
  )
  const failing = { name: 'crm', failing_since: '2026-03-02T08:00:00.000Z' }
  expect((await json('webhooks', 'list', '--failing')).items).toMatchObject([failing])
  expect((await json('webhooks', 'list')).items).toHaveLength(2)
  expect((await run('webhooks', 'list')).stdout).toMatch(/crm.*2026-03-02.*https:\/\/example\.com/)
})

test('migrate brings an empty database to this version, and has then nothing to do', async () => {
  await using empty = await testDatabase()
  await queryUnchecked(empty, 'drop schema public cascade')
  await queryUnchecked(empty, 'create schema public')
  vi.stubEnv('DATABASE_URL', empty.url)
  const refused = await run('keys', 'list')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('outrider migrate') })
  expect((await json('migrate')).applied).toEqual(migrationNames())
  expect(await json('migrate')).toEqual({ applied: [] })
})

test('migrate warns of whoever is connected while it changes the tables, also who serves the API alone', async () => {
  await using updated = await testDatabase()
  vi.stubEnv('DATABASE_URL', updated.url)
  const migrateAnew = async () => {
    const name = '0144_erased_answers.sql'
    await queryUnchecked(updated, 'delete from migrations where name = $1', [name])
    return await run('migrate')
  }
  // As a process does.
  await updated.db.selectFrom('instance').select('id').execute()
  const warning = /have changed under \d connections? of Outrider: stop every process/
  expect(await migrateAnew()).toMatchObject({ code: 0, stderr: expect.stringMatching(warning) })
  expect((await run('migrate')).stderr).not.toContain('connection')
})

const misuses: string[][] = [
  [],
  ['nonsense'],
  ['keys'],
  ['keys', 'create', '--name', 'x'],
  ['keys', 'create', '--name', '', '--scopes', 'all:*'],
  ['keys', 'create', '--name', 'x\u0007', '--scopes', 'all:*'],
  ['keys', 'create', '--name', 'x', '--scopes', 'all:*,'],
  ['keys', 'create', '--name', 'x', '--scopes', 'all:*', '--surprise'],
  ['keys', 'revoke', 'nope'],
  ['inbox', 'read', 'nope'],
  ['workspaces', 'set-plan', 'default'],
  ['workspaces', 'set-plan', 'default', '--api', 'maybe'],
  ['workspaces', 'set-plan', 'default', '--rate', '-1'],
  ['labels', 'create', '--name', 'x', '--effect', 'explode'],
  ['workspaces', 'create', '--name', 'a', '--name', 'b'],
]
test.each(misuses.map((args) => [args]))(
  'a misspelt command line is refused with 2: %j',
  async (args) => {
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).not.toBe('')
  },
)

const failures: [string[], string][] = [
  [['keys', 'create', '--name', 'x', '--scopes', 'all:fly'], 'unknown scope'],
  [['keys', 'create', '--name', 'x', '--scopes', 'all:*', '--expires', '2001-01-01'], 'future'],
  [['keys', 'list', '--workspace', 'no such'], 'No such workspace; check its id or name.'],
  [['workspaces', 'create', '--name', 'default'], 'exists already'],
  [['labels', 'create', '--name', 'interested'], 'built-in'],
  [['mailboxes', 'add', '/no/such/file'], 'There is no file or folder /no/such/file.'],
  [['api'], 'outrider api needs DATABASE_URL'],
  [['runner'], 'outrider runner needs DATABASE_URL'],
]
test.each(failures)(
  'what cannot be done ends with 1 and a sentence: %j',
  async (args, sentence) => {
    const serves = args.length === 1
    if (serves) vi.stubEnv('DATABASE_URL', '')
    const { code, stdout, stderr } = await run(...args, ...(serves ? [] : ['--json']))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(sentence)
    expect(stderr).not.toMatch(/^ +at /m)
  },
)

test('every command explains itself', async () => {
  for (const command of leaves(await createProgram())) {
    const { code, stdout } = await run(...command, '--help')
    expect({ command, code }).toEqual({ command, code: 0 })
    expect(stdout).toContain(`Usage: outrider ${command.join(' ')}`)
    if (!['start', 'api', 'runner'].includes(String(command[0]))) expect(stdout).toContain('--json')
  }
})

test('a table shows no control character of a name, nor one that turns its direction', () => {
  expect(formatTable(['name', 'on'], [['\u001b[31mred', true]])).toBe(
    'NAME      ON\n\ufffd[31mred  on',
  )
  for (const turning of ['\u202a', '\u202e', '\u2066', '\u2069']) {
    expect(formatTable(['name'], [[`a${turning}b`]])).toBe('NAME\na\ufffdb')
  }
})

function leaves(command: Command): string[][] {
  return command.commands.flatMap((child) =>
    child.commands.length > 0
      ? leaves(child).map((rest) => [child.name(), ...rest])
      : [[child.name()]],
  )
}
