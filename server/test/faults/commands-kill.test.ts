import { randomBytes } from 'node:crypto'
import { existsSync, watch } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../database.ts'
import { startOutreach } from '../outreach.ts'
import { patience } from '../patience.ts'
import {
  makeDataDir,
  makeDataDirWithDatabase,
  operatorJson,
  runOperator,
  type Settings,
  startOperator,
  startService,
} from '../processes.ts'
import { tablesWith } from '../tables-with.ts'

const newKey = () => randomBytes(32).toString('base64')

const settingsOf = async ({ url }: TestDatabase) => ({
  ...{ DATABASE_URL: url, DATA_DIR: await makeDataDir(), OUTRIDER_SECRET_KEY: newKey() },
})

/** Kills a command once it waits for what `hold` has locked. */
async function killWaiting(
  database: TestDatabase,
  args: string[],
  settings: Settings,
  hold: ReturnType<typeof sql>,
) {
  await database.peek.transaction().execute(async (tx) => {
    await hold.execute(tx)
    await using command = startOperator(args, settings)
    await database.untilWaiting()
    command.kill('SIGKILL')
    expect(await command.exited).toMatchObject({ signal: 'SIGKILL' })
    // Its session ends when it is noticed; until then its statement waits on.
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(tx)
  })
}

/** Kills a command once a file or folder of this name has appeared. */
async function killOnceThere(folder: string, name: string, args: string[], settings: Settings) {
  const { promise: appeared, resolve } = Promise.withResolvers<void>()
  const watching = watch(folder, () => {
    if (existsSync(join(folder, name))) resolve()
  })
  await using command = startOperator(args, settings)
  await appeared
  command.kill('SIGKILL')
  watching.close()
  expect(await command.exited).toEqual({ code: null, signal: 'SIGKILL' })
}

async function addMailboxes(settings: Settings, names: string[]) {
  for (const name of names) {
    const login = {
      ...{ host: 'mail.example.com', port: 1, security: 'tls', username: name, password: 'b' },
    }
    const file = join(await makeDataDir(), 'mailbox.json')
    await writeFile(
      file,
      JSON.stringify({ address: `${name}@a.example`, smtp: login, imap: login }),
    )
    await operatorJson(['mailboxes', 'add', file], settings)
  }
}

test('secrets reseal that is killed leaves every secret open, and goes on when it is run again', async () => {
  await using database = await testDatabase()
  const [old, next] = [newKey(), newKey()]
  const settings = { ...(await settingsOf(database)), OUTRIDER_SECRET_KEY: old }
  await addMailboxes(settings, ['anna', 'bert', 'cleo'])
  const both = { ...settings, OUTRIDER_SECRET_KEY: `${next},${old}` }
  const hold = sql`select from mailboxes where address = 'bert@a.example' for update`
  await killWaiting(database, ['secrets', 'reseal'], both, hold)
  const { items } = await operatorJson(['secrets', 'list'], both)
  expect(items).toMatchObject([{ opens: true }, { opens: true }])
  expect(items[0].count + items[1].count).toBe(3)
  const again = await operatorJson(['secrets', 'reseal'], both)
  expect(again).toMatchObject({ unreadable: 0 })
  expect(again.resealed).toBeGreaterThan(0)
  const alone = await operatorJson(['secrets', 'list'], { ...settings, OUTRIDER_SECRET_KEY: next })
  expect(alone.items).toMatchObject([{ count: 3, opens: true }])
})

test('leads erase that is killed has stopped the person, and the service finishes it', async () => {
  await using database = await testDatabase()
  const settings = { ...(await settingsOf(database)), LEASE_MS: '1500' }
  const person = 'ada@lead.example'
  await using api = startService('api', settings)
  const address = await api.address()
  await operatorJson(['workspaces', 'create', '--name', 'second'], settings)
  const add = async (workspace: string) => {
    const create = ['keys', 'create', '--name', 'x', '--scopes', 'all:*', '--workspace', workspace]
    const { key } = await operatorJson(create, settings)
    return async () => {
      const post = async (path: string, body: object) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const made = await fetch(`${address}/api/v2/${path}`, {
          ...{ method: 'POST', headers, body: JSON.stringify(body) },
        })
        return (await made.json()) as { id: string; created_leads?: unknown[] }
      }
      const { id } = await post('campaigns', { name: 'x' })
      return (await post('lead/add', { campaign_id: id, leads: [{ email: person }] })).created_leads
    }
  }
  const adders = [await add('default'), await add('second')]
  for (const addPerson of adders) expect(await addPerson()).toHaveLength(1)
  // Where the first of the second workspace's records would be changed.
  await sql`create function wait() returns trigger language plpgsql as $$ begin
    if exists (select from audit_log where action = 'lead.erased') then
      perform pg_advisory_xact_lock(1);
    end if;
    return new;
  end $$`.execute(database.peek)
  await sql`create trigger wait before update on leads for each row
    when (new.email is distinct from old.email) execute function wait()`.execute(database.peek)
  const erase = ['leads', 'erase', person, '--yes']
  await killWaiting(database, erase, settings, sql`select pg_advisory_xact_lock(1)`)
  const leads = await database.peek
    .selectFrom('leads')
    .select(['email', 'sending_state'])
    .where('email', '=', person)
    .execute()
  // Of two workspaces one is done.
  expect(leads).toEqual([{ email: person, sending_state: 'stopped' }])
  for (const addPerson of adders) expect((await addPerson()) ?? []).toEqual([])
  await sql`drop trigger wait on leads`.execute(database.peek)
  await using runner = startService('runner', settings)
  await vi.waitFor(async () => {
    const open = database.peek.selectFrom('erasures').select('id').where('state', '=', 'running')
    expect(await open.execute()).toEqual([])
  }, patience)
  expect(await tablesWith(database.peek, person)).toEqual([])
  runner.kill('SIGTERM')
  expect(await runner.exited).toMatchObject({ code: 0 })
})

test('people who are erased while mails go out are nowhere, and all others get their mail once', async () => {
  await using database = await testDatabase()
  const settings = await settingsOf(database)
  const people = Array.from({ length: 300 }, (_, number) => `p${number}@lead.example`)
  const erased = people.filter((_, index) => index % 60 === 30)
  // Deliveries that name them are under way until all are erased.
  const done = Promise.withResolvers<void>()
  await using outreach = await startOutreach({
    async answer({ body }, response) {
      if (erased.some((person) => body.includes(person))) await done.promise
      response.end()
    },
  })
  const { outbox, receiver } = outreach
  await using service = startService('main', settings)
  const api = await outreach.setUp(service, settings)
  await api.addLeads(people)
  const told = () => receiver.requests.some(({ body }) => body.includes(erased[0] ?? ''))
  await vi.waitFor(() => expect(told()).toBe(true), patience)
  for (const person of erased) {
    await vi.waitFor(async () => {
      const { code, stderr } = await runOperator(['leads', 'erase', person, '--yes'], settings)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    }, patience)
  }
  done.resolve()
  const others = people.filter((person) => !erased.includes(person))
  const count = (person: string) => outbox.mails.filter(({ to }) => to === person).length
  await vi.waitFor(() => expect(others.map(count)).toEqual(others.map(() => 1)), patience)
  for (const person of erased) expect(count(person)).toBeLessThanOrEqual(1)
  service.kill('SIGTERM')
  expect(await service.exited).toEqual({ code: 0, signal: null })
  for (const person of erased) expect(await tablesWith(database.peek, person)).toEqual([])
  expect(service.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([])
})

test('a hand-over that is killed between leads and conversations is ended when it is run again', async () => {
  await using database = await testDatabase()
  const settings = await settingsOf(database)
  await using outreach = await startOutreach()
  {
    await using service = startService('main', settings)
    const api = await outreach.setUp(service, settings)
    await api.addLeads(['ada@lead.example'])
    await vi.waitFor(async () => {
      const sent = database.peek.selectFrom('sends').select('id').where('state', '=', 'sent')
      expect(await sent.execute()).toHaveLength(1)
    }, patience)
    service.kill('SIGTERM')
    expect(await service.exited).toMatchObject({ code: 0 })
  }
  await addMailboxes(settings, ['bert'])
  const { peek } = database
  // The lead asked for some patience, so there is a conversation.
  await sql`
    insert into threads (
      workspace_id, id, campaign_id, mailbox_id, last_message_id, sort_id, kind, from_address,
      subject, snippet, unread, timestamp_created, timestamp_updated
    )
    select workspace_id, id, campaign_id, mailbox_id, id, id, 'auto_reply', email,
      'Re: Hello', 'Soon.', true, now(), now()
    from leads`.execute(peek)
  const handOver = [
    ...['campaigns', 'hand-over', '--from', 'anna@example.com', '--to', 'bert@a.example', '--yes'],
  ]
  await killWaiting(database, handOver, settings, sql`select from threads for update`)
  const mailboxes = async () => {
    const { rows } = await sql`
      select lm.address as lead, tm.address as thread from leads l
      join threads t on t.workspace_id = l.workspace_id and t.id = l.id
      join mailboxes lm on lm.workspace_id = l.workspace_id and lm.id = l.mailbox_id
      join mailboxes tm on tm.workspace_id = l.workspace_id and tm.id = t.mailbox_id`.execute(peek)
    return rows
  }
  expect(await mailboxes()).toEqual([{ lead: 'bert@a.example', thread: 'anna@example.com' }])
  expect(await operatorJson(handOver, settings)).toMatchObject({ moved: 0, left: 0 })
  expect(await mailboxes()).toEqual([{ lead: 'bert@a.example', thread: 'bert@a.example' }])
})

test('backup create and restore that are killed leave nothing that looks whole, and finish when they are run again', async () => {
  const DATA_DIR = await makeDataDirWithDatabase()
  await using service = startService('main', { DATA_DIR })
  await service.address()
  const { id } = await operatorJson(['workspaces', 'create', '--name', 'kept'], { DATA_DIR })
  const folder = await makeDataDir()
  const file = join(folder, 'backup.tar')
  const create = ['backup', 'create', file]
  await killOnceThere(folder, 'backup.tar.partial', create, { DATA_DIR })
  expect(await readdir(folder)).toEqual(['backup.tar.partial'])
  await operatorJson(create, { DATA_DIR })
  expect(await readdir(folder)).toEqual(['backup.tar'])
  await operatorJson(['backup', 'verify', file], {})

  const settings = { DATA_DIR: await makeDataDir() }
  const restore = ['backup', 'restore', file]
  await killOnceThere(settings.DATA_DIR, 'restoring', restore, settings)
  expect(await readdir(settings.DATA_DIR)).not.toContain('postgres')
  await using early = startService('main', settings)
  expect(await early.exited).toMatchObject({ code: 1 })
  expect(early.errors()).toContain(
    'was broken off: run the same "npx outrider backup restore FILE"',
  )
  await operatorJson(restore, settings)
  expect((await readdir(settings.DATA_DIR)).toSorted()).toEqual(['postgres', 'secret.key'])
  await using restored = startService('main', settings)
  await restored.address()
  const { items } = await operatorJson(['workspaces', 'list'], settings)
  expect(items.map((workspace: { id: string }) => workspace.id)).toContain(id)
})
