import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { insertCompany, insertPeople, insertPerson } from '../../../test/directory-rows.ts'
import { inWorkspace } from '../../kernel/context.ts'
import { operator } from '../audit/index.ts'
import { optOut } from '../directory/index.ts'
import { addSuppression } from '../suppression/index.ts'
import { addAcquiredToCampaign, type ContactsToAdd, type SomeAcquired } from './campaign-leads.ts'
import { insertListEntries } from './queries.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const acquire = async (body: object) =>
  (await api.call('POST', '/api/v1/leadbank/acquire_email', { body })).body
const makeCampaign = async (): Promise<string> =>
  (await api.call('POST', '/api/v2/campaigns', { body: { name: 'acquired' } })).body.id
const findLead = async (campaignId: string, email: string) =>
  (await api.call('GET', `/api/v2/lead/get?campaign_id=${campaignId}&email=${email}`)).body

test('the contacts of a list become leads, once, with what is known of them', async () => {
  const company_id = await insertCompany(api.ctx, { name: 'Analytical', domain: 'lead.example' })
  const [first, second] = await insertPeople(api.ctx, [
    { company_id, title: 'Countess', email: 'ada@lead.example' },
    { email: 'nobody@lead.example', first_name: null, last_name: null },
  ])
  const { list_id } = await acquire({ contact_id: first, list_name: 'leads' })
  await acquire({ contact_id: second, list_id })
  const campaign_id = await makeCampaign()
  const added = await addAcquiredToCampaign(api.ctx, api.workspaceId, { list_id, campaign_id })
  expect(added).toEqual({
    contacts: 2,
    leads_uploaded: 2,
    already_in_campaign: 0,
    in_blocklist: 0,
    opted_out: 0,
    not_added: 0,
  })
  expect(await findLead(campaign_id, 'ada@lead.example')).toMatchObject({
    email: 'ada@lead.example',
    first_name: 'Ada',
    last_name: 'Lovelace',
    company_name: 'Analytical',
    company_domain: 'lead.example',
    job_title: 'Countess',
    custom_variables: {},
    status: 'new',
  })
  const again = await addAcquiredToCampaign(api.ctx, api.workspaceId, { list_id, campaign_id })
  expect(again).toMatchObject({ leads_uploaded: 0, already_in_campaign: 2 })
})

test('who unsubscribed or asked to be removed becomes no lead', async () => {
  const people = await insertPeople(
    api.ctx,
    ['fine', 'unsubscribed', 'removed'].map((name) => ({ email: `${name}@quiet.example` })),
  )
  const lists = []
  for (const contact_id of people) lists.push(await acquire({ contact_id, list_name: 'quiet' }))
  const elsewhere = await makeCampaign()
  const email = 'unsubscribed@quiet.example'
  const lead = { campaign_id: elsewhere, email }
  await api.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: elsewhere, leads: [{ email }] },
  })
  await api.call('POST', '/api/v2/lead/update/status', {
    body: { ...lead, new_status: 'unsubscribed' },
  })
  await optOut(api.ctx, 'removed@quiet.example')
  const campaign_id = await makeCampaign()
  const added = await addAcquiredToCampaign(api.ctx, api.workspaceId, {
    list_id: lists[0].list_id,
    campaign_id,
  })
  expect(added).toEqual({
    contacts: 3,
    leads_uploaded: 1,
    already_in_campaign: 0,
    in_blocklist: 1,
    opted_out: 1,
    not_added: 0,
  })
  expect((await findLead(campaign_id, 'removed@quiet.example')).code).toBe('not_found')
})

test('contacts are named by their ids too, if the workspace has acquired them', async () => {
  const [first, second, never] = await insertPeople(api.ctx, [{}, {}, {}])
  await acquire({ contact_id: first })
  await acquire({ contact_id: second })
  const campaign_id = await makeCampaign()
  const add = (...contact_ids: (string | undefined)[]) =>
    addAcquiredToCampaign(api.ctx, api.workspaceId, {
      contact_ids: contact_ids.map(String),
      campaign_id,
    })
  await expect(add(first, never)).rejects.toMatchObject({ code: 'not_found' })
  expect(await add(first, second, first)).toMatchObject({ contacts: 2, leads_uploaded: 2 })
})

/** A workspace with a list of so many contacts, and a campaign. */
async function makeLongList(length: number, plan: { plan_leads_max?: number } = {}) {
  const { key, workspaceId } = await api.createStranger()
  await api.ctx.database.peek
    .updateTable('workspaces')
    .set({ plan_monthly_credits: 3000, plan_rate: 0, ...plan })
    .where('id', '=', workspaceId)
    .execute()
  const [contact_id = '', ...others] = await insertPeople(api.ctx, Array(length).fill({}))
  const body = { contact_id, list_name: 'long' }
  const first = await api.call('POST', '/api/v1/leadbank/acquire_email', { body, key })
  const { list_id } = first.body
  await copyAcquired({ workspaceId, contact_id, list_id }, others)
  const campaign = await api.call('POST', '/api/v2/campaigns', { body: { name: 'long' }, key })
  const what = { list_id, campaign_id: campaign.body.id }
  const add = (some: SomeAcquired = { list_id: what.list_id }) =>
    addAcquiredToCampaign(api.ctx, workspaceId, { campaign_id: what.campaign_id, ...some })
  return { workspaceId, add }
}

/** As if these had been acquired after the first of the list, in one step in place of so many requests. */
async function copyAcquired(
  first: { workspaceId: string; contact_id: string; list_id: string },
  contactIds: string[],
) {
  const { ctx } = api
  const { workspaceId, list_id } = first
  const acquired = await ctx.database.peek
    .selectFrom('acquired_contacts')
    .selectAll()
    .where('contact_id', '=', first.contact_id)
    .executeTakeFirstOrThrow()
  const copies = contactIds.map((contact_id) => {
    const email = acquired.email.replace(first.contact_id, contact_id)
    return { ...acquired, contact_id, email, email_folded: email }
  })
  await ctx.database.peek.insertInto('acquired_contacts').values(copies).execute()
  const entries = contactIds.map((contact_id) => ({ id: ctx.newId(), list_id, contact_id }))
  await insertListEntries(inWorkspace(ctx, workspaceId).db, workspaceId, entries, ctx.now())
}

test('a list is added whole, however long it is', async () => {
  const { add } = await makeLongList(1500)
  expect(await add()).toMatchObject({ contacts: 1500, leads_uploaded: 1500, not_added: 0 })
})

test('of a list that outgrows the plan on its way, what was added is told with what was not', async () => {
  const { workspaceId, add } = await makeLongList(1500, { plan_leads_max: 1200 })
  const left = { contacts: 1500, not_added: 500 }
  expect(await add()).toMatchObject({ ...left, leads_uploaded: 1000, already_in_campaign: 0 })
  const { leads } = await api.ctx.database.peek
    .selectFrom('leads')
    .select(({ fn }) => fn.countAll<number>().as('leads'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  expect(Number(leads)).toBe(1000)
  expect(await add()).toMatchObject({ ...left, leads_uploaded: 0, already_in_campaign: 1000 })
})

test('of those that the plan has no room for, who would not have been added anyway are told apart', async () => {
  const { workspaceId, add } = await makeLongList(1500, { plan_leads_max: 1350 })
  const oldest = await api.ctx.database.peek
    .selectFrom('acquired_contacts')
    .select(['contact_id', 'email'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('timestamp_created')
    .orderBy('contact_id')
    .limit(301)
    .execute()
  const [blocked, ...known] = oldest
  await add({ contact_ids: known.map(({ contact_id }) => contact_id) })
  await addSuppression(api.ctx, workspaceId, String(blocked?.email), operator)
  expect(await add()).toEqual({
    contacts: 1500,
    leads_uploaded: 1000,
    already_in_campaign: 300,
    in_blocklist: 1,
    opted_out: 0,
    not_added: 199,
  })
})

test("another workspace's list, contacts or campaign do not exist", async () => {
  const contact_id = await insertPerson(api.ctx)
  const { list_id } = await acquire({ contact_id, list_name: 'mine' })
  const stranger = await api.createStranger()
  const theirs = await api.call('POST', '/api/v2/campaigns', {
    body: { name: 'theirs' },
    key: stranger.key,
  })
  const campaign_id = theirs.body.id
  const requests: [string, ContactsToAdd][] = [
    [stranger.workspaceId, { list_id, campaign_id }],
    [stranger.workspaceId, { contact_ids: [contact_id], campaign_id }],
    [api.workspaceId, { list_id, campaign_id }],
  ]
  for (const [workspaceId, what] of requests) {
    const added = addAcquiredToCampaign(api.ctx, workspaceId, what)
    await expect(added).rejects.toMatchObject({ code: 'not_found' })
  }
})
