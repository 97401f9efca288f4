import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { indexPeople, insertCompany, insertPeople } from '../../../test/directory-rows.ts'

const path = '/api/v1/leadbank/find'
const titles = ['Engineer', 'Founder', 'Engineer', 'Engineer', 'Founder', 'Engineer', 'Engineer']

let api: TestApi
let ids: string[]
let company_id: string
beforeAll(async () => {
  api = await testApi()
  company_id = await insertCompany(api.ctx, { name: 'Analytical', domain: 'engine.example' })
  const people = titles.map((title, at) => ({
    title,
    company_id,
    email: `person${at}@engine.example`,
    has_email: at !== 3,
  }))
  ids = await insertPeople(api.ctx, people)
  await indexPeople(api.ctx)
})
afterAll(() => api[Symbol.asyncDispose]())

const find = (body?: unknown, query = '', key = api.key) =>
  api.call('POST', `${path}${query}`, { key, ...(body === undefined ? {} : { body }) })
const found = async (body: object, query = '') =>
  (await find(body, query)).body.items.map(({ id }: { id: string }) => id)
const newestFirst = (...at: number[]) => at.map((index) => ids[index])

describe('a search', () => {
  test('shows whom it finds without an address, and costs nothing', async () => {
    const answer = await find({ titles: ['founder'], limit: 1 })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      items: [
        {
          id: ids[4],
          contact_id: ids[4],
          first_name: 'Ada',
          last_name: 'Lovelace',
          title: 'Founder',
          seniority: null,
          department: null,
          company: {
            company_id,
            name: 'Analytical',
            domain: 'engine.example',
            industry: null,
            employee_count: null,
          },
          city: null,
          country: null,
          has_email: true,
          acquired: false,
        },
      ],
      next_starting_after: ids[4],
      total: 2,
      total_is_estimate: false,
      credits_charged: 0,
      balance: expect.any(Number),
    })
    expect(JSON.stringify(answer.body)).not.toContain('@')
  })

  test('without any filter, or with empty ones, is for the newest contacts', async () => {
    const all = newestFirst(6, 5, 4, 3, 2, 1, 0)
    const { body } = await find()
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(all)
    expect(body).toMatchObject({ total: 7, total_is_estimate: false })
    for (const empty of [{}, { titles: [] }, { query: '' }, { query: null, titles: null }]) {
      expect(await found(empty)).toEqual(all)
    }
  })

  test('has its page in the body or in the query, and the body counts', async () => {
    expect(await found({ limit: 2 })).toEqual(newestFirst(6, 5))
    expect(await found({}, '?limit=2')).toEqual(newestFirst(6, 5))
    expect(await found({ limit: 1 }, '?limit=3')).toEqual(newestFirst(6))
    expect(await found({ starting_after: ids[2] })).toEqual(newestFirst(1, 0))
    expect(await found({}, `?starting_after=${ids[2]}`)).toEqual(newestFirst(1, 0))
    expect(await found({ starting_after: ids[1] }, `?starting_after=${ids[5]}`)).toEqual(
      newestFirst(0),
    )
  })

  test('is walked page by page, each contact once', async () => {
    const walked: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await find({ titles: ['Engineer'], limit: 2, starting_after: cursor })
      expect(body.total).toBe(5)
      walked.push(...body.items.map(({ id }: { id: string }) => id))
      cursor = body.next_starting_after
    } while (cursor)
    expect(walked).toEqual(newestFirst(6, 5, 3, 2, 0))
  })

  test('tells whom the workspace has acquired, or leaves them out', async () => {
    const stranger = await api.createStranger()
    for (const at of [1, 5]) {
      const body = { contact_id: ids[at] }
      await api.call('POST', '/api/v1/leadbank/acquire_email', { body, key: stranger.key })
    }
    const mine = await find({}, '', stranger.key)
    const acquired = mine.body.items.filter(({ acquired }: { acquired: boolean }) => acquired)
    expect(acquired.map(({ id }: { id: string }) => id)).toEqual(newestFirst(5, 1))
    expect(mine.body.balance).toBe(98)
    const others = await find({ exclude_acquired: true, limit: 3 }, '', stranger.key)
    expect(others.body).toMatchObject({ total: 5, next_starting_after: ids[3] })
    expect(others.body.items.map(({ id }: { id: string }) => id)).toEqual(newestFirst(6, 4, 3))
    const founders = { exclude_acquired: true, titles: ['Founder'] }
    expect((await find(founders, '', stranger.key)).body.total).toBe(1)
    // What another workspace acquired makes no difference.
    expect((await find({ exclude_acquired: true })).body.total).toBe(7)
  })

  test('is repeated with an Idempotency-Key as it was answered', async () => {
    const headers = { 'idempotency-key': 'find-1' }
    const body = { titles: ['Founder'] }
    const first = await api.call('POST', path, { body, headers })
    const again = await api.call('POST', path, { body, headers })
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.body).toEqual(first.body)
  })

  test('of another page is another request under the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'find-2' }
    const ask = (query: string) => api.call('POST', `${path}${query}`, { headers, body: {} })
    const { status, body } = await ask('?limit=2')
    expect(status).toBe(200)
    const next = `limit=2&starting_after=${body.next_starting_after}`
    for (const query of [`?${next}`, '?limit=3', '']) {
      expect(await ask(query)).toMatchObject({
        ...{ status: 409, body: { code: 'idempotency_key_reused' } },
      })
    }
    const second = { 'idempotency-key': 'find-3' }
    const turned = `?starting_after=${body.next_starting_after}&limit=2`
    for (const query of [`?${next}`, turned]) {
      const page = await api.call('POST', `${path}${query}`, { headers: second, body: {} })
      expect(page.body.items.map(({ id }: { id: string }) => id)).toEqual(newestFirst(4, 3))
    }
  })
})

const refusals: [string, object, string, string][] = [
  ['an unknown filter', { job: 'x' }, '', 'unknown_field'],
  ['a filter of the wrong type', { titles: 'x' }, '', 'invalid_field'],
  ['a title that is a number', { titles: [7] }, '', 'invalid_field'],
  ['a switch that is a text', { has_email: 'yes' }, '', 'invalid_field'],
  ['a range that is a number', { employee_count: 7 }, '', 'invalid_field'],
  ['an unknown end of a range', { employee_count: { most: 7 } }, '', 'unknown_field'],
  ['a limit of 0', { limit: 0 }, '', 'invalid_limit'],
  ['a limit of 101', { limit: 101 }, '', 'invalid_limit'],
  ['a limit that is a text', { limit: '25' }, '', 'invalid_limit'],
  ['a limit that is not whole', { limit: 1.5 }, '', 'invalid_limit'],
  ['a limit of 1e1 in the query', {}, '?limit=1e1', 'invalid_limit'],
  ['a cursor that is no id', { starting_after: 'x' }, '', 'invalid_cursor'],
  ['a cursor that is no id in the query', {}, '?starting_after=x', 'invalid_cursor'],
]
test.each(refusals)('%s is a 400', async (_what, body, query, code) => {
  expect(await find(body, query)).toMatchObject({ status: 400, body: { code } })
})
