import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { addingTo, bodyBombs, keys, rows } from '../../../test/hostile-inputs/bodies.ts'
import { longestTurnMs } from '../../../test/longest-turn.ts'

/** Of processor time; what another client may have to wait for its answer. */
const heldMaxMs = 100

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

const post = (path: string, text: string) => send('POST', path, text)

async function send(method: string, path: string, text: string) {
  const headers = { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' }
  const body = Buffer.from(text)
  let answer: { status: number; id?: string | undefined; message?: string } = { status: 0 }
  const heldMs = await longestTurnMs(heldMaxMs, async () => {
    const response = await fetch(address + path, { method, body, headers })
    const { id, message } = (await response.json()) as { id?: string; message?: string }
    answer = { status: response.status, id, ...(message === undefined ? {} : { message }) }
  })
  return { ...answer, heldMs }
}

describe('no body holds up the process', () => {
  test.each(bodyBombs(() => campaignId))('%s', async (_, text, message) => {
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

test('texts of opened tags that never end are read for what is in them in no time', async () => {
  const variants = [{ subject: 's', body: '<'.repeat(250_000) }]
  const made = await post(
    '/api/v2/campaigns',
    JSON.stringify({ name: 'tags', sequences: [{ steps: [{ variants }] }] }),
  )
  const started = await send('PATCH', `/api/v2/campaigns/${made.id}`, '{"status":"active"}')
  expect([made.status, started.status]).toEqual([201, 409])
  expect(Math.max(made.heldMs, started.heldMs)).toBeLessThan(heldMaxMs)
})

test('as many values as 1,000 leads with 100 variables have are accepted', async () => {
  const { status } = await post(
    '/api/v2/lead/add',
    addingTo(campaignId)(rows(keys(100, '"a text, with: colons"'))),
  )
  expect(status).toBe(200)
})
