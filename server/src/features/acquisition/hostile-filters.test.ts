import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { importText } from '../../../test/directory-files.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
  await importText(
    api.ctx,
    `first_name,last_name,title,company,domain,email,city,country,technologies
Ada,O'Neil,"R&D | C++ (Head): 100% *","%_\\\\ Ltd",a.example,ada@a.example,Köln,Germany,C++
محمد,كريم,مدير المبيعات,شركة النور,noor.example,m@noor.example,القاهرة,مصر,
花子,山田,営業部長,山田商事,yamada.example,h@yamada.example,東京,日本,
`,
  )
})
afterAll(() => api[Symbol.asyncDispose]())

const find = (body: object) => api.call('POST', '/api/v1/leadbank/find', { body })
const found = async (body: object) => {
  const answer = await find(body)
  expect(answer.status).toBe(200)
  return answer.body.items.map(({ first_name }: { first_name: string }) => first_name)
}

const lists = [
  ...['titles', 'seniorities', 'departments', 'company_names', 'company_domains'],
  ...['industries', 'countries', 'cities', 'technologies'],
]
const fields = ['query', ...lists]
const filterOf = (field: string, value: unknown) => (field === 'query' ? value : [value])

describe.each(fields)('%s', (field) => {
  const wrong: unknown[] = [7, true, { a: 1 }, [[]], [7], [null], ['']]
  test.each([...wrong, ...(field === 'query' ? [['x']] : ['x'])])(
    'of the type of %j is a 400',
    async (value) => {
      const answer = await find({ [field]: value })
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
      expect(answer.body.details[0].path).toMatch(`/${field}`)
    },
  )

  test('too long is a 400, and as long as it may be is none', async () => {
    const most = field === 'query' ? 500 : 255
    expect((await find({ [field]: filterOf(field, 'x'.repeat(most)) })).status).toBe(200)
    expect((await find({ [field]: filterOf(field, 'x'.repeat(most + 1)) })).status).toBe(400)
  })

  const hostile = [
    "'; drop table directory_contacts; --",
    "' or '1'='1",
    '$1',
    '\\',
    '%',
    '_',
    '\u0001\u0007',
    "a & b | !c <-> (d:*) 'e",
    ':*',
    '(((',
    '[a-z]+(?=.*)*\\1{3,}$',
    '.*',
    '..',
    '\u202e\u200f\u200b',
    '\ud83d\ude00',
    'e\u0301'.repeat(100),
    'ﷺ'.repeat(50),
    '花'.repeat(120),
    'ا'.repeat(200),
    '-'.repeat(255),
    'a '.repeat(120),
    '1e999',
    'null',
    '../../etc/passwd',
    '{{7*7}}',
  ]
  test.each(hostile)('of %j finds nobody, and breaks nothing', async (text) => {
    expect(await found({ [field]: filterOf(field, text) })).toEqual([])
  })
})

test('nothing was broken by them', async () => {
  expect((await found({})).sort()).toEqual(['Ada', 'محمد', '花子'])
})

test('characters that mean something elsewhere are none but separators here', async () => {
  expect(await found({ query: "o'neil" })).toEqual(['Ada'])
  expect(await found({ query: 'head | c' })).toEqual(['Ada'])
  expect(await found({ titles: ['R&D (Head)'] })).toEqual(['Ada'])
  expect(await found({ titles: ['100%'] })).toEqual(['Ada'])
  expect(await found({ company_names: ['%_\\ ltd'] })).toEqual(['Ada'])
  expect(await found({ technologies: ['c++'] })).toEqual(['Ada'])
  expect(await found({ technologies: ['c'] })).toEqual([])
})

test('names and places are found in scripts that go from right to left, or have no spaces', async () => {
  expect(await found({ query: 'كريم محمد' })).toEqual(['محمد'])
  expect(
    await found({ titles: ['المبيعات'], company_names: ['النور'], cities: ['القاهرة'] }),
  ).toEqual(['محمد'])
  expect(await found({ countries: ['مصر'] })).toEqual(['محمد'])
  expect(await found({ query: '山田 花子' })).toEqual(['花子'])
  expect(await found({ titles: ['部長'], company_names: ['商事'], cities: ['東京'] })).toEqual([
    '花子',
  ])
  expect(await found({ cities: ['koln'] })).toEqual(['Ada'])
})

describe('a thousand values', () => {
  const thousand = (last: string) => [
    ...Array.from({ length: 999 }, (_, at) => `Senior Vice President ${at} of Sales and Marketing`),
    last,
  ]
  test.each(lists)('of %s are searched, and one more is a 400', async (field) => {
    expect((await find({ [field]: thousand('nobody') })).status).toBe(200)
    const answer = await find({ [field]: [...thousand('nobody'), 'x'] })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
  })

  test('find whom the last one is meant for', async () => {
    expect(await found({ titles: thousand('営業') })).toEqual(['花子'])
    expect(await found({ cities: thousand('Köln') })).toEqual(['Ada'])
  })
})

const ranges: [unknown, string][] = [
  [{ min: -1 }, 'invalid_field'],
  [{ min: 1.5 }, 'invalid_field'],
  [{ min: '5' }, 'invalid_field'],
  [{ min: 2_147_483_648 }, 'invalid_field'],
  [{ min: 9, max: 8 }, 'invalid_field'],
  [[1, 2], 'invalid_field'],
  ['1-50', 'invalid_field'],
  [{ from: 1 }, 'unknown_field'],
]
test.each(ranges)('a range of employees of %j is a 400', async (employee_count, code) => {
  expect(await find({ employee_count })).toMatchObject({ status: 400, body: { code } })
})

test.each([
  [{ sort: 'name' }],
  [{ email: 'ada@a.example' }],
  [{ titles: ['x'], Titles: ['y'] }],
  [{ 'titles[]': ['x'] }],
])('an unknown filter is a 400 that names those there are: %j', async (body) => {
  const answer = await find(body)
  expect(answer).toMatchObject({ status: 400, body: { code: 'unknown_field' } })
  expect(answer.body.message).toContain('company_domains')
})

test('no answer to a hostile filter repeats it, and no line of the log', async () => {
  const text = 'canary-4711'
  const answer = await find({ titles: [text, 7] })
  expect(JSON.stringify(answer.body)).not.toContain(text)
  await find({ query: text })
  expect(api.ctx.logLines.filter((line) => line.includes(text))).toEqual([])
})
