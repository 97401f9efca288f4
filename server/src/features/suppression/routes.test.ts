import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { type Browser, setUp } from '../../../test/browser.ts'

let api: TestApi
let owner: Browser

beforeAll(async () => {
  api = await testApi()
  owner = await setUp(api)
})
afterAll(() => api[Symbol.asyncDispose]())

const headers = () => ({ 'x-workspace-id': api.workspaceId })
const get = async (path: string) =>
  (await owner.call('GET', `/app/suppressions${path}`, { headers: headers() })).body
const post = (path: string, body: object) =>
  owner.call('POST', `/app/suppressions${path}`, { headers: headers(), body })

/** As a browser sends a file. */
const upload = (text: string | Buffer, type = 'text/csv') =>
  api.app.inject({
    method: 'POST',
    url: '/app/suppressions/import',
    headers: {
      ...{ ...headers(), 'content-type': type, 'sec-fetch-site': 'same-origin' },
      cookie: [...owner.cookies].map((pair) => pair.join('=')).join('; '),
    },
    payload: text,
  })

test('a list is imported as it comes, exported, and read page by page without a gap', async () => {
  const names = Array.from({ length: 250 }, (_, n) => `lead${n}@many.example`)
  const lines = ['email,reason', ...names, 'bücher.example,bounced', 'nonsense here', names[0]]
  const imported = await upload(lines.join('\r\n'))
  expect(imported.json()).toEqual({ added: 251, known: 0, invalid: 1, invalid_lines: [253] })

  const found: string[] = []
  for (let cursor = ''; ; ) {
    const page = await get(`?limit=100${cursor}`)
    found.push(...page.items.map(({ value }: { value: string }) => value))
    if (!page.next_starting_after) break
    cursor = `&starting_after=${encodeURIComponent(page.next_starting_after)}`
  }
  expect(found).toEqual([...names.toSorted(), 'bücher.example'])
  expect((await get('/counts')).counts).toEqual([
    { kind: 'address', reason: 'blocked', count: 250 },
    { kind: 'domain', reason: 'bounced', count: 1 },
  ])
  const exported = await owner.call('GET', '/app/suppressions/export.csv', { headers: headers() })
  expect(exported.headers['content-disposition']).toContain('suppressions.csv')
  expect(String(exported.body).split('\n')).toHaveLength(253)
  // What was written is read back as it was.
  expect((await upload(String(exported.body))).json()).toMatchObject({ added: 0, known: 251 })
})

test('whoever lifts a bounce does not lift that its owner has unsubscribed since', async () => {
  const value = 'gone@since.example'
  await upload(`${value},bounced`)
  await upload(`${value},unsubscribed`)
  const refused = await post('/remove', { value, force: true, reason: 'bounced' })
  expect(refused).toMatchObject({ status: 409, body: { code: 'version_conflict' } })
  expect((await get('?search=since.example')).items).toMatchObject([{ reason: 'unsubscribed' }])
  const older = { value, force: true, since: '2020-01-01T00:00:00.000Z' }
  expect((await post('/remove', older)).body.code).toBe('version_conflict')
  const lifted = await post('/remove', { value, force: true, reason: 'unsubscribed' })
  expect(lifted).toMatchObject({ status: 200, body: { reason: 'unsubscribed' } })
})

test('entries are found by a part of them, by kind and by reason', async () => {
  await post('', { value: 'Odd_One@Search.example' })
  await post('', { value: 'oddxone@search.example' })
  await post('', { value: 'search.example' })
  const valuesOf = async (query: string) =>
    (await get(query)).items.map(({ value }: { value: string }) => value)
  expect(await valuesOf('?search=DD_ONE')).toEqual(['odd_one@search.example'])
  expect(await valuesOf('?search=search.example&kind=domain')).toEqual(['search.example'])
  expect(await valuesOf('?search=search.example&reason=bounced')).toEqual([])
})

test('an unsubscribe is lifted only by force, and in the name of who did it', async () => {
  await upload('gone@force.example,unsubscribed')
  const refused = await post('/remove', { value: 'gone@force.example' })
  expect([refused.status, refused.body.code]).toEqual([409, 'invalid_transition'])
  const lifted = await post('/remove', { value: 'gone@force.example', force: true })
  expect(lifted.body).toMatchObject({ reason: 'unsubscribed' })
  expect((await post('/remove', { value: 'gone@force.example' })).status).toBe(404)
  const entry = await api.ctx.database.peek
    .selectFrom('audit_log')
    .select(['actor_type', 'details'])
    .where('action', '=', 'suppression.removed')
    .executeTakeFirstOrThrow()
  expect(entry).toMatchObject({ actor_type: 'user', details: { reason: 'unsubscribed' } })
})

test('a mistake is taken back, and says which leads go on', async () => {
  await post('', { value: 'mistake@undo.example' })
  const { body } = await post('/undo', { address: 'mistake@undo.example' })
  expect(body).toMatchObject({ reason: 'blocked', leads: [], still_suppressed: null })
})

test('what is no list is refused or counted, and nothing of it is kept', async () => {
  const binary = Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 7) % 256))
  const { added, invalid } = (await upload(binary)).json()
  expect(added).toBe(0)
  expect(invalid).toBeGreaterThan(0)
  expect((await upload('{}', 'application/json')).json().code).toBe('unsupported_media_type')
  expect((await get('?starting_after=nonsense')).code).toBe('invalid_cursor')
})

test('a list that is too long says how much of it was taken', async () => {
  const line = `${'x'.repeat(1022)}\n`
  const answer = await upload(Buffer.from(`first@long.example\n${line.repeat(8_300)}`))
  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toMatchObject({
    code: 'body_too_large',
    message: expect.stringContaining('larger than 8 MB'),
  })
})

test('who is suppressed besides the entry that is lifted is told by what', async () => {
  await post('', { value: 'both.example' })
  await post('', { value: 'ann@both.example' })
  const lift = async (value: string) => (await post('/remove', { value })).body
  expect(await lift('ann@both.example')).toMatchObject({
    ...{ reason: 'blocked', still_suppressed: 'blocked', still_suppressed_by: 'domain' },
  })
  expect(await lift('both.example')).toMatchObject({ still_suppressed: null })
})
