import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { longestTurnMs } from '../../../test/longest-turn.ts'

/** Of processor time; what another client may have to wait for its answer. */
const heldMaxMs = 100
/** That `lead/add` takes, less some room for what is around the bombs. */
const bodyBytesMax = 10 * 1024 * 1024 - 1000

let api: TestApi
let campaignId: string
let address: string
beforeAll(async () => {
  api = await testApi()
  const { body } = await api.call('POST', '/api/v2/campaigns', { body: { name: 'bodies' } })
  campaignId = body.id
  address = await api.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => api[Symbol.asyncDispose]())

const filled = (text: string) => text.repeat(Math.floor(bodyBytesMax / text.length))
const list = (length: number, item: (index: number) => string) =>
  Array.from({ length }, (_, index) => item(index)).join(',')
const keys = (count: number, value: string) => list(count, (index) => `"key${index}":${value}`)
const rows = (more: string) => list(1000, (index) => `{"email":"a${index}@lead.example",${more}}`)
const adding = (leads: string) => `{"campaign_id":"${campaignId}","leads":[${leads}]}`

async function post(path: string, text: string) {
  const headers = { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' }
  const body = Buffer.from(text)
  let answer: { status: number; message?: string } = { status: 0 }
  const heldMs = await longestTurnMs(async () => {
    const response = await fetch(address + path, { method: 'POST', body, headers })
    const { message } = (await response.json()) as { message?: string }
    answer = { status: response.status, ...(message === undefined ? {} : { message }) }
  })
  return { ...answer, heldMs }
}

describe('no body holds up the process', () => {
  test.each<[string, () => string, RegExp]>([
    ['one lead of 600,000 keys', () => adding(`{${keys(600_000, '1')}}`), /more than 1000 keys/],
    ['1,000 leads of 1,000 keys', () => adding(rows(keys(900, '1'))), /200,000 values/],
    ['millions of objects', () => adding(`${filled('{},')}{}`), /200,000 values/],
    ['millions of numbers', () => adding(`${filled('1,')}1`), /200,000 values/],
    ['10 MB of brackets', () => filled('['), /deeper than 32 levels/],
    ['10 MB of objects in objects', () => filled('{"a":'), /deeper than 32 levels/],
    ['10 MB of blanks', () => adding(filled(' ')), /at least 1 item/],
    ['a number of 10 MB', () => adding(filled('1')), /4,000,000 digits/],
    ['an address of 10 MB', () => adding(`{"email":"${filled(':')}"}`), /valid e-mail address/],
    ['10 MB of escapes', () => adding(`{"email":"${filled('\\n')}"}`), /valid e-mail address/],
    [
      'addresses of 10 kB',
      () => adding(list(1000, () => `{"email":"${'a.'.repeat(5000)}@b"}`)),
      /valid e-mail/,
    ],
    ['150 variables in each', () => adding(rows(keys(150, '"some text"'))), /100 custom variables/],
    [
      'a key that is repeated at the very end',
      () => adding(`${rows(keys(100, `"${'v'.repeat(80)}"`))},{"email":"a@b.example","b":1,"b":2}`),
      /repeated/,
    ],
  ])('%s', async (_, text, message) => {
    const answer = await post('/api/v2/lead/add', text())
    expect(answer).toMatchObject({ status: 400, message: expect.stringMatching(message) })
    expect(answer.heldMs).toBeLessThan(heldMaxMs)
  })

  test('a campaign of 1,300 templates with 120 outputs each', async () => {
    const variants = Array.from({ length: 26 }, () => ({ subject: 's', body: '{{a}}'.repeat(120) }))
    const steps = Array.from({ length: 50 }, () => ({ delay: 1, variants }))
    const text = JSON.stringify({ name: 'outputs', sequences: [{ steps }] })
    const { status, heldMs } = await post('/api/v2/campaigns', text)
    expect(status).toBe(201)
    expect(heldMs).toBeLessThan(heldMaxMs)
  })
})

test('as many values as 1,000 leads with 100 variables have are accepted', async () => {
  const { status } = await post(
    '/api/v2/lead/add',
    adding(rows(keys(100, '"a text, with: colons"'))),
  )
  expect(status).toBe(200)
})
