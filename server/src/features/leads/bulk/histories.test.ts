import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { dropOldEntries, listAudit } from '../../audit/index.ts'
import { listHistory } from '../../lead-overview/history.ts'
import { cancelJob, changeMany, undoJob } from './jobs.ts'
import { dropOldLeadJobs, runLeadJobs, runNextBatch } from './run-jobs.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const by = { actor: { type: 'user', id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d' } as const }

let serial = 0
const createCampaign = async () =>
  (await api.call('POST', '/api/v2/campaigns', { body: { name: `campaign ${serial++}` } })).body
    .id as string

async function addLeads(campaign_id: string, count: number): Promise<string[]> {
  const part = serial++
  const leads = Array.from({ length: count }, (_, at) => ({ email: `p${part}n${at}@some.example` }))
  const { body } = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  return body.created_leads.map(({ id }: { id: string }) => id)
}

const change = (change: Parameters<typeof changeMany>[2]) =>
  changeMany(api.ctx, api.workspaceId, change, by)

/** What people did to the lead, the newest first. */
async function changesOf(leadId = '') {
  const page = { limit: 50, startingAfter: undefined }
  const { items } = await listHistory(api.ctx, api.workspaceId, leadId, page)
  return items.filter(({ kind }) => kind === 'change')
}
const namesOf = async (leadId = '') => (await changesOf(leadId)).map(({ name }) => name)

test('what is done to some leads at once stands in the history of each that it changed, and its undo of each that it reached', async () => {
  const [ann = '', bob = '', eve = ''] = await addLeads(await createCampaign(), 3)
  await change({ action: 'set_status', status: 'completed', ids: [eve] })
  const job = await change({ action: 'pause', ids: [ann, bob, eve] })
  expect(job).toMatchObject({ changed: 2, refused: 1 })
  api.ctx.clock.advance(1000)
  await change({ action: 'resume', ids: [bob] })
  expect(await undoJob(api.ctx, api.workspaceId, job.id, by)).toMatchObject({ refused: 1 })

  expect(await namesOf(ann)).toEqual(['lead.many_undone', 'lead.many_paused'])
  expect(await namesOf(bob)).toEqual(['lead.resumed', 'lead.many_paused'])
  expect(await namesOf(eve)).toEqual(['lead.status_set'])
  const [undone, paused] = await changesOf(ann)
  expect(paused).toMatchObject({ actor_id: by.actor.id, details: { job_id: job.id, leads: 2 } })
  expect(undone).toMatchObject({ actor_id: by.actor.id, details: { leads: 1 } })
  const page = { limit: 50, startingAfter: undefined }
  const { items } = await listAudit(api.ctx, api.workspaceId, page, { subjectId: job.id })
  expect(items.map(({ action, subject_type }) => [action, subject_type])).toEqual([
    ['lead.many_undone', 'lead_job'],
    ['lead.many_paused', 'lead_job'],
  ])
})

test('of very many leads those have it in their histories that the runner came to; a stop is in none', async () => {
  const campaign_id = await createCampaign()
  const ids = [...(await addLeads(campaign_id, 1000)), ...(await addLeads(campaign_id, 1))]
  const { id } = await change({ action: 'pause', filter: { campaign_id } })
  await runNextBatch(api.ctx)
  await cancelJob(api.ctx, api.workspaceId, id, by)
  const leads = await api.ctx.database.peek
    .selectFrom('leads')
    .select(['id', 'sending_state'])
    .where('id', 'in', ids)
    .execute()
  const paused = leads.filter(({ sending_state }) => sending_state === 'paused')
  expect(paused).toHaveLength(500)
  const noted = await api.ctx.database.peek
    .selectFrom('lead_job_changes')
    .select('lead_id')
    .where('job_id', '=', id)
    .execute()
  expect(new Set(noted.map(({ lead_id }) => lead_id))).toEqual(
    new Set(paused.map((lead) => lead.id)),
  )
  expect(await namesOf(paused[0]?.id)).toEqual(['lead.many_paused'])
  const other = leads.find(({ sending_state }) => sending_state !== 'paused')
  expect(await namesOf(other?.id)).toEqual([])
  await runLeadJobs(api.ctx)
})

test('the audit log tells how many leads were changed, and of a change of nobody nothing is told', async () => {
  const campaign_id = await createCampaign()
  const ids = await addLeads(campaign_id, 3)
  const [ann = ''] = ids
  await change({ action: 'unsubscribe', ids: [ann] })
  expect(await change({ action: 'resume', ids: [ann] })).toMatchObject({ changed: 0, refused: 1 })
  await change({ action: 'pause', filter: { campaign_id } })
  await change({ action: 'pause', filter: { campaign_id } })
  expect(await namesOf(ann)).toEqual(['lead.unsubscribed'])
  const page = { limit: 2, startingAfter: undefined }
  const { items } = await listAudit(api.ctx, api.workspaceId, page, { action: 'lead.' })
  expect(items).toMatchObject([
    { action: 'lead.many_paused', details: { leads: 2 } },
    { action: 'lead.unsubscribed', subject_id: ann, details: { leads: 1 } },
  ])
})

test('a change of very many leads is told with how many it was asked for, and its stop with how many were changed', async () => {
  const campaign_id = await createCampaign()
  await addLeads(campaign_id, 1000)
  const [newest = ''] = await addLeads(campaign_id, 1)
  await change({ action: 'pause', ids: [newest] })
  const { id } = await change({ action: 'pause', filter: { campaign_id } })
  await runNextBatch(api.ctx)
  await cancelJob(api.ctx, api.workspaceId, id, by)
  const page = { limit: 50, startingAfter: undefined }
  const { items } = await listAudit(api.ctx, api.workspaceId, page, { subjectId: id })
  expect(items.map(({ action, details }) => [action, details])).toEqual([
    ['lead.many_stopped', { job_id: id, leads: 499 }],
    ['lead.many_paused', { job_id: id, leads_asked: 1001 }],
  ])
})

test('a move stands in the history of who was added, and of who stays because they were written to', async () => {
  const [source, target] = [await createCampaign(), await createCampaign()]
  const [fresh = '', writtenTo = ''] = await addLeads(source, 2)
  const { peek } = api.ctx.database
  await change({ action: 'pause', ids: [fresh, writtenTo] })
  await change({ action: 'resume', ids: [fresh, writtenTo] })
  await peek
    .updateTable('leads')
    .set({ current_step: 1, sending_state: 'active', status: 'contacted' })
    .where('id', '=', writtenTo)
    .execute()
  const { changed } = await change({
    ...{ action: 'move', to_campaign_id: target },
    filter: { campaign_id: source },
  })
  expect(changed).toBe(2)
  expect(await namesOf(writtenTo)).toEqual([
    ...['lead.many_moved', 'lead.many_resumed', 'lead.many_paused'],
  ])
  const added = peek.selectFrom('leads').select('id').where('campaign_id', '=', target)
  for (const { id } of await added.execute()) expect(await namesOf(id)).toEqual(['lead.many_moved'])
  // Nothing is left of who went.
  const left = peek.selectFrom('lead_job_changes').select('job_id').where('lead_id', '=', fresh)
  expect(await left.execute()).toEqual([])
})

test('whom a change of many leads has changed is known for as long as the audit log says what it was', async () => {
  const campaign_id = await createCampaign()
  const [ann = ''] = await addLeads(campaign_id, 2)
  const { id } = await change({ action: 'unsubscribe', filter: { campaign_id } })
  const at = (days: number) => ({
    ...api.ctx,
    now: () => new Date(api.ctx.now().getTime() + days * 86_400_000),
    config: { ...api.ctx.config, auditRetentionDays: 30 },
  })
  const drop = async (days: number) => {
    await dropOldEntries(at(days), api.workspaceId)
    await dropOldLeadJobs(at(days), api.workspaceId)
  }
  const { peek } = api.ctx.database
  await drop(29)
  expect(await peek.selectFrom('lead_jobs').selectAll().where('id', '=', id).execute()).toEqual([])
  expect(await namesOf(ann)).toEqual(['lead.many_unsubscribed'])
  await drop(31)
  const left = peek.selectFrom('lead_job_changes').selectAll().where('job_id', '=', id)
  expect(await left.execute()).toEqual([])
  expect(await namesOf(ann)).toEqual([])
})
