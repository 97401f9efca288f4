import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { createReadyCampaign } from '../../../test/campaigns.ts'

let api: TestApi
const names = ['Founders', 'founders of Berlin', 'Buyers', '100 % off', 'Buyers_2', 'Ärzte', 'last']
const ids: string[] = []

beforeAll(async () => {
  api = await testApi()
  for (const name of names) {
    ids.push((await api.call('POST', '/api/v2/campaigns', { body: { name } })).body.id)
  }
})

afterAll(() => api[Symbol.asyncDispose]())

const list = async (query = '', key?: string) =>
  (await api.call('GET', `/api/v2/campaigns${query}`, key === undefined ? {} : { key })).body

const namesOf = (page: { items: { name: string }[] }) => page.items.map((item) => item.name)

test('campaigns come newest first and whole', async () => {
  const page = await list()
  expect(namesOf(page)).toEqual(names.toReversed())
  expect(page).not.toHaveProperty('next_starting_after')
  const one = await api.call('GET', `/api/v2/campaigns/${ids[0]}`)
  expect(page.items.at(-1)).toEqual(one.body)
})

test('walking the pages meets every campaign once', async () => {
  const walked: string[] = []
  let query = '?limit=3'
  for (;;) {
    const page = await list(query)
    walked.push(...namesOf(page))
    if (!page.next_starting_after) break
    expect(page.next_starting_after).toBe(page.items.at(-1).id)
    query = `?limit=3&starting_after=${page.next_starting_after}`
  }
  expect(walked).toEqual(names.toReversed())
})

test('a cursor only positions: an unknown one works as well', async () => {
  const later = api.ctx.newId()
  expect(namesOf(await list(`?starting_after=${later}`))).toEqual(names.toReversed())
  expect(namesOf(await list(`?starting_after=${later.toUpperCase()}&limit=1`))).toEqual(['last'])
})

test.each([
  ['?search=founders', ['founders of Berlin', 'Founders']],
  ['?search=FOUNDERS', ['founders of Berlin', 'Founders']],
  ['?search=%25', ['100 % off']],
  ['?search=_', ['Buyers_2']],
  ['?search=%5C', []],
  ['?search=%20buyers%20', ['Buyers_2', 'Buyers']],
  ['?search=', names.toReversed()],
  ['?status=draft&search=buyers', ['Buyers_2', 'Buyers']],
  ['?status=', names.toReversed()],
  ['?status=paused', []],
  ['?status=no-such-status', []],
  ['?search=buyers&limit=1', ['Buyers_2']],
  ['?unknown=1', names.toReversed()],
])('%s answers the campaigns it names', async (query, expected) => {
  expect(namesOf(await list(query))).toEqual(expected)
})

test('a filtered list has a next page only when more campaigns match', async () => {
  const first = await list('?search=buyers&limit=1')
  expect(first.next_starting_after).toBe(first.items[0].id)
  const second = await list(`?search=buyers&limit=1&starting_after=${first.next_starting_after}`)
  expect(namesOf(second)).toEqual(['Buyers'])
  expect(second).not.toHaveProperty('next_starting_after')
})

test('the list shows the sending status of each campaign', async () => {
  await using other = await testApi()
  const { id } = await createReadyCampaign(other)
  await other.call('PATCH', `/api/v2/campaigns/${id}`, { body: { status: 'active' } })
  const page = await other.call('GET', '/api/v2/campaigns?status=active')
  expect(page.body.items).toMatchObject([
    { id, sending_status: { state: 'waiting', reason: 'no_leads' } },
  ])
})

test.each(['0', '-1', '101', '1.5', '1e1', '0x10', '%2010', 'abc', ''])(
  'limit=%s is refused',
  async (limit) => {
    const answer = await api.call('GET', `/api/v2/campaigns?limit=${limit}`)
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_limit', details: [{ path: 'limit' }] },
    })
  },
)

test.each(['abc', '', '123', '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4', 'urn:uuid:x', '%00'])(
  'starting_after=%s is refused',
  async (cursor) => {
    const answer = await api.call('GET', `/api/v2/campaigns?starting_after=${cursor}`)
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor', details: [{ path: 'starting_after' }] },
    })
  },
)

test.each(['search=a%00b', 'status=%00', `search=${'x'.repeat(256)}`, 'search=a&search=b'])(
  '%s is refused',
  async (query) => {
    const answer = await api.call('GET', `/api/v2/campaigns?${query}`)
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
  },
)
