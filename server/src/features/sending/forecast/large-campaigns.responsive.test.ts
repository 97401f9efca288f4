import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOf, type TestApi, testApi } from '../../../../test/app.ts'
import { createReadyCampaign } from '../../../../test/campaigns.ts'
import { longestTurnMs } from '../../../../test/longest-turn.ts'
import { nextTurn } from '../../../kernel/next-turn.ts'
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
  const heldMs = await longestTurnMs(heldMaxMs, async () => {
    mails = (await forecast()).sends
  })
  expect(mails).toBe(200_000)
  expect(heldMs).toBeLessThan(heldMaxMs)
})

test('however many ask for it while one is made, they get the next one together', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => forecast()))
  expect(new Set(made).size).toBeLessThanOrEqual(2)
})

test('who asks for more than are made within a minute is told to ask again, and keeps nobody else from theirs', async () => {
  const { workspaceId, key } = await api.createStranger()
  const theirApi = { ...api, workspaceId, call: callOf(api.app, key) }
  const { id } = await createReadyCampaign(theirApi)
  // As many as make its forecast one of the large.
  const counts = { workspace_id: workspaceId, campaign_id: id, total: 6000, active: 6000 }
  const { peek } = api.ctx.database
  const stored = peek.insertInto('campaign_lead_counts').values(counts)
  await stored
    .onConflict((oc) => oc.columns(['workspace_id', 'campaign_id']).doUpdateSet(counts))
    .execute()
  const days = Array.from({ length: 30 }, (_, at) => at + 1)
  const asking = Promise.allSettled(days.map((daysMax) => forecast({ daysMax })))
  await nextTurn()
  const theirs = await forecastCampaign(api.ctx, workspaceId, id)
  expect(theirs.held).toEqual([{ reason: 'lead_paused', leads: 6000 }])
  const asked = await asking
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(refused.length).toBeGreaterThan(0)
  for (const error of refused) {
    expect(error).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '60' } })
  }
  expect((await forecast({ daysMax: 31 })).days.length).toBeGreaterThan(0)
})
