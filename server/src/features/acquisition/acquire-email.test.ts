import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Answer, type TestApi, testApi } from '../../../test/app.ts'
import { insertCompany, insertPeople, insertPerson } from '../../../test/directory-rows.ts'
import { answerInTurn, answerWith, startReceiver } from '../../../test/receiver.ts'
import { optOut } from '../directory/index.ts'
import { createWorkspace } from '../workspaces/index.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const path = '/api/v1/leadbank/acquire_email'
const acquire = (body: object, more: object = {}) => api.call('POST', path, { body, ...more })
const balance = async (key = api.key): Promise<Answer['body']> =>
  (await api.call('GET', '/api/v1/leadbank/balance/get', { key })).body
const lists = async () => (await api.call('GET', '/api/v1/leadbank/acquire-lists')).body.items

/** A workspace of its own, with this many credits left. */
async function workspaceWith(credits: number) {
  const { id } = await createWorkspace(api.ctx, `with ${api.ctx.newId()}`)
  const key = await api.createKey(['all:*'], id)
  await balance(key)
  await api.ctx.database.peek
    .updateTable('credit_balances')
    .set({ balance: credits, used: 100 - credits })
    .where('workspace_id', '=', id)
    .execute()
  return { id, key }
}

const ledgerOf = (workspaceId: string) =>
  api.ctx.database.peek
    .selectFrom('credit_entries')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute()

describe('a reveal', () => {
  test('answers the address and what it cost, and enters the charge with its request', async () => {
    const contact_id = await insertPerson(api.ctx, { email: 'Ada@Example.com' })
    const before = (await balance()).balance
    const answer = await acquire({ contact_id }, { headers: { 'x-request-id': 'reveal-1' } })
    expect(answer).toMatchObject({ status: 200, headers: { 'x-request-id': 'reveal-1' } })
    expect(answer.body).toEqual({
      contact_id,
      status: 'acquired',
      email: 'Ada@Example.com',
      email_status: 'verified',
      confidence: null,
      list_id: null,
      credits_charged: 1,
      balance: before - 1,
    })
    expect((await ledgerOf(api.workspaceId)).at(-1)).toMatchObject({
      kind: 'charge',
      amount: -1,
      request_id: 'reveal-1',
      contact_id,
    })
    expect(await balance()).toMatchObject({ balance: before - 1 })
  })

  test('is charged once: asking again is free and answers the same, in any spelling of the id', async () => {
    const contact_id = await insertPerson(api.ctx)
    const { body: first } = await acquire({ contact_id })
    const { body: again } = await acquire({ contact_id: contact_id.toUpperCase() })
    expect(again).toEqual({ ...first, credits_charged: 0 })
  })

  test('is charged to each workspace by itself', async () => {
    const contact_id = await insertPerson(api.ctx)
    const stranger = await api.createStranger()
    await acquire({ contact_id })
    const { body } = await acquire({ contact_id }, { key: stranger.key })
    expect(body).toMatchObject({ credits_charged: 1, balance: 99 })
  })

  test('sends an event with the address, in the same transaction', async () => {
    const company_id = await insertCompany(api.ctx, {
      name: 'Analytical',
      domain: 'engine.example',
    })
    const contact_id = await insertPerson(api.ctx, { company_id, email: 'ada@engine.example' })
    await acquire({ contact_id, list_name: 'Events' })
    const events = await api.ctx.database.peek
      .selectFrom('events')
      .select(['type', 'lead_email', 'body'])
      .where('lead_email', '=', 'ada@engine.example')
      .execute()
    expect(events).toMatchObject([{ type: 'contact.acquired' }])
    expect(JSON.parse(events[0]?.body ?? '')).toMatchObject({
      type: 'contact.acquired',
      campaign_id: null,
      lead_email: 'ada@engine.example',
      data: {
        contact: {
          contact_id,
          first_name: 'Ada',
          email: 'ada@engine.example',
          company: { company_id, name: 'Analytical', domain: 'engine.example' },
        },
        list: { name: 'Events' },
        credits_charged: 1,
      },
    })
  })

  test('keeps what was paid for when the directory forgets it', async () => {
    const contact_id = await insertPerson(api.ctx)
    const { body: first } = await acquire({ contact_id })
    await api.ctx.database.peek
      .deleteFrom('directory_contacts')
      .where('id', '=', contact_id)
      .execute()
    expect((await acquire({ contact_id })).body).toEqual({ ...first, credits_charged: 0 })
  })

  test.each([
    ['verified', 'verified'],
    ['likely', 'likely'],
    ['guessed by a vendor', 'unknown'],
    [null, 'unknown'],
  ])('of an address that the directory calls %s is %s', async (stored, shown) => {
    const contact_id = await insertPerson(api.ctx, { email_status: stored })
    expect((await acquire({ contact_id })).body.email_status).toBe(shown)
  })
})

describe('nobody is revealed', () => {
  test('who has no address to ask for', async () => {
    const contact_id = await insertPerson(api.ctx, { has_email: false })
    const before = await balance()
    expect(await acquire({ contact_id })).toMatchObject({
      status: 409,
      body: { code: 'not_eligible', details: [{ path: '/contact_id' }] },
    })
    expect(await balance()).toEqual(before)
  })

  test('who asked to be removed, before or after a reveal, by address or by domain', async () => {
    const [first, second, third] = await insertPeople(api.ctx, [
      { email: 'first@gone.example' },
      { email: 'second@gone.example' },
      { email: 'third@gone-domain.example' },
    ])
    expect((await acquire({ contact_id: first, list_name: 'Gone' })).status).toBe(200)
    expect((await acquire({ contact_id: third })).status).toBe(200)
    await optOut(api.ctx, 'first@gone.example')
    await optOut(api.ctx, 'second@gone.example')
    await optOut(api.ctx, 'gone-domain.example')
    const before = await balance()
    for (const contact_id of [first, second, third]) {
      const answer = await acquire({ contact_id, list_name: 'Gone' })
      expect(answer).toMatchObject({ status: 409, body: { code: 'not_eligible' } })
      expect(JSON.stringify(answer.body)).not.toMatch(/gone/i)
    }
    expect(await balance()).toEqual(before)

    const [{ id, lead_count }] = (await lists()).filter(
      ({ name }: { name: string }) => name === 'Gone',
    )
    expect(lead_count).toBe(1)
    const { body } = await api.call('GET', `/api/v1/leadbank/acquire-lists/${id}/leads`)
    expect(body.items).toMatchObject([{ contact_id: first, opted_out: true, email: null }])
    expect(JSON.stringify(body)).not.toMatch(/gone|ada/i)
  })

  test('who asked to be removed after the directory forgot them', async () => {
    const contact_id = await insertPerson(api.ctx, { email: 'forgotten@gone.example' })
    await acquire({ contact_id })
    await api.ctx.database.peek
      .deleteFrom('directory_contacts')
      .where('id', '=', contact_id)
      .execute()
    await optOut(api.ctx, 'forgotten@gone.example')
    expect((await acquire({ contact_id })).body.code).toBe('not_eligible')
  })

  test('whom the directory does not know', async () => {
    const answer = await acquire({ contact_id: api.ctx.newId() })
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  test('when no credits are left, and nothing is changed by asking', async () => {
    const { id, key } = await workspaceWith(1)
    const [first, second] = await insertPeople(api.ctx, [{}, {}])
    expect((await acquire({ contact_id: first }, { key })).body.balance).toBe(0)
    const refused = await acquire({ contact_id: second, list_name: 'unpaid' }, { key })
    expect(refused).toMatchObject({ status: 429, body: { code: 'insufficient_credits' } })
    expect(refused.headers['retry-after']).toBeUndefined()
    const made = await api.call('GET', '/api/v1/leadbank/acquire-lists', { key })
    expect(made.body.items).toEqual([])
    expect(await ledgerOf(id)).toHaveLength(2)
    // What was paid for stays free.
    const again = await acquire({ contact_id: first, list_name: 'paid' }, { key })
    expect(again.body).toMatchObject({ status: 'acquired', credits_charged: 0, balance: 0 })
  })
})

describe('at the same instant', () => {
  test('200 reveals on a balance of 50: exactly 50 succeed and nothing is left', async () => {
    const { id, key } = await workspaceWith(50)
    const people = await insertPeople(api.ctx, Array(200).fill({}))
    const answers = await Promise.all(people.map((contact_id) => acquire({ contact_id }, { key })))
    const succeeded = answers.filter(({ status }) => status === 200)
    expect(succeeded).toHaveLength(50)
    expect(answers.filter(({ body }) => body.code === 'insufficient_credits')).toHaveLength(150)
    // Each balance is that after its own charge, so each occurs once.
    const balances = succeeded.map(({ body }) => body.balance).sort((a, b) => a - b)
    expect(balances).toEqual(Array.from({ length: 50 }, (_, left) => left))
    expect(await balance(key)).toMatchObject({ balance: 0, used: 100 })
    expect((await ledgerOf(id)).filter(({ kind }) => kind === 'charge')).toHaveLength(50)
  })

  test('the same of two processes', async () => {
    const { id, key } = await workspaceWith(50)
    await using other = await secondApi()
    const people = await insertPeople(api.ctx, Array(120).fill({}))
    const answers = await Promise.all(
      people.map((contact_id, at) =>
        (at % 2 ? api : other).call('POST', path, { body: { contact_id }, key }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50)
    expect((await ledgerOf(id)).filter(({ kind }) => kind === 'charge')).toHaveLength(50)
    expect(await balance(key)).toMatchObject({ balance: 0 })
  })

  test('one contact asked for twenty times is charged once, by two processes too', async () => {
    const stranger = await api.createStranger()
    await using other = await secondApi()
    const contact_id = await insertPerson(api.ctx)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (at % 2 ? api : other).call('POST', path, {
          body: { contact_id, list_name: at % 3 ? 'One' : 'ONE ' },
          key: stranger.key,
        }),
      ),
    )
    const charged = answers.map(({ body }) => body.credits_charged)
    expect(charged.sort()).toEqual([...Array(19).fill(0), 1])
    expect(new Set(answers.map(({ body }) => body.list_id)).size).toBe(1)
    expect(new Set(answers.map(({ body }) => body.balance))).toEqual(new Set([99]))
    const { body } = await api.call('GET', '/api/v1/leadbank/acquire-lists', { key: stranger.key })
    expect(body.items).toMatchObject([{ lead_count: 1 }])
  })
})

describe('a list', () => {
  test('is made by its name, once, and joined by its name or id', async () => {
    const [first, second, third] = await insertPeople(api.ctx, [{}, {}, {}])
    const { body: made } = await acquire({ contact_id: first, list_name: '  Founders  Berlin ' })
    const { body: named } = await acquire({ contact_id: second, list_name: 'founders berlin' })
    const { body: byId } = await acquire({ contact_id: third, list_id: made.list_id })
    expect(named.list_id).toBe(made.list_id)
    expect(byId.list_id).toBe(made.list_id)
    const list = (await lists()).find(({ id }: { id: string }) => id === made.list_id)
    expect(list).toMatchObject({ name: 'Founders  Berlin', lead_count: 3 })
  })

  test('takes in for free who was acquired before, once', async () => {
    const contact_id = await insertPerson(api.ctx)
    await acquire({ contact_id })
    const { body } = await acquire({ contact_id, list_name: 'Later' })
    expect(body).toMatchObject({ credits_charged: 0, list_id: expect.any(String) })
    await acquire({ contact_id, list_id: body.list_id })
    const list = (await lists()).find(({ id }: { id: string }) => id === body.list_id)
    expect(list.lead_count).toBe(1)
  })

  test('of another workspace, or of none, is a 404 before anything is paid', async () => {
    const stranger = await api.createStranger()
    const [first, second] = await insertPeople(api.ctx, [{}, {}])
    const { body } = await acquire({ contact_id: first, list_name: 'Mine' })
    for (const list_id of [body.list_id, api.ctx.newId()]) {
      const answer = await acquire({ contact_id: second, list_id }, { key: stranger.key })
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
    expect(await balance(stranger.key)).toMatchObject({ balance: 100 })
  })
})

const badBodies: [string, object, string][] = [
  ['no contact', {}, 'invalid_field'],
  ['a contact that is no id', { contact_id: 'ada' }, 'invalid_field'],
  ['a number for a contact', { contact_id: 7 }, 'invalid_field'],
  ['an empty list name', { list_name: ' ' }, 'invalid_field'],
  ['a list name with a control character', { list_name: 'a\u0007b' }, 'invalid_field'],
  ['a list name that is too long', { list_name: 'x'.repeat(256) }, 'invalid_field'],
  ['a list that is no id', { list_id: 'x' }, 'invalid_field'],
  ['an unknown field', { email: 'ada@example.com' }, 'unknown_field'],
]
test.each(badBodies)('%s is a 400 that costs nothing', async (_what, body, code) => {
  const contact_id = await insertPerson(api.ctx)
  const before = await balance()
  const given =
    Object.keys(body).length === 0 || 'contact_id' in body ? body : { contact_id, ...body }
  expect(await acquire(given)).toMatchObject({ status: 400, body: { code } })
  expect(await balance()).toEqual(before)
})

test('a list is named by its id or its name, not by both', async () => {
  const contact_id = await insertPerson(api.ctx)
  const both = { contact_id, list_id: api.ctx.newId(), list_name: 'x' }
  expect(await acquire(both)).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
})

describe('with an Idempotency-Key', () => {
  test('the answer is replayed as it was, the charge included', async () => {
    const contact_id = await insertPerson(api.ctx)
    const headers = { 'idempotency-key': 'reveal-a' }
    const first = await acquire({ contact_id }, { headers })
    const again = await acquire({ contact_id }, { headers })
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.body).toEqual(first.body)
    expect(first.body.credits_charged).toBe(1)
    const other = await acquire({ contact_id: api.ctx.newId() }, { headers })
    expect(other.body.code).toBe('idempotency_key_reused')
  })

  test('an outage of the provider is not kept under the key: the same request is tried again', async () => {
    await using receiver = await startReceiver(
      answerInTurn(
        answerWith(503, '', { 'retry-after': '3600' }),
        answerWith(200, '{"email": "ada@engine.example"}'),
      ),
    )
    api.ctx.config.acquisitionProvider = { url: receiver.url, secret: 'x', timeoutMs: 5000 }
    onTestFinished(() => {
      api.ctx.config.acquisitionProvider = undefined
    })
    const body = { contact_id: await insertPerson(api.ctx, { email: null }) }
    const headers = { 'idempotency-key': 'reveal-c' }
    const before = await balance()
    expect(await acquire(body, { headers })).toMatchObject({ status: 503 })
    expect(await balance()).toEqual(before)
    const again = await acquire(body, { headers })
    expect(again).toMatchObject({ status: 200, body: { email: 'ada@engine.example' } })
    expect(again.headers['idempotency-replayed']).toBeUndefined()
    const replayed = await acquire(body, { headers })
    expect(replayed.headers['idempotency-replayed']).toBe('true')
    expect(receiver.requests).toHaveLength(2)
  })

  test('a refusal frees the key', async () => {
    const headers = { 'idempotency-key': 'reveal-b' }
    const contact_id = await insertPerson(api.ctx, { has_email: false })
    expect((await acquire({ contact_id }, { headers })).status).toBe(409)
    const another = await insertPerson(api.ctx)
    expect((await acquire({ contact_id: another }, { headers })).status).toBe(200)
  })
})

test('no address is ever logged', async () => {
  expect(api.ctx.logLines.length).toBeGreaterThan(0)
  expect(api.ctx.logLines.filter((line) => line.includes('@'))).toEqual([])
})

/** Another process on the same database, as far as the database can tell. */
async function secondApi() {
  const { buildApi } = await import('../../app.ts')
  const { connect } = await import('../../kernel/db/db.ts')
  const { db } = connect(api.ctx.database.url, 5)
  const app = await buildApi({ ...api.ctx, db })
  return {
    async call(method: 'POST', url: string, options: { body: object; key: string }) {
      const response = await app.inject({
        method,
        url,
        headers: { authorization: `Bearer ${options.key}` },
        payload: options.body,
      })
      return { status: response.statusCode, body: response.json() }
    },
    async [Symbol.asyncDispose]() {
      await app.close()
      await db.destroy()
    },
  }
}
