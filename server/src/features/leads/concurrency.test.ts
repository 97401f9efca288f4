// Also runs on PostgreSQL 15: locks.
// Also runs through PgBouncer: locks and transactions of many at once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { setPlan } from '../workspaces/index.ts'
import { applyTo } from './bulk/apply.ts'

let api: TestApi
let serial = 0

beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const createCampaign = async (key = api.key) => {
  const body = { name: `c${serial++}` }
  return (await api.call('POST', '/api/v2/campaigns', { body, key })).body.id as string
}
const add = (campaign_id: string, emails: string[], more: object = {}, key = api.key) =>
  api.call('POST', '/api/v2/lead/add', {
    body: { campaign_id, leads: emails.map((email) => ({ email })), ...more },
    key,
  })
const setStatus = (campaign_id: string, email: string, new_status: string) =>
  api.call('POST', '/api/v2/lead/update/status', { body: { campaign_id, email, new_status } })
const countsOf = async (campaignId: string) =>
  (await api.call('GET', `/api/v2/campaigns/${campaignId}`)).body.lead_counts
const leadsOf = async (email: string) =>
  await api.ctx.db
    .selectFrom('leads')
    .select(['campaign_id', 'sending_state', 'status'])
    .where('workspace_id', '=', api.workspaceId)
    .where('email_folded', '=', email)
    .orderBy('id')
    .execute()
const emails = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `${name}${from + i}@many.example`)

test('overlapping adds to one campaign make each lead once, and each answer is true', async () => {
  const campaignId = await createCampaign()
  const all = emails('o', 0, 300)
  const answers = await Promise.all([
    add(campaignId, all.slice(0, 200)),
    add(campaignId, all.slice(100, 300).reverse()),
    add(campaignId, all.toReversed()),
    add(campaignId, all, { overwrite: true }),
    add(campaignId, all.slice(50, 250).reverse(), { overwrite: true }),
  ])
  for (const { status, body } of answers) {
    expect(status).toBe(200)
    expect(body.leads_uploaded).toBe(body.created_leads.length)
    expect(body.leads_uploaded + body.leads_updated + body.duplicated_leads).toBe(body.total_sent)
  }
  const created = answers.flatMap(({ body }) =>
    body.created_leads.map(({ email }: { email: string }) => email),
  )
  expect(created.toSorted()).toEqual(all.toSorted())
  expect(await countsOf(campaignId)).toMatchObject({ total: 300, active: 300 })
})

test('adds to several campaigns that skip what is in the workspace add an address once', async () => {
  const campaignIds = await Promise.all([1, 2, 3, 4].map(() => createCampaign()))
  const all = emails('s', 0, 500)
  const answers = await Promise.all(
    campaignIds.map((id) => add(id, all, { skip_if_in_workspace: true })),
  )
  const uploaded = answers.map(({ body }) => body.leads_uploaded)
  expect(uploaded.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 500])
})

test('adds at the same time never exceed the plan together', async () => {
  const { workspaceId, key } = await api.createStranger()
  const campaignIds = await Promise.all([1, 2, 3, 4, 5, 6].map(() => createCampaign(key)))
  await setPlan(api.ctx, workspaceId, { leadsMax: 1000 })
  const answers = await Promise.all(
    campaignIds.map((id, i) => add(id, emails('q', i * 500, i * 500 + 500), {}, key)),
  )
  const left = answers.map(({ status, body }) => (status === 200 ? body.remaining_in_plan : status))
  expect(left.toSorted((a, b) => a - b)).toEqual([0, 429, 429, 429, 429, 500])
})

test('unsubscribing one address in several campaigns at once ends each lead once', async () => {
  const campaignIds = await Promise.all(Array.from({ length: 6 }, () => createCampaign()))
  for (const id of campaignIds) await add(id, ['ann@ring.example', 'bob@ring.example'])
  const answers = await Promise.all(
    campaignIds.flatMap((id) => [
      setStatus(id, 'ann@ring.example', 'unsubscribed'),
      setStatus(id, 'bob@ring.example', 'Interested'),
      setStatus(id, 'bob@ring.example', 'unsubscribed'),
    ]),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const events = await api.ctx.db
    .selectFrom('events')
    .select(['campaign_id', 'lead_email'])
    .where('workspace_id', '=', api.workspaceId)
    .where('type', '=', 'lead.unsubscribed')
    .execute()
  const ofAnn = events.filter((event) => event.lead_email === 'ann@ring.example')
  expect(ofAnn.map((event) => event.campaign_id).toSorted()).toEqual(campaignIds.toSorted())
  for (const id of campaignIds) {
    expect(await countsOf(id)).toMatchObject({ total: 2, active: 0, unsubscribed: 2 })
  }
})

test('a lead added while its address unsubscribes is stopped or not made', async () => {
  for (let round = 0; round < 20; round++) {
    const email = `race${round}@race.example`
    const first = await createCampaign()
    const others = await Promise.all([createCampaign(), createCampaign()])
    await add(first, [email])
    const [unsubscribed, ...added] = await Promise.all([
      setStatus(first, email, 'unsubscribed'),
      ...others.map((id) => add(id, [email])),
    ])
    expect([unsubscribed, ...added].map(({ status }) => status)).toEqual([200, 200, 200])
    const uploaded = added.reduce((sum, { body }) => sum + body.leads_uploaded, 0)
    const leads = await leadsOf(email)
    expect(leads).toHaveLength(1 + uploaded)
    expect(new Set(leads.map(({ sending_state }) => sending_state))).toEqual(new Set(['stopped']))
  }
})

test('overwrites, status changes and unsubscribes of the same leads never wait in a ring', async () => {
  const campaignIds = [await createCampaign(), await createCampaign()]
  const all = emails('r', 0, 40)
  for (const id of campaignIds) await add(id, all)
  const answers = await Promise.all([
    ...campaignIds.flatMap((id) => [
      add(id, all, { overwrite: true }),
      add(id, all.toReversed(), { overwrite: true }),
    ]),
    ...campaignIds.flatMap((id) => all.slice(0, 30).map((email) => setStatus(id, email, 'lost'))),
    ...all.slice(20).map((email) => setStatus(campaignIds[0] ?? '', email, 'unsubscribed')),
  ])
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  for (const id of campaignIds) {
    expect(await countsOf(id)).toMatchObject({ total: 40, active: 0, unsubscribed: 20 })
  }
})

test('a row whose lead is deleted while it is to be updated makes a lead', async () => {
  const campaignId = await createCampaign()
  const [email = ''] = emails('gone', 0, 1)
  const { body } = await add(campaignId, [email])
  const ids = body.created_leads.map(({ id }: { id: string }) => id)
  const adding = await duringDelete(ids, () => add(campaignId, [email], { overwrite: true }))
  expect(adding.body).toMatchObject({ leads_uploaded: 1, leads_updated: 0 })
  expect(await leadsOf(email)).toHaveLength(1)
})

/** What somebody does who has to wait for leads that are being deleted. */
async function duringDelete<T>(ids: string[], act: () => Promise<T>): Promise<T> {
  const deleted = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const deleting = transaction(api.ctx, async (tx) => {
    await applyTo(tx, api.workspaceId, { action: { kind: 'delete' }, total: ids.length }, ids)
    deleted.resolve()
    await goOn.promise
  })
  await deleted.promise
  const acting = act()
  try {
    await api.ctx.database.untilWaiting()
  } finally {
    goOn.resolve()
  }
  await deleting
  return acting
}

test('who unsubscribes a lead that is being deleted is told that it is gone, and nothing is changed', async () => {
  const [campaignId, other] = [await createCampaign(), await createCampaign()]
  const email = 'gone@api.example'
  const { body } = await add(campaignId, [email])
  await add(other, [email])
  const ids = body.created_leads.map(({ id }: { id: string }) => id)
  const { status } = await duringDelete(ids, () => setStatus(campaignId, email, 'unsubscribed'))
  expect(status).toBe(404)
  expect(await leadsOf(email)).toEqual([
    { campaign_id: other, sending_state: 'pending', status: 'new' },
  ])
  expect((await add(await createCampaign(), [email])).body).toMatchObject({ leads_uploaded: 1 })
})

test('of a lead that is deleted while it is unsubscribed with many, the others of its address are', async () => {
  const [campaignId, other] = [await createCampaign(), await createCampaign()]
  const email = 'gone@bulk.example'
  const { body } = await add(campaignId, [email])
  await add(other, [email])
  const ids = body.created_leads.map(({ id }: { id: string }) => id)
  const outcome = await duringDelete(ids, () =>
    transaction(api.ctx, (tx) =>
      applyTo(tx, api.workspaceId, { action: { kind: 'unsubscribe' }, total: ids.length }, ids),
    ),
  )
  expect(outcome).toMatchObject({ changed: 0, refusals: [{ lead_id: ids[0] }] })
  expect(await leadsOf(email)).toEqual([
    { campaign_id: other, sending_state: 'stopped', status: 'unsubscribed' },
  ])
  const events = await api.ctx.db
    .selectFrom('events')
    .select('campaign_id')
    .where('workspace_id', '=', api.workspaceId)
    .where('type', '=', 'lead.unsubscribed')
    .where('lead_email', '=', email)
    .execute()
  expect(events).toEqual([{ campaign_id: other }])
})
