import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { createReadyCampaign } from '../../../../test/campaigns.ts'
import { longestTurnMs } from '../../../../test/longest-turn.ts'
import { forecastCampaign } from './forecast-campaign.ts'

/** Of processor time; what another client may have to wait for its answer. */
const heldMaxMs = 100

let api: TestApi
let campaignId: string

beforeAll(async () => {
  api = await testApi()
  const step = { delay: 1, variants: [{ subject: 'Hi', body: '<p>Hi</p>' }] }
  const steps = Array.from({ length: 40 }, () => step)
  const sequences = [{ steps }]
  campaignId = (await createReadyCampaign(api, { sequences, email_gap: 0, random_wait_max: 0 })).id
  await api.ctx.database.peek
    .updateTable('mailboxes')
    .set({ daily_limit: 10_000, gap_seconds: 0 })
    .execute()
  for (let call = 0; call < 5; call++) {
    const leads = Array.from({ length: 1000 }, (_, at) => ({ email: `${call}-${at}@large.test` }))
    await api.call('POST', '/api/v2/lead/add', { body: { campaign_id: campaignId, leads } })
  }
}, 60_000)
afterAll(() => api[Symbol.asyncDispose]())

const forecast = (options = {}) => forecastCampaign(api.ctx, api.workspaceId, campaignId, options)

test('the forecast of a large campaign holds up nobody', async () => {
  let mails = 0
  const heldMs = await longestTurnMs(async () => {
    mails = (await forecast()).sends
  })
  expect(mails).toBe(200_000)
  expect(heldMs).toBeLessThan(heldMaxMs)
})

test('however many ask for it while one is made, they get the next one together', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => forecast()))
  expect(new Set(made).size).toBeLessThanOrEqual(2)
})

test('who asks for more than are made within a minute is told to ask again', async () => {
  const days = Array.from({ length: 30 }, (_, at) => at + 1)
  const asked = await Promise.allSettled(days.map((daysMax) => forecast({ daysMax })))
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(refused.length).toBeGreaterThan(0)
  for (const error of refused) {
    expect(error).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '60' } })
  }
  expect((await forecast({ daysMax: 31 })).days.length).toBeGreaterThan(0)
})
