import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { type Browser, setUp } from '../../../../test/browser.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { listAudit } from '../../audit/index.ts'
import { recordActivities, runLeadJobs } from '../index.ts'

let api: TestApi
let visitor: Browser
let autumn: string
let winter: string
beforeEach(async () => {
  api = await testApi()
  visitor = await setUp(api)
  autumn = await createCampaign('Autumn')
  winter = await createCampaign('Winter')
})
afterEach(() => api[Symbol.asyncDispose]())

const createCampaign = async (name: string) =>
  (await api.call('POST', '/api/v2/campaigns', { body: { name } })).body.id as string

const ask = (method: string, path: string, body?: object) =>
  visitor.call(method, `/app${path}`, {
    ...(body ? { body } : {}),
    headers: { 'x-workspace-id': api.workspaceId },
  })

const addLeads = async (campaign_id: string, leads: object[]): Promise<string[]> => {
  const { body } = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  return body.created_leads.map(({ id }: { id: string }) => id)
}

const emails = async (query: string): Promise<string[]> => {
  const { body } = await ask('GET', `/leads?${query}`)
  return body.items.map(({ email }: { email: string }) => email)
}
const count = async (query: string) => (await ask('GET', `/leads/count?${query}`)).body
const overview = async (id: string) => (await ask('GET', `/leads/${id}`)).body
const counts = async (id: string) =>
  (await api.call('GET', `/api/v2/campaigns/${id}`)).body.lead_counts

const many = (length: number) =>
  Array.from({ length }, (_, at) => ({ email: `p${at}@many.example` }))

test('leads are found by every filter alone and together, page by page', async () => {
  await addLeads(autumn, [
    { email: 'ann@one.example', first_name: 'Ann', company_name: '100% Wool' },
    { email: 'bob@two.example', last_name: 'Under_Score' },
  ])
  api.ctx.clock.advance(86_400_000)
  const [carla = ''] = await addLeads(winter, [{ email: 'carla@one.example' }])
  await api.call('POST', '/api/v2/lead/update/status', {
    body: { campaign_id: winter, email: 'carla@one.example', new_status: 'interested' },
  })
  expect(await emails('')).toEqual(['carla@one.example', 'bob@two.example', 'ann@one.example'])
  const { body: first } = await ask('GET', '/leads?limit=2')
  expect(await emails(`limit=2&starting_after=${first.next_starting_after}`)).toEqual([
    'ann@one.example',
  ])
  expect(await emails(`campaign_id=${autumn}&search=ann`)).toEqual(['ann@one.example'])
  // What means something in a pattern is a letter here.
  expect(await emails('search=100%25')).toEqual(['ann@one.example'])
  expect(await emails('search=r_s')).toEqual(['bob@two.example'])
  expect(await emails('search=wool%20ann')).toEqual(['ann@one.example'])
  expect(await emails('status=interested,replied')).toEqual(['carla@one.example'])
  expect(await emails('sending_state=stopped')).toEqual(['carla@one.example'])
  const yesterday = new Date(api.ctx.now().getTime() - 3_600_000).toISOString()
  expect(await emails(`added_from=${yesterday}`)).toEqual(['carla@one.example'])
  expect(await emails(`added_to=${yesterday}`)).toHaveLength(2)
  expect(await emails(`contacted_from=${yesterday}`)).toEqual([])
  expect(await count('')).toEqual({ count: 3, is_estimate: false })
  expect(await count('search=one.example')).toEqual({ count: 2, is_estimate: false })
  expect((await overview(carla)).lead).toMatchObject({ status: 'interested' })
})

test('what was done to many is undone for those that nothing happened to since', async () => {
  const ids = await addLeads(autumn, many(3))
  const { body: job } = await ask('POST', '/leads/bulk', {
    ...{ action: 'set_status', status: 'interested', ids },
  })
  expect(job).toMatchObject({ state: 'finished', changed: 3, refused: 0, can_undo: true })
  expect(await counts(autumn)).toMatchObject({ total: 3, active: 0 })
  api.ctx.clock.advance(1000)
  await api.call('POST', '/api/v2/lead/update/status', {
    body: { campaign_id: autumn, email: 'p1@many.example', new_status: 'closed' },
  })
  const { body: undone } = await ask('POST', `/leads/jobs/${job.id}/undo`)
  expect(undone).toMatchObject({ refused: 1, can_undo: false })
  expect(undone.refusals[0]).toMatchObject({ email: 'p1@many.example' })
  expect(await emails('status=new')).toEqual(['p2@many.example', 'p0@many.example'])
  expect(await counts(autumn)).toMatchObject({ total: 3, active: 2 })
  expect((await ask('POST', `/leads/jobs/${job.id}/undo`)).status).toBe(409)
})

test('an undo writes to nobody whose colleague has answered meanwhile', async () => {
  const body = { name: 'Firms', stop_for_company: true }
  const campaign = (await api.call('POST', '/api/v2/campaigns', { body })).body.id as string
  const [ann = '', bob = '', eve = ''] = await addLeads(campaign, [
    { email: 'ann@firm.example' },
    { email: 'bob@firm.example' },
    { email: 'eve@other.example' },
  ])
  const { body: job } = await ask('POST', '/leads/bulk', {
    ...{ action: 'set_status', status: 'interested', ids: [ann, eve] },
  })
  const reply = { message_id: '<r@x>', subject: 'Re', text: 'No', html: null, snippet: 'No' }
  const message = {
    message_id: '<m@x>',
    subject: 'Hello',
    step: 1,
    variant: 1,
    mailbox: 'a@x.example',
  }
  await transaction(api.ctx, (tx) =>
    recordActivities(tx, api.workspaceId, [{ kind: 'replied', leadId: bob, message, reply }]),
  )
  const { body: undone } = await ask('POST', `/leads/jobs/${job.id}/undo`)
  expect(undone).toMatchObject({ refused: 0 })
  expect((await overview(ann)).lead).toMatchObject({
    ...{ status: 'new', sending_state: 'stopped', stop_reason: 'company_replied' },
  })
  expect((await overview(eve)).lead).toMatchObject({ status: 'new', sending_state: 'pending' })
})

test('what is done to one lead, and its undo, stand in the history of that lead', async () => {
  const [id = ''] = await addLeads(autumn, many(1))
  const { body: job } = await ask('POST', '/leads/bulk', {
    ...{ action: 'set_status', status: 'interested', ids: [id] },
  })
  await ask('POST', `/leads/jobs/${job.id}/undo`)
  const { body } = await ask('GET', `/leads/${id}/history`)
  const changes = body.items.filter(({ kind }: { kind: string }) => kind === 'change')
  expect(changes.map(({ name }: { name: string }) => name)).toEqual([
    'lead.undone',
    'lead.status_set',
  ])
})

test('each that is refused is named with the reason, and the others are done', async () => {
  const [one = '', two = ''] = await addLeads(autumn, many(2))
  await ask('POST', '/leads/bulk', { action: 'set_status', status: 'completed', ids: [one] })
  const gone = api.ctx.newId()
  const { body } = await ask('POST', '/leads/bulk', { action: 'pause', ids: [one, two, gone] })
  expect(body).toMatchObject({ total: 3, changed: 1, refused: 2 })
  expect(body.refusals).toEqual([
    { lead_id: gone, email: null, reason: 'There is no such lead any more.' },
    {
      ...{ lead_id: one, email: 'p0@many.example' },
      reason: 'The lead is finished; only one that is still sent to can be paused.',
    },
  ])
})

test('leads that were never written to move and are deleted; counters follow', async () => {
  const ids = await addLeads(autumn, [
    ...many(3),
    { email: 'seats@many.example', custom_variables: { seats: 12 } },
  ])
  await addLeads(winter, [{ email: 'p0@many.example' }])
  const { body: moved } = await ask('POST', '/leads/bulk', {
    ...{ action: 'move', to_campaign_id: winter, filter: { campaign_id: autumn } },
    excluded: [ids[1]],
  })
  expect(moved).toMatchObject({ changed: 2, refused: 1, can_undo: false })
  expect(moved.refusals[0].reason).toBe('The address is in that campaign already.')
  expect(await counts(autumn)).toMatchObject({ total: 2, active: 2 })
  expect(await counts(winter)).toMatchObject({ total: 3, active: 3 })
  const [newest = ''] = await emails(`campaign_id=${winter}`)
  expect(newest).toBe('seats@many.example')
  const { body: deleted } = await ask('POST', '/leads/bulk', {
    ...{ action: 'delete', filter: { campaign_id: autumn } },
  })
  expect(deleted).toMatchObject({ changed: 2, refused: 0 })
  expect(await emails(`campaign_id=${autumn}`)).toEqual([])
  expect(await counts(autumn)).toMatchObject({ total: 0, active: 0 })
})

test('whoever was unsubscribed with many is written to by no campaign', async () => {
  const [id = ''] = await addLeads(autumn, many(1))
  await addLeads(winter, many(1))
  await ask('POST', '/leads/bulk', { action: 'unsubscribe', ids: [id] })
  expect(await emails('status=unsubscribed')).toHaveLength(2)
  expect((await overview(id)).reasons[0]).toContain('suppressed (unsubscribed)')
})

test('more than a thousand are changed by a runner, which leaves out those that came later', async () => {
  for (const from of [0, 1000]) {
    const leads = Array.from({ length: 1000 }, (_, at) => ({ email: `q${from + at}@many.example` }))
    await addLeads(autumn, leads)
  }
  const change = { action: 'pause', filter: { campaign_id: autumn } }
  const { body: job } = await ask('POST', '/leads/bulk', change)
  expect(job).toMatchObject({ state: 'running', total: 2000, looked_at: 0 })
  await addLeads(autumn, [{ email: 'late@many.example' }])
  await runLeadJobs(api.ctx)
  const { body: done } = await ask('GET', `/leads/jobs/${job.id}`)
  expect(done).toMatchObject({ state: 'finished', looked_at: 2000, changed: 2000, can_undo: false })
  expect(await emails('sending_state=pending')).toEqual(['late@many.example'])

  const { body: other } = await ask('POST', '/leads/bulk', { ...change, action: 'resume' })
  expect((await ask('POST', `/leads/jobs/${other.id}/cancel`)).body.state).toBe('cancelled')
  const { items } = await listAudit(
    api.ctx,
    api.workspaceId,
    { limit: 1, startingAfter: undefined },
    {},
  )
  expect(items).toMatchObject([
    { action: 'lead.many_stopped', actor_type: 'user', details: { job_id: other.id, leads: 0 } },
  ])
  await runLeadJobs(api.ctx)
  expect(await emails('sending_state=pending')).toEqual(['late@many.example'])
})

test('what somebody corrects is in the record and in the history, with their name', async () => {
  const [id = ''] = await addLeads(autumn, [
    { email: 'ann@one.example', first_name: 'An', custom_variables: { seats: 3, plan: 'pro' } },
  ])
  const { body } = await ask('PATCH', `/leads/${id}`, {
    ...{ first_name: 'Ann', company_name: '' },
    custom_variables: { plan: null, city: 'Köln' },
  })
  expect(body).toMatchObject({
    ...{ first_name: 'Ann', company_name: null, custom_variables: { seats: 3, city: 'Köln' } },
  })
  const { body: history } = await ask('GET', `/leads/${id}/history`)
  expect(history.items).toHaveLength(1)
  expect(history.items[0]).toMatchObject({
    kind: 'change',
    name: 'lead.updated',
    actor_type: 'user',
    details: { fields: ['first_name', 'custom_variables'] },
  })
})

test('a correction to what the lead has already is none: nothing is recorded, and an undo still reaches it', async () => {
  const [id = ''] = await addLeads(autumn, [
    { email: 'ann@one.example', first_name: 'Ann', custom_variables: { seats: 3, plan: 'pro' } },
  ])
  const { body: job } = await ask('POST', '/leads/bulk', { action: 'pause', ids: [id] })
  api.ctx.clock.advance(1000)
  const { status, body } = await ask('PATCH', `/leads/${id}`, {
    ...{ first_name: 'Ann', company_name: null },
    custom_variables: { plan: 'pro', city: null },
  })
  expect(status).toBe(200)
  expect(body).toEqual((await overview(id)).lead)
  const { body: history } = await ask('GET', `/leads/${id}/history`)
  expect(history.items.map(({ name }: { name: string }) => name)).toEqual(['lead.paused'])
  expect((await ask('POST', `/leads/jobs/${job.id}/undo`)).body).toMatchObject({ refused: 0 })
  await ask('PATCH', `/leads/${id}`, { first_name: 'Ann', last_name: 'Example' })
  const { body: later } = await ask('GET', `/leads/${id}/history`)
  expect(later.items[0]).toMatchObject({ details: { fields: ['last_name'] } })
})

test('a variable that a lead has is corrected and removed, whatever its name', async () => {
  const long = '😀'.repeat(64)
  const [id = ''] = await addLeads(autumn, [{ email: 'ann@one.example' }])
  const variables = JSON.stringify({ '': 'nameless', [long]: 'long' })
  await sql`update leads set custom_variables = ${variables}::jsonb where id = ${id}`.execute(
    api.ctx.database.peek,
  )
  const change = (custom_variables: object) => ask('PATCH', `/leads/${id}`, { custom_variables })
  const { body } = await change({ '': null, [long]: 'longer' })
  expect(body.custom_variables).toEqual({ [long]: 'longer' })
  const refused = await Promise.all([
    change({ '': 'x' }),
    change({ ' ': 'x' }),
    change({ [`${long}!`]: 'x' }),
  ])
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400])
})

test('a variable that is corrected is never another number than was sent', async () => {
  const [id = ''] = await addLeads(autumn, [{ email: 'ann@one.example' }])
  const was = JSON.stringify({ old: 2 ** 60 })
  await sql`update leads set custom_variables = ${was}::jsonb where id = ${id}`.execute(
    api.ctx.database.peek,
  )
  const change = (custom_variables: object) => ask('PATCH', `/leads/${id}`, { custom_variables })
  expect(await change({ 'crm/id': 2 ** 53 })).toMatchObject({
    status: 400,
    body: { details: [{ path: '/custom_variables/crm~1id' }] },
  })
  const kept = { old: 2 ** 60, 'crm/id': '9007199254740993' }
  expect((await change(kept)).body.custom_variables).toEqual(kept)
})

test('a download can be imported again, and no cell of it is a formula', async () => {
  const [one = ''] = await addLeads(autumn, [
    {
      ...{
        email: 'ann@one.example',
        first_name: '=1+1',
        phone: '+49 30 12',
        company_name: 'A, "B"',
      },
      custom_variables: { city: 'Köln' },
    },
    { email: 'bob@one.example' },
  ])
  const { body } = await ask('GET', `/leads/export.csv?ids=${one}`)
  const [headings = '', line = '', end] = body.split('\r\n')
  expect(headings.replace('\ufeff', '').split(',').slice(0, 3)).toEqual([
    'email',
    'first_name',
    'last_name',
  ])
  expect(headings.endsWith(',city')).toBe(true)
  expect(line).toContain(`ann@one.example,'=1+1,,"A, ""B""",,,+49 30 12,`)
  expect(end).toBe('')
  const all = await ask('GET', '/leads/export.csv')
  expect(all.body.trim().split('\r\n')).toHaveLength(3)
})

test('a download has the variables of the leads that are in it, each of them and no other', async () => {
  const withNames = (email: string, from: number, length: number) => ({
    email,
    custom_variables: Object.fromEntries(
      Array.from({ length }, (_, at) => [`v${String(from + at).padStart(5, '0')}`, 'x']),
    ),
  })
  const leads = Array.from({ length: 7 }, (_, at) => withNames(`n${at}@one.example`, at * 100, 100))
  const ids = await addLeads(autumn, leads)
  const namesOf = async (query: string) => {
    const { body } = await ask('GET', `/leads/export.csv?${query}`)
    return body
      .split('\r\n')[0]
      .split(',')
      .filter((name: string) => /^v\d/.test(name))
  }
  const names = leads.flatMap((lead) => Object.keys(lead.custom_variables))
  expect(await namesOf('')).toEqual(names)
  expect(await namesOf(`ids=${ids[0]},${ids[6]}`)).toEqual([
    ...names.slice(0, 100),
    ...names.slice(600),
  ])
  expect(await namesOf(`excluded=${ids.slice(1).join()}`)).toEqual(names.slice(0, 100))

  const more = Array.from({ length: 44 }, (_, at) =>
    withNames(`m${at}@one.example`, 700 + at * 100, 100),
  )
  await addLeads(winter, more)
  const refused = await ask('GET', '/leads/export.csv')
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
  expect(refused.body.message).toContain('more than 5,000 custom variables')
  expect(await namesOf(`campaign_id=${winter}`)).toHaveLength(4400)
})

test('a download has nothing for who lacks a variable, whatever it is called', async () => {
  const own = { constructor: 'A', toString: 'B' }
  const ids = await addLeads(autumn, [
    { email: 'has@one.example', custom_variables: own },
    { email: 'lacks@one.example' },
  ])
  const { body } = await ask('GET', `/leads/export.csv?ids=${ids}`)
  const [headings, lacks, has] = body.split('\r\n')
  expect(headings.split(',').slice(-2)).toEqual(['constructor', 'toString'])
  expect(has.split(',').slice(-2)).toEqual(['A', 'B'])
  expect(lacks.split(',').slice(-2)).toEqual(['', ''])
})

test('views are of one person in one workspace, and one is kept or deleted without the others', async () => {
  const warm = { name: 'Warm', search: { status: 'interested' } }
  const other = { name: 'a/b & ü', search: { q: 'x' } }
  await Promise.all([warm, other].map((view) => ask('PUT', '/saved-views', view)))
  const { body } = await ask('GET', '/saved-views')
  expect(body.items).toHaveLength(2)
  expect(body.items).toEqual(expect.arrayContaining([warm, other]))
  const changed = { ...warm, search: { status: 'replied' } }
  expect((await ask('PUT', '/saved-views', changed)).body).toEqual({ items: [other, changed] })
  const gone = `/saved-views?${new URLSearchParams({ name: other.name })}`
  expect((await ask('DELETE', gone)).body).toEqual({ items: [changed] })
  expect((await ask('DELETE', gone)).body).toEqual({ items: [changed] })
  const more = Array.from({ length: 49 }, (_, index) => ({ name: `View ${index}`, search: {} }))
  for (const view of more) expect((await ask('PUT', '/saved-views', view)).status).toBe(200)
  expect((await ask('PUT', '/saved-views', other)).status).toBe(400)
  expect((await ask('PUT', '/saved-views', warm)).body.items).toHaveLength(50)
})
