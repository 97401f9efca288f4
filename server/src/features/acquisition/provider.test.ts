import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { insertCompany, insertPeople, insertPerson } from '../../../test/directory-rows.ts'
import { patience } from '../../../test/patience.ts'
import {
  type Answer,
  answerInTurn,
  answerWith,
  hostile,
  startReceiver,
} from '../../../test/receiver.ts'
import { createSignal } from '../../../test/signal.ts'
import { inWorkspace } from '../../kernel/context.ts'
import { insertInstance } from '../../kernel/db/instance.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { AppError } from '../../kernel/errors.ts'
import { optOut } from '../directory/index.ts'
import { confirmRestore, holdSending } from '../sending/index.ts'
import { erasedEntry, suppress } from '../suppression/index.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { acquireEmail } from './acquire-email.ts'
import { getBalance } from './credits.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx[Symbol.asyncDispose]())

const secret = 'provider-secret'

/** A provider that answers like this, a workspace, and its reveals. Pauses take no time. */
async function startProvider(answer: Answer, timeoutMs = 500) {
  const receiver = await startReceiver(answer)
  const workspaceId = (await createWorkspace(ctx, `provider ${ctx.newId()}`)).id
  const pausesMs: number[] = []
  const own = {
    ...ctx,
    config: { ...ctx.config, acquisitionProvider: { url: receiver.url, secret, timeoutMs } },
    sleep: async (ms: number) => void pausesMs.push(ms),
  }
  return {
    receiver,
    pausesMs,
    workspaceId,
    // As requests have them: each its own.
    acquire: (contact_id: string, by = workspaceId) =>
      acquireEmail(inWorkspace(own, by), by, { contact_id }, null),
    balance: async () => (await getBalance(own, workspaceId)).balance,
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

const json = (body: unknown, status = 200) => answerWith(status, JSON.stringify(body))
const found = json({ email: 'ada@engine.example', email_status: 'verified' })
const unknownPerson = () => insertPerson(ctx, { email: null })

test('is sent who is asked for, the secret and a key, and what it finds is charged', async () => {
  await using provider = await startProvider(found)
  const company_id = await insertCompany(ctx, { name: 'Analytical', domain: 'engine.example' })
  const contact_id = await insertPerson(ctx, { email: null, company_id, title: 'Countess' })
  expect(await provider.acquire(contact_id)).toMatchObject({
    status: 'acquired',
    email: 'ada@engine.example',
    email_status: 'verified',
    confidence: null,
    credits_charged: 1,
  })
  const request = await provider.receiver.next()
  expect(request.headers).toMatchObject({
    authorization: `Bearer ${secret}`,
    'content-type': 'application/json',
    'idempotency-key': `${provider.workspaceId}:${contact_id}`,
    'user-agent': `Outrider/${ctx.config.version}`,
  })
  expect(JSON.parse(request.body.toString())).toEqual({
    contact_id,
    first_name: 'Ada',
    last_name: 'Lovelace',
    title: 'Countess',
    city: null,
    country: null,
    linkedin_url: null,
    company: { name: 'Analytical', domain: 'engine.example' },
  })
})

test('is not asked for what the directory knows, what was acquired, or what cannot be paid', async () => {
  await using provider = await startProvider(found)
  const [known, acquired, unpaid] = await insertPeople(ctx, [{}, { email: null }, { email: null }])
  await provider.acquire(known ?? '')
  await provider.acquire(acquired ?? '')
  await provider.acquire(acquired ?? '')
  await ctx.database.peek
    .updateTable('credit_balances')
    .set({ balance: 0, used: 100 })
    .where('workspace_id', '=', provider.workspaceId)
    .execute()
  await expect(provider.acquire(unpaid ?? '')).rejects.toMatchObject({
    code: 'insufficient_credits',
  })
  expect(provider.receiver.requests).toHaveLength(1)
})

test('is asked for no more at once than the workspace can pay', async () => {
  const answering = Promise.withResolvers<void>()
  await using provider = await startProvider(async (request, response) => {
    await answering.promise
    await found(request, response)
  }, 60_000)
  await provider.balance()
  await ctx.database.peek
    .updateTable('credit_balances')
    .set({ balance: 1, used: 99 })
    .where('workspace_id', '=', provider.workspaceId)
    .execute()
  const people = await insertPeople(
    ctx,
    Array.from({ length: 30 }, () => ({ email: null })),
  )
  let refused = 0
  const all = Promise.all(
    people.map((id) =>
      provider.acquire(id).then(
        ({ status }) => status,
        ({ code }: AppError) => {
          refused += 1
          return code
        },
      ),
    ),
  )
  await vi.waitFor(() => {
    expect(refused + provider.receiver.requests.length).toBe(people.length)
  }, patience)
  answering.resolve()
  expect((await all).sort()).toEqual(['acquired', ...Array(29).fill('insufficient_credits')])
  expect(provider.receiver.requests).toHaveLength(1)
})

const unusable = { code: 'unavailable', headers: { 'retry-after': '30' } }

const findings: [string, unknown, object][] = [
  ['no address', { email: null }, { status: 'not_found' }],
  ['a status of its own', { email: 'a@b.example', email_status: 'sure' }, unusable],
  ['no status', { email: 'a@b.example' }, { status: 'acquired', email_status: 'unknown' }],
  ['more than asked', { email: 'a@b.example', cost: 3 }, { status: 'acquired' }],
  ['no e-mail address', { email: 'ada' }, unusable],
  ['a list', [{ email: 'a@b.example' }], unusable],
  ['nothing about it', {}, unusable],
  ['a number', { email: 7 }, unusable],
  ['a long story', { email: 'a@b.example', x: 'x'.repeat(2000) }, unusable],
]
test.each(findings)('that answers %s is taken at its word', async (_what, body, expected) => {
  await using provider = await startProvider(json(body))
  const answer = provider.acquire(await unknownPerson()).catch((error: unknown) => error)
  expect(await answer).toMatchObject(expected)
  expect(provider.receiver.requests).toHaveLength(1)
  const charged = 'acquired' in expected || Object.values(expected).includes('acquired')
  expect(await provider.balance()).toBe(charged ? 99 : 100)
})

const hopeless: [string, Answer, number][] = [
  ['garbage', answerWith(200, '<html>'), 1],
  ['binary garbage', answerWith(200, Buffer.from([0xff, 0xfe, 0])), 1],
  ['an empty body', answerWith(200), 1],
  ['401', answerWith(401), 1],
  ['a redirect', hostile.redirectTo('http://127.0.0.1:1/'), 1],
  ['500 for ever', answerWith(500), 3],
  ['429 for ever', answerWith(429), 3],
  ['429 for an hour', answerWith(429, '', { 'retry-after': '3600' }), 1],
  ['a reset', hostile.resetBeforeHeaders(), 3],
  ['half a body', hostile.resetMidBody(), 3],
  ['another protocol', hostile.notHttp(), 3],
]
describe('that fails costs nothing, and whoever asks is told to ask again', () => {
  test.each(hopeless)('%s', async (_what, answer, requests) => {
    await using provider = await startProvider(answer)
    await expect(provider.acquire(await unknownPerson())).rejects.toMatchObject(unusable)
    expect(await provider.balance()).toBe(100)
    expect(provider.receiver.requests).toHaveLength(requests)
  })

  test('a hang, at every stage', async () => {
    for (const answer of [
      hostile.hangBeforeHeaders(),
      hostile.hangAfterHeaders(),
      hostile.drip(20),
    ]) {
      await using provider = await startProvider(answer, 100)
      await expect(provider.acquire(await unknownPerson())).rejects.toMatchObject(unusable)
      expect(provider.receiver.requests).toHaveLength(3)
      expect(await provider.balance()).toBe(100)
    }
  })
})

test('that hangs for one workspace answers the others', async () => {
  const busy = (): string => provider.workspaceId
  const hanging = Promise.withResolvers<void>()
  const received = createSignal()
  let hung = 0
  await using provider = await startProvider(async (request, response) => {
    if (request.headers['idempotency-key']?.includes(busy())) {
      hung += 1
      received.raise()
      await hanging.promise
    }
    await found(request, response)
  }, 60_000)
  const people = await insertPeople(
    ctx,
    Array.from({ length: 70 }, () => ({ email: null })),
  )
  const all = Promise.all(people.map((id) => provider.acquire(id)))
  await received.until(() => hung >= 48)
  const other = (await createWorkspace(ctx, `beside ${ctx.newId()}`)).id
  expect(await provider.acquire(await unknownPerson(), other)).toMatchObject({ status: 'acquired' })
  hanging.resolve()
  expect(await all).toHaveLength(70)
})

describe('that charges', () => {
  test('gets the same key on every attempt at a reveal, and in a later one', async () => {
    await using provider = await startProvider(
      answerInTurn(answerWith(503), hostile.resetBeforeHeaders(), json({ email: null }), found),
    )
    const contact_id = await unknownPerson()
    expect(await provider.acquire(contact_id)).toMatchObject({ status: 'not_found' })
    expect(await provider.acquire(contact_id)).toMatchObject({ status: 'acquired' })
    const keys = provider.receiver.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(4)
    expect(new Set(keys).size).toBe(1)
    expect(provider.pausesMs).toHaveLength(2)
  })

  test('is asked once by requests for one contact at the same time', async () => {
    await using provider = await startProvider(found)
    const contact_id = await unknownPerson()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => provider.acquire(contact_id)),
    )
    expect(provider.receiver.requests).toHaveLength(1)
    const charged = answers.map(({ credits_charged }) => credits_charged)
    expect(charged.sort()).toEqual([...Array(9).fill(0), 1])
    expect(await provider.balance()).toBe(99)
  })

  test('waits as long as it is asked to, within reason', async () => {
    const busy = answerWith(429, '', { 'retry-after': '2' })
    await using provider = await startProvider(answerInTurn(busy, found))
    expect(await provider.acquire(await unknownPerson())).toMatchObject({ status: 'acquired' })
    expect(provider.pausesMs).toEqual([2000])
  })
})

test('that finds the address of somebody who asked to be removed reveals nothing', async () => {
  await using provider = await startProvider(json({ email: 'Removed@Person.example' }))
  await optOut(ctx, 'removed@person.example')
  await expect(provider.acquire(await unknownPerson())).rejects.toMatchObject({
    code: 'not_eligible',
  })
  expect(await provider.balance()).toBe(100)
})

test('is not told of somebody who asked to be removed, and whom a backup brought back', async () => {
  await using provider = await startProvider(found)
  await optOut(ctx, 'restored@person.example', [], ['l:in/restored'])
  const contact_id = await insertPerson(ctx, { email: null, key: 'l:in/restored' })
  await expect(provider.acquire(contact_id)).rejects.toMatchObject({ code: 'not_eligible' })
  expect(provider.receiver.requests).toHaveLength(0)
})

test.each([
  ['meanwhile@person.example', 'by their address'],
  ['meanwhile.example', 'with their company'],
])('reveals nobody by another address who was removed meanwhile: %s, %s', async (who) => {
  const known = { contact: '' }
  await using provider = await startProvider(async (request, response) => {
    await optOut(ctx, who, [known.contact])
    await found(request, response)
  })
  known.contact = await unknownPerson()
  await expect(provider.acquire(known.contact)).rejects.toMatchObject({ code: 'not_eligible' })
  expect(provider.receiver.requests).toHaveLength(1)
  expect(await provider.balance()).toBe(100)
})

test('reveals nobody who was erased from the workspace', async () => {
  await using provider = await startProvider(found)
  const own = inWorkspace(ctx, provider.workspaceId)
  const value = erasedEntry('ada@engine.example')
  const entry = { kind: 'address', value, reason: 'unsubscribed', campaignId: null } as const
  await transaction(own, (tx) => suppress(tx, provider.workspaceId, [entry]))
  await expect(provider.acquire(await unknownPerson())).rejects.toMatchObject({
    code: 'not_eligible',
  })
  expect(await provider.balance()).toBe(100)
})

test('may be right about somebody who asks to be removed later', async () => {
  await using provider = await startProvider(json({ email: 'later@person.example' }))
  const contact_id = await unknownPerson()
  expect(await provider.acquire(contact_id)).toMatchObject({ status: 'acquired' })
  await optOut(ctx, 'later@person.example')
  await expect(provider.acquire(contact_id)).rejects.toMatchObject({ code: 'not_eligible' })
})

test('is asked nothing by a database that is held after a restore, and is once that is confirmed', async () => {
  await using provider = await startProvider(found)
  await insertInstance(ctx.db, {
    ...{ id: ctx.newId(), secret_key_id: ctx.secrets.keyId, timestamp_created: ctx.now() },
  })
  await holdSending(ctx)
  const contact_id = await unknownPerson()
  await expect(provider.acquire(contact_id)).rejects.toMatchObject({ code: 'not_ready' })
  expect(provider.receiver.requests).toEqual([])
  await confirmRestore(ctx)
  expect(await provider.acquire(contact_id)).toMatchObject({ status: 'acquired' })
})

test('that does not know the person says so with a 404', async () => {
  await using provider = await startProvider(answerWith(404))
  expect(await provider.acquire(await unknownPerson())).toMatchObject({ status: 'not_found' })
  expect(await provider.balance()).toBe(100)
})

test('is guarded like any address that this service connects to', async () => {
  const { createOutboundHttp } = await import('../../kernel/outbound/index.ts')
  await using receiver = await startReceiver(found)
  const http = createOutboundHttp({ policy: { mode: 'public', allow: [] } })
  const config = {
    ...ctx.config,
    acquisitionProvider: { url: receiver.url, secret, timeoutMs: 500 },
  }
  const { id } = await createWorkspace(ctx, `guarded ${ctx.newId()}`)
  const contact_id = await unknownPerson()
  const answer = acquireEmail({ ...ctx, config, http }, id, { contact_id }, null)
  await expect(answer).rejects.toMatchObject(unusable)
  await http.close()
  expect(receiver.requests).toHaveLength(0)
})

test('what went wrong is logged without the person, the secret or an address', async () => {
  const lines = ctx.logLines.filter((line) => line.includes('acquisition provider'))
  expect(lines.length).toBeGreaterThan(20)
  expect(lines.filter((line) => /@|Lovelace|provider-secret|127\.0/.test(line))).toEqual([])
})
