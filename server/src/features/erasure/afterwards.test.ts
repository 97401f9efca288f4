import { expect, test } from 'vitest'
import { testApi } from '../../../test/app.ts'
import { insertPerson } from '../../../test/directory-rows.ts'
import { tablesWith } from '../../../test/tables-with.ts'
import { addAcquiredToCampaign } from '../acquisition/campaign-leads.ts'
import { changeMany, undoJob } from '../leads/bulk/jobs.ts'
import { updateLead } from '../leads/update-lead.ts'
import { startErasure } from './erase.ts'
import { runErasures } from './index.ts'

test('a contact of a list who was erased becomes no lead, and is shown and revealed no more', async () => {
  await using api = await testApi()
  const { ctx, workspaceId } = api
  const post = async (path: string, body: object) => (await api.call('POST', path, { body })).body
  const contact_id = await insertPerson(ctx, { email: 'ada@lead.example' })
  const { list_id } = await post('/api/v1/leadbank/acquire_email', { contact_id, list_name: 'l' })
  const [before, after] = [
    await post('/api/v2/campaigns', { name: 'before' }),
    await post('/api/v2/campaigns', { name: 'after' }),
  ]
  await addAcquiredToCampaign(ctx, workspaceId, { list_id, campaign_id: before.id })
  const address = `campaign_id=${before.id}&email=ada@lead.example`
  const lead = (await api.call('GET', `/api/v2/lead/get?${address}`)).body
  await startErasure(ctx, workspaceId, lead.id, { actor: { type: 'operator', id: null } })
  await runErasures(ctx)

  const added = await addAcquiredToCampaign(ctx, workspaceId, { list_id, campaign_id: after.id })
  expect(added).toMatchObject({ contacts: 1, leads_uploaded: 0, opted_out: 1 })
  const { items } = (await api.call('GET', `/api/v1/leadbank/acquire-lists/${list_id}/leads`)).body
  expect(items).toMatchObject([{ contact_id, email: null, opted_out: true }])
  const again = await api.call('POST', '/api/v1/leadbank/acquire_email', { body: { contact_id } })
  expect(again).toMatchObject({ status: 409, body: { code: 'not_eligible' } })
})

test('who was erased from a workspace and is still in the directory is not revealed to it again', async () => {
  await using api = await testApi()
  const { ctx, workspaceId } = api
  const { peek } = ctx.database
  const post = async (path: string, body: object) => (await api.call('POST', path, { body })).body
  const contact_id = await insertPerson(ctx, { email: 'ada@lead.example' })
  const { id: campaign_id } = await post('/api/v2/campaigns', { name: 'one' })
  const leads = [{ email: 'ada@lead.example' }]
  const [lead] = (await post('/api/v2/lead/add', { campaign_id, leads })).created_leads
  await startErasure(ctx, workspaceId, lead.id, { actor: { type: 'operator', id: null } })
  await runErasures(ctx)

  const revealing = { body: { contact_id, list_name: 'l' } }
  const refused = await api.call('POST', '/api/v1/leadbank/acquire_email', revealing)
  expect(refused).toMatchObject({ status: 409, body: { code: 'not_eligible' } })
  const balance = (await api.call('GET', '/api/v1/leadbank/balance/get')).body
  expect(balance.used).toBe(0)
  expect(await tablesWith(peek, 'ada@lead.example')).toEqual(['directory_contacts'])
  // The erasure is of one workspace: the directory is everybody's.
  const { key } = await api.createStranger()
  const elsewhere = { ...revealing, key }
  const revealed = await api.call('POST', '/api/v1/leadbank/acquire_email', elsewhere)
  expect(revealed).toMatchObject({ status: 200, body: { email: 'ada@lead.example' } })
})

test('who corrects a lead on a page that was opened before writes nothing of the person back', async () => {
  await using api = await testApi()
  const { ctx, workspaceId } = api
  const post = async (path: string, body: object) => (await api.call('POST', path, { body })).body
  const { id: campaign_id } = await post('/api/v2/campaigns', { name: 'one' })
  const leads = [{ email: 'ada@lead.example', first_name: 'Ada' }]
  const [lead] = (await post('/api/v2/lead/add', { campaign_id, leads })).created_leads
  const by = { actor: { type: 'operator', id: null } } as const
  await startErasure(ctx, workspaceId, lead.id, by)
  await runErasures(ctx)
  const correct = updateLead(ctx, workspaceId, lead.id, { last_name: 'Lovelace' }, by)
  await expect(correct).rejects.toMatchObject({ code: 'not_found' })
  expect(await tablesWith(ctx.database.peek, 'lovelace')).toEqual([])
})

test('undoing a change of many writes nothing back of a person who was erased since', async () => {
  await using api = await testApi()
  const { ctx, workspaceId } = api
  const { peek } = ctx.database
  const post = async (path: string, body: object) => (await api.call('POST', path, { body })).body
  const { id: campaign_id } = await post('/api/v2/campaigns', { name: 'one' })
  const leads = ['ada', 'bob', 'eve'].map((name) => ({ email: `${name}@lead.example` }))
  const added = (await post('/api/v2/lead/add', { campaign_id, leads })).created_leads
  const [ada, bob, eve] = added.map(({ id }: { id: string }) => id)
  // Both were held back, each in a server's words.
  const skip = (id: string, skip_reason: string) =>
    peek.updateTable('leads').set({ skip_reason }).where('id', '=', id).execute()
  await skip(ada, 'mailbox: no mail to Ada Lovelace')
  await skip(bob, 'mailbox: asked by ada@lead.example')
  const by = { actor: { type: 'user', id: ctx.newId() } } as const
  const job = await changeMany(ctx, workspaceId, { action: 'pause', ids: [ada, bob, eve] }, by)
  await startErasure(ctx, workspaceId, ada, { actor: { type: 'operator', id: null } })
  await runErasures(ctx)
  expect(await tablesWith(peek, 'ada@lead.example')).toEqual([])
  expect(await tablesWith(peek, 'lovelace')).toEqual([])
  await undoJob(ctx, workspaceId, job.id, by)
  expect(await tablesWith(peek, 'ada@lead.example')).toEqual([])
  const rows = await peek.selectFrom('leads').select(['id', 'sending_state']).execute()
  const stateOf = (id: string) => rows.find((lead) => lead.id === id)?.sending_state
  expect([ada, bob, eve].map(stateOf)).toEqual(['stopped', 'pending', 'pending'])
})

test('who was erased is given no status, by the API or with many others', async () => {
  await using api = await testApi()
  const { ctx, workspaceId } = api
  const post = async (path: string, body: object) => (await api.call('POST', path, { body })).body
  const { id: campaign_id } = await post('/api/v2/campaigns', { name: 'one' })
  const leads = [{ email: 'ada@lead.example' }]
  const [lead] = (await post('/api/v2/lead/add', { campaign_id, leads })).created_leads
  await startErasure(ctx, workspaceId, lead.id, { actor: { type: 'operator', id: null } })
  await runErasures(ctx)
  const { peek } = ctx.database
  const stored = () => peek.selectFrom('leads').selectAll().where('id', '=', lead.id).execute()
  const before = await stored()
  const email = before[0]?.email
  for (const new_status of ['interested', 'active', 'unsubscribed']) {
    const body = { campaign_id, email, new_status }
    const { status } = await api.call('POST', '/api/v2/lead/update/status', { body })
    expect(status).toBe(404)
  }
  for (const status of ['interested', 'unsubscribed']) {
    const by = { actor: { type: 'user', id: ctx.newId() } } as const
    const change = { action: 'set_status' as const, status, ids: [lead.id] }
    const job = await changeMany(ctx, workspaceId, change, by)
    expect(job).toMatchObject({ changed: 0, refused: 1 })
  }
  expect(await stored()).toEqual(before)
})
