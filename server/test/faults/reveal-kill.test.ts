import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createKeyAsOperator } from '../../src/features/keys/index.ts'
import { ensureDefaultWorkspace } from '../../src/features/workspaces/index.ts'
import { type TestContext, testContext } from '../context.ts'
import { insertPeople } from '../directory-rows.ts'
import { patience } from '../patience.ts'
import { type ServiceProcess, type Settings, startService } from '../processes.ts'
import { answerInTurn, answerWith, hostile, startReceiver } from '../receiver.ts'

test('kill -9 in the middle of reveals leaves each whole or not begun, charged once', async () => {
  await using ctx = await testContext()
  const { settings, key, workspaceId } = await arrange(ctx)
  const people = await insertPeople(ctx, Array(600).fill({}))
  let api = await start(settings)
  const acquired = new Set<string>()
  const kill = async () => {
    api.kill('SIGKILL')
    await api.exited
    api = await start(settings)
  }
  const gate = await buildGate(ctx)
  // Each batch is cut off when a part of it has been acquired, with the others under way.
  for (let from = 0; from < people.length; from += 200) {
    await using closed = await gate.closeAfter(60)
    const asked = people.slice(from, from + 200).map(async (id) => {
      const answer = await reveal(api, key, { contact_id: id, list_name: 'killed' })
      if (answer.status === 200) acquired.add(id)
    })
    await closed.reached()
    await kill()
    await Promise.all(asked)
    await checkWhole(ctx, workspaceId, acquired)
  }
  expect(acquired.size).toBeLessThan(people.length)
  const answers = await Promise.all(
    people.map((contact_id) => reveal(api, key, { contact_id, list_name: 'killed' })),
  )
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  for (const id of people) acquired.add(id)
  const { balance } = await checkWhole(ctx, workspaceId, acquired)
  expect(balance).toBe(1000 - people.length)
})

test('kill -9 while a provider is asked costs nothing, and it is asked again with the same key', async () => {
  await using ctx = await testContext()
  const email = 'found@example.com'
  await using provider = await startReceiver(
    answerInTurn(hostile.hangBeforeHeaders(), answerWith(200, JSON.stringify({ email }))),
  )
  const { settings, key, workspaceId } = await arrange(ctx, {
    ACQUISITION_PROVIDER_URL: provider.url,
    ACQUISITION_PROVIDER_SECRET: 'secret',
  })
  const [contact_id = ''] = await insertPeople(ctx, [{ email: null }])
  const first = await start(settings)
  const cut = reveal(first, key, { contact_id })
  await provider.waitFor(1)
  first.kill('SIGKILL')
  expect((await cut).status).toBe(0)
  expect(await checkWhole(ctx, workspaceId, new Set())).toMatchObject({ balance: 1000 })

  const second = await start(settings)
  const answer = await reveal(second, key, { contact_id })
  expect(answer.body).toMatchObject({
    status: 'acquired',
    email,
    credits_charged: 1,
    balance: 999,
  })
  const keys = provider.requests.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(1)
  expect(keys).toHaveLength(2)
})

async function arrange(ctx: TestContext, more: Settings = {}) {
  const { id: workspaceId } = await ensureDefaultWorkspace(ctx)
  const { key } = await createKeyAsOperator(ctx, workspaceId, { name: 'kill', scopes: ['all:*'] })
  const settings = {
    DATABASE_URL: ctx.database.url,
    OUTRIDER_SECRET_KEY: randomBytes(32).toString('base64'),
    ...more,
  }
  return { settings, key, workspaceId }
}

/** Holds up, in the middle of its transaction, whoever acquires more contacts than are let pass. */
async function buildGate({ database: { peek, url } }: TestContext) {
  await sql`
    create table gate as select 0 as passes;
    create function wait_at_gate() returns trigger language plpgsql as $$
    begin
      if (select count(*) from acquired_contacts) >= (select passes from gate) then
        perform pg_advisory_xact_lock_shared(42);
      end if;
      return new;
    end $$;
    create trigger gate before insert on acquired_contacts
    for each row execute function wait_at_gate()`.execute(peek)
  return {
    async closeAfter(more: number) {
      const guard = new pg.Client({ connectionString: url })
      await guard.connect()
      await guard.query('select pg_advisory_lock(42)')
      await guard.query('update gate set passes = $1 + (select count(*) from acquired_contacts)', [
        more,
      ])
      const waiting = async () => {
        const { rowCount } = await guard.query(
          "select from pg_locks where not granted and locktype = 'advisory' and objid = 42",
        )
        return rowCount
      }
      return {
        reached: () => vi.waitUntil(async () => Boolean(await waiting()), patience),
        [Symbol.asyncDispose]: () => guard.end(),
      }
    },
  }
}

async function start(settings: Settings): Promise<ServiceProcess> {
  const service = startService('api', settings)
  onTestFinished(() => service[Symbol.asyncDispose]())
  await service.logged('started')
  return service
}

/** Status 0: the process was killed before it answered. */
async function reveal(api: ServiceProcess, key: string, body: object) {
  try {
    const response = await fetch(`${await api.address()}/api/v1/leadbank/acquire_email`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: await response.json() }
  } catch {
    return { status: 0, body: undefined }
  }
}

/** Contacts, ledger, balance, events and lists tell of the same reveals, and of all that were answered. */
async function checkWhole(ctx: TestContext, workspaceId: string, answered: Set<string>) {
  const { peek } = ctx.database
  const contacts = await peek.selectFrom('acquired_contacts').selectAll().execute()
  const entries = await peek.selectFrom('credit_entries').selectAll().execute()
  const [account] = await peek.selectFrom('credit_balances').selectAll().execute()
  const events = await peek.selectFrom('events').select('lead_email').execute()
  const listed = await peek.selectFrom('acquire_list_entries').select('contact_id').execute()
  const lists = await peek.selectFrom('acquire_lists').select('lead_count').execute()

  const ids = contacts.map((contact) => contact.contact_id).sort()
  const charges = entries.filter((entry) => entry.kind === 'charge')
  expect(charges.map((charge) => charge.contact_id).sort()).toEqual(ids)
  expect(new Set(charges.map(({ id }) => id))).toEqual(
    new Set(contacts.map((contact) => contact.charge_id)),
  )
  expect(events.map((event) => event.lead_email).sort()).toEqual(
    contacts.map((contact) => contact.email).sort(),
  )
  expect([...answered].filter((id) => !ids.includes(id))).toEqual([])
  if (lists.length > 0) {
    expect(listed.map((entry) => entry.contact_id).sort()).toEqual(ids)
    expect(lists).toEqual([{ lead_count: ids.length }])
  }
  const sum = entries.reduce((total, entry) => total + entry.amount, 0)
  const balance = account?.balance ?? 1000
  if (account) expect(balance).toBe(sum)
  expect(entries.every((entry) => entry.workspace_id === workspaceId)).toBe(true)
  return { balance }
}
