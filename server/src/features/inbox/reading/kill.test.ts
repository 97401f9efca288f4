import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, type Inbox, letter, testInbox } from '../../../../test/inbox.ts'
import { patience } from '../../../../test/patience.ts'
import { makeDataDir, startService } from '../../../../test/processes.ts'
import { createSecretBox } from '../../../kernel/crypto.ts'

const secretKey = randomBytes(32)
const mails = 250
let inbox: Inbox
let dataDir: string
beforeAll(async () => {
  inbox = await testInbox()
  inbox.ctx.secrets = createSecretBox([secretKey])
})
afterAll(() => inbox[Symbol.asyncDispose]())

const startRunner = () =>
  startService('runner', {
    DATABASE_URL: inbox.ctx.database.url,
    DATA_DIR: dataDir,
    OUTRIDER_SECRET_KEY: secretKey.toString('base64'),
    LEASE_MS: '1500',
  })

const count = async (table: 'messages' | 'events', where: string) => {
  const { peek } = inbox.ctx.database
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} where ${sql.raw(where)}`.execute(peek)
  return rows[0]?.count ?? 0
}

/** From now on a batch waits before its end, once so many mails are stored. */
const waitFrom = (stored: number) =>
  sql`update gate set stored = ${stored}`.execute(inbox.ctx.database.peek)

async function buildGate() {
  const { peek } = inbox.ctx.database
  await sql`create table gate as select 0 as stored`.execute(peek)
  await sql`
    create function wait_at_gate() returns trigger language plpgsql as $$
    begin
      if (select count(*) from messages where direction = 'in') >= (select stored from gate) then
        perform pg_advisory_xact_lock_shared(42);
      end if;
      return new;
    end $$`.execute(peek)
  await sql`
    create trigger gate before insert or update on mailbox_folders
    for each row when (new.folder = 'INBOX') execute function wait_at_gate()`.execute(peek)
}

/** Killed when it has done everything for a batch, and only has to note and to commit it. */
const killAtGate = (stored: number) =>
  inbox.ctx.database.peek.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(42)`.execute(tx)
    await waitFrom(stored)
    await using runner = startRunner()
    await expect.poll(waitingAtGate, patience).toBe(1)
    runner.kill('SIGKILL')
    await runner.exited
  })

async function waitingAtGate() {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_locks
    where not granted and locktype = 'advisory' and objid = 42`.execute(inbox.ctx.database.peek)
  return rows[0]?.waiting
}

test('kill -9 in the middle of reading: every mail has its effect, and once', async () => {
  dataDir = await makeDataDir()
  const people = Array.from({ length: mails }, (_, n) => `person${n}@lead.example`)
  await inbox.contact(people)
  for (const [n, from] of people.entries()) {
    inbox.arrive(letter({ from, headers: n % 2 === 0 ? [`Message-ID: <${n}@lead.example>`] : [] }))
  }
  await buildGate()
  await killAtGate(1)
  expect(await count('messages', "direction = 'in'")).toBe(0)
  await killAtGate(150)
  const stored = await count('messages', "direction = 'in'")
  expect(stored).toBeGreaterThan(0)
  expect(stored).toBeLessThan(150)
  await waitFrom(mails + 1)
  {
    const { peek, hear, until } = inbox.ctx.database
    await hear('mailbox_folders')
    await using _runner = startRunner()
    const uidNext = inbox.store.find(address)?.folders.get('INBOX')?.uidNext ?? 0
    await until(async () => {
      const rows = await peek.selectFrom('mailbox_folders').selectAll().execute()
      return Number(rows.find(({ folder }) => folder === 'INBOX')?.next_uid) === uidNext
    })
  }
  expect(await count('messages', "direction = 'in'")).toBe(mails)
  expect(await count('events', "type = 'lead.replied'")).toBe(mails)
  const leads = await inbox.ctx.database.peek
    .selectFrom('leads')
    .select(['email_reply_count', 'stop_reason'])
    .execute()
  expect(leads).toEqual(people.map(() => ({ email_reply_count: 1, stop_reason: 'replied' })))
})
