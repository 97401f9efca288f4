import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { createReadyCampaign } from '../../../../test/campaigns.ts'
import { letter, testInbox } from '../../../../test/inbox.ts'
import { keepInboxRead } from '../../../../test/sending.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { dayMs } from '../../../kernel/durations.ts'
import { operator } from '../../audit/index.ts'
import { addSuppression, findSuppressed, removeSuppression } from '../../suppression/index.ts'
import { recordActivities } from '../activity/record-activity.ts'
import { deleteUnsentWithLeads } from '../delete-unsent.ts'
import { rescheduleLeads } from '../following/reschedule-leads.ts'
import { changeMany, getJob, listJobs, undoJob } from './jobs.ts'
import { runLeadJobs, runNextBatch } from './run-jobs.ts'
import { BulkChange } from './schema.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const by = { actor: { type: 'user', id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d' } as const }

const campaignOf = (...counts: number[]) => campaignFor(api.key, ...counts)

async function campaignFor(key: string, ...counts: number[]): Promise<string> {
  const { body } = await api.call('POST', '/api/v2/campaigns', { key, body: { name: 'many' } })
  for (const [part, count] of counts.entries()) {
    const leads = Array.from({ length: count }, (_, n) => ({ email: `p${part}n${n}@many.example` }))
    await api.call('POST', '/api/v2/lead/add', { key, body: { campaign_id: body.id, leads } })
  }
  return body.id
}

test('a change that a runner makes has no way back, however many are left out of it', async () => {
  const campaign_id = await campaignOf(1000, 1000, 1)
  const excluded = Array.from({ length: 1500 }, () => api.ctx.newId())
  const change = { action: 'pause', filter: { campaign_id }, excluded } as const
  const { id, state, total } = await changeMany(api.ctx, api.workspaceId, change, by)
  expect({ state, total }).toEqual({ state: 'running', total: 2001 })
  await runLeadJobs(api.ctx)
  const job = await getJob(api.ctx, api.workspaceId, id)
  expect(job).toMatchObject({ state: 'finished', total: 2001, changed: 2001, can_undo: false })
  await expect(undoJob(api.ctx, api.workspaceId, id, by)).rejects.toMatchObject({
    code: 'not_ready',
  })
})

test('a list of changes tells of which there is a way back: of none that changed nobody', async () => {
  const campaign_id = await campaignOf(1)
  const pause = { action: 'pause', filter: { campaign_id } } as const
  const first = await changeMany(api.ctx, api.workspaceId, pause, by)
  const second = await changeMany(api.ctx, api.workspaceId, pause, by)
  expect([first.can_undo, second.can_undo]).toEqual([true, false])
  // As older versions have left it.
  await api.ctx.database.peek
    .updateTable('lead_jobs')
    .set({ undo: '[]' })
    .where('id', '=', second.id)
    .execute()
  const page = { limit: 2, startingAfter: undefined }
  const { items } = await listJobs(api.ctx, api.workspaceId, page)
  expect(items.map(({ id, can_undo }) => [id, can_undo])).toEqual([
    [second.id, false],
    [first.id, true],
  ])
  expect(await getJob(api.ctx, api.workspaceId, second.id)).toMatchObject({ can_undo: false })
  await expect(undoJob(api.ctx, api.workspaceId, second.id, by)).rejects.toMatchObject({
    code: 'not_ready',
  })
})

test('a large change does not keep a smaller one that was begun later waiting until its end', async () => {
  await runLeadJobs(api.ctx)
  const many = await campaignOf(1000, 600)
  const change = (campaign_id: string) =>
    changeMany(api.ctx, api.workspaceId, { action: 'pause', filter: { campaign_id } }, by)
  const first = await change(many)
  const second = await change(await campaignOf(1000, 1))
  const state = async ({ id }: { id: string }) => {
    const { looked_at } = await getJob(api.ctx, api.workspaceId, id)
    return looked_at
  }
  const seen: number[][] = []
  for (let batch = 0; batch < 4; batch++) {
    // A later batch is claimed at a later instant.
    api.ctx.clock.advance(1)
    await runNextBatch(api.ctx)
    seen.push([await state(first), await state(second)])
  }
  expect(seen).toEqual([
    [500, 0],
    [500, 500],
    [1000, 500],
    [1000, 1000],
  ])
  await runLeadJobs(api.ctx)
  expect(await getJob(api.ctx, api.workspaceId, first.id)).toMatchObject({ changed: 1600 })
  expect(await getJob(api.ctx, api.workspaceId, second.id)).toMatchObject({ changed: 1001 })
})

test('however many changes a workspace has begun, and begins, that of another has every second batch', async () => {
  await runLeadJobs(api.ctx)
  const { key, workspaceId } = await api.createStranger()
  const pauseAll = (workspace: string, campaign_id: string) =>
    changeMany(api.ctx, workspace, { action: 'pause', filter: { campaign_id } }, by)
  const many = await campaignOf(1000, 1)
  for (let n = 0; n < 5; n++) await pauseAll(api.workspaceId, many)
  const { id } = await pauseAll(workspaceId, await campaignFor(key, 1000, 1))
  const seen: number[] = []
  for (let batch = 0; batch < 6; batch++) {
    api.ctx.clock.advance(1)
    await runNextBatch(api.ctx)
    seen.push((await getJob(api.ctx, workspaceId, id)).looked_at)
    await pauseAll(api.workspaceId, many)
  }
  // The other has been served before, and it has not.
  expect(seen).toEqual([500, 500, 1000, 1000, 1001, 1001])
  await runLeadJobs(api.ctx)
})

test('a workspace has no more than so many changes of very many leads under way', async () => {
  await runLeadJobs(api.ctx)
  const campaign_id = await campaignOf(1000, 1)
  const begin = () =>
    changeMany(api.ctx, api.workspaceId, { action: 'pause', filter: { campaign_id } }, by)
  for (let n = 0; n < 20; n++) await begin()
  await expect(begin()).rejects.toMatchObject({ code: 'not_ready' })
  const ids = [api.ctx.newId()]
  const few = changeMany(api.ctx, api.workspaceId, { action: 'pause', ids }, by)
  expect(await few).toMatchObject({ state: 'finished' })
  await runLeadJobs(api.ctx)
  expect(await begin()).toMatchObject({ state: 'running' })
  await runLeadJobs(api.ctx)
})

test.each([1, 1001])(
  'of %i leads that a filter matches, those stay that are left out, in whatever case they are named',
  async (count) => {
    const campaign_id = await campaignOf(...(count > 1000 ? [1000, count - 1000] : [count]))
    const { peek } = api.ctx.database
    const lead = () =>
      peek
        .selectFrom('leads')
        .select(['id', 'sending_state'])
        .where('campaign_id', '=', campaign_id)
        .orderBy('id')
        .limit(1)
        .executeTakeFirstOrThrow()
    const { id, sending_state } = await lead()
    const excluded = [id.toUpperCase()]
    const change = { action: 'pause', filter: { campaign_id }, excluded } as const
    await changeMany(api.ctx, api.workspaceId, change, by)
    await runLeadJobs(api.ctx)
    expect(await lead()).toEqual({ id, sending_state })
  },
)

test('what became of a change of very many is listed, with why it failed', async () => {
  const filter = { campaign_id: await campaignOf(1000, 1) }
  const draft = await campaignOf()
  const move = { action: 'move', to_campaign_id: draft, filter } as const
  const failing = await changeMany(api.ctx, api.workspaceId, move, by)
  const deleting = { ...operator, requestId: 'test' }
  await deleteUnsentWithLeads(api.ctx, api.workspaceId, draft, deleting)
  await runLeadJobs(api.ctx)
  const running = await changeMany(api.ctx, api.workspaceId, { action: 'pause', filter }, by)
  const page = await listJobs(api.ctx, api.workspaceId, { limit: 2, startingAfter: undefined })
  const { error } = await getJob(api.ctx, api.workspaceId, failing.id)
  expect(error).toContain('campaign')
  expect(page.items).toMatchObject([
    { id: running.id, user_id: by.actor.id, action: 'pause', state: 'running', error: null },
    { id: failing.id, action: 'move', state: 'failed', error, refusals: [], can_undo: false },
  ])
  const stranger = await api.createStranger()
  const theirs = await listJobs(api.ctx, stranger.workspaceId, {
    limit: 2,
    startingAfter: undefined,
  })
  expect(theirs.items).toEqual([])
  await runLeadJobs(api.ctx)
})

test('more leads than are changed at once may be named one by one', async () => {
  const campaign_id = await campaignOf(1000, 500)
  const { peek } = api.ctx.database
  const leads = await peek
    .selectFrom('leads')
    .select('id')
    .where('campaign_id', '=', campaign_id)
    .execute()
  const body = { action: 'pause', ids: leads.map(({ id }) => id) }
  expect(Value.Check(BulkChange, body)).toBe(true)
  const job = await changeMany(api.ctx, api.workspaceId, { ...body, action: 'pause' }, by)
  expect(job).toMatchObject({ state: 'running', total: 1500 })
  await runLeadJobs(api.ctx)
  expect(await getJob(api.ctx, api.workspaceId, job.id)).toMatchObject({
    ...{ state: 'finished', looked_at: 1500, changed: 1500 },
  })
})

test('a campaign that a change of its last leads has completed is active again when that is undone', async () => {
  const campaign_id = await campaignOf(3)
  const { peek } = api.ctx.database
  await peek
    .updateTable('campaigns')
    .set({ status: 'active' })
    .where('id', '=', campaign_id)
    .execute()
  const read = async () => (await api.call('GET', `/api/v2/campaigns/${campaign_id}`)).body
  const active = await read()
  const change = { action: 'set_status', status: 'completed', filter: { campaign_id } } as const
  const { id } = await changeMany(api.ctx, api.workspaceId, change, by)
  const completed = await read()
  expect(completed.status).toBe('completed')
  await undoJob(api.ctx, api.workspaceId, id, by)
  const reopened = await read()
  expect(reopened.status).toBe('active')
  // Also within one millisecond each is a version of its own: whoever has read another one is told.
  const versions = [active, completed, reopened].map((campaign) => campaign.timestamp_updated)
  expect(new Set(versions).size).toBe(3)
})

test('of many leads those alone are resumed that wait for it: who has answered, or was stopped, goes on only by themselves', async () => {
  const { ctx, workspaceId } = api
  const campaign_id = await campaignOf(3)
  const leads = ctx.database.peek.selectFrom('leads').select('id')
  const ids = (await leads.where('campaign_id', '=', campaign_id).execute()).map(({ id }) => id)
  const [paused = '', stopped = '', answered = ''] = ids
  await changeMany(ctx, workspaceId, { action: 'pause', ids: [paused] }, by)
  const no = { action: 'set_status' as const, status: 'not_interested', ids: [stopped] }
  await changeMany(ctx, workspaceId, no, by)
  await ctx.database.peek
    .updateTable('leads')
    .set({ sending_state: 'stopped', stop_reason: 'replied' })
    .where('id', '=', answered)
    .execute()
  const resume = (...these: string[]) =>
    changeMany(ctx, workspaceId, { action: 'resume', ids: these }, by)
  const many = await resume(...ids)
  expect(many).toMatchObject({ changed: 1, refused: 2 })
  expect(many.refusals.map(({ lead_id, reason }) => [lead_id, reason.split('.')[0]])).toEqual(
    expect.arrayContaining([
      [stopped, 'The lead was stopped or moved before'],
      [answered, 'The person has answered'],
    ]),
  )
  expect(await resume(answered)).toMatchObject({ changed: 1, refused: 0 })
})

test('who lacks what the mail says is not resumed by hand, alone or with others: it says what to do', async () => {
  const { ctx, workspaceId } = api
  const campaign_id = await campaignOf(2)
  const leads = ctx.database.peek.selectFrom('leads').select('id')
  const ids = (await leads.where('campaign_id', '=', campaign_id).execute()).map(({ id }) => id)
  const [lacking = '', refused = ''] = ids
  const hold = (id: string, skip_reason: string) =>
    ctx.database.peek
      .updateTable('leads')
      .set({ sending_state: 'paused', skip_reason })
      .where('id', '=', id)
      .execute()
  const why = 'The lead has no city, and the template gives no default.'
  await hold(lacking, `template_failed: ${why}`)
  await hold(refused, 'message_refused: 550 no such user')
  const resume = (these: string[]) =>
    changeMany(ctx, workspaceId, { action: 'resume', ids: these }, by)
  const reason = `Its mail cannot be made: ${why} It goes on by itself once its values or the text are changed.`
  for (const [chosen, changed] of [[[lacking], 0] as const, [ids, 1] as const]) {
    const { refusals, can_undo, ...job } = await resume([...chosen])
    expect({ ...job, can_undo }).toMatchObject({ changed, refused: 1, can_undo: changed > 0 })
    expect(refusals).toEqual([expect.objectContaining({ lead_id: lacking, reason })])
  }
})

test('a change is not undone of who was suppressed since, and their campaign stays completed', async () => {
  const { body } = await api.call('POST', '/api/v2/campaigns', { body: { name: 'blocked' } })
  const leads = [{ email: 'ann@blocked-since.example' }]
  await api.call('POST', '/api/v2/lead/add', { body: { campaign_id: body.id, leads } })
  const { peek } = api.ctx.database
  await peek.updateTable('campaigns').set({ status: 'active' }).where('id', '=', body.id).execute()
  const change = { action: 'set_status', status: 'lost', filter: { campaign_id: body.id } } as const
  const { id } = await changeMany(api.ctx, api.workspaceId, change, by)
  await addSuppression(api.ctx, api.workspaceId, 'blocked-since.example', operator)
  expect(await undoJob(api.ctx, api.workspaceId, id, by)).toMatchObject({ refused: 1 })
  const campaign = (await api.call('GET', `/api/v2/campaigns/${body.id}`)).body
  expect(campaign.status).toBe('completed')
})

test('an undo leaves a follow-up overdue for as long as it was, whatever time has passed meanwhile', async () => {
  await using inbox = await testInbox()
  const { ctx, workspaceId } = inbox
  const { leadId } = await inbox.contact(['ada@lead.example'])
  const overdueDays = async () => {
    const { timestamp_next_send: due } = await ctx.database.peek
      .selectFrom('leads')
      .select('timestamp_next_send')
      .where('id', '=', leadId)
      .executeTakeFirstOrThrow()
    return Math.round((ctx.now().getTime() - (due?.getTime() ?? Number.NaN)) / dayMs)
  }
  ctx.clock.advance(4 * dayMs)
  expect(await overdueDays()).toBe(2)
  const { id } = await changeMany(ctx, workspaceId, { action: 'pause', ids: [leadId] }, by)
  ctx.clock.advance(dayMs)
  await undoJob(ctx, workspaceId, id, by)
  expect(await overdueDays()).toBe(2)
})

test('a change is not undone of who has sent an automatic answer since: it may tell of an absence', async () => {
  await using inbox = await testInbox()
  const email = 'ada@lead.example'
  const { leadId, messageId } = await inbox.contact([email])
  const change = { action: 'set_status' as const, status: 'interested', ids: [leadId] }
  const undone = await changeMany(inbox.ctx, inbox.workspaceId, change, by)
  await undoJob(inbox.ctx, inbox.workspaceId, undone.id, by)
  expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'active' })

  const { id } = await changeMany(inbox.ctx, inbox.workspaceId, change, by)
  const until = new Date(inbox.ctx.now().getTime() + 20 * 86_400_000)
  inbox.startReader()
  const headers = ['Message-ID: <away@x.example>', `In-Reply-To: ${messageId}`]
  const body = `I am out of the office until ${until.toISOString().slice(0, 10)}.`
  inbox.arrive(letter({ headers: [...headers, 'Auto-Submitted: auto-replied'], body }))
  await inbox.waitForEvents('lead.auto_replied')
  expect(await undoJob(inbox.ctx, inbox.workspaceId, id, by)).toMatchObject({ refused: 1 })
  expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'stopped' })
})

test('a change is not undone of who has answered the campaign that they were moved from since', async () => {
  await using inbox = await testInbox()
  const { leadId, mailbox, messageId } = await inbox.contact(['ada@lead.example'])
  await keepInboxRead(inbox.ctx.database.peek, mailbox.id)
  const { body } = await inbox.call('POST', '/api/v2/campaigns', { body: { name: 'other' } })
  const to_campaign_id: string = body.id
  const change = (action: { action: 'move'; to_campaign_id: string } | typeof lost, id: string) =>
    changeMany(inbox.ctx, inbox.workspaceId, { ...action, ids: [id] }, by)
  const lost = { action: 'set_status' as const, status: 'lost' }
  await change({ action: 'move', to_campaign_id }, leadId)
  const moved = await inbox.ctx.database.peek
    .selectFrom('leads')
    .select('id')
    .where('campaign_id', '=', to_campaign_id)
    .executeTakeFirstOrThrow()
  const { id } = await change(lost, moved.id)
  inbox.startReader()
  inbox.arrive(letter({ headers: ['Message-ID: <a@x.example>', `In-Reply-To: ${messageId}`] }))
  await inbox.waitForEvents('lead.replied')
  expect(await undoJob(inbox.ctx, inbox.workspaceId, id, by)).toMatchObject({ refused: 1 })
  expect(await inbox.lead(moved.id)).toMatchObject({ sending_state: 'stopped' })
})

test('a change is not undone of who was moved on since: one campaign writes to them', async () => {
  await using inbox = await testInbox()
  const { ctx, workspaceId } = inbox
  const { leadId, mailbox } = await inbox.contact(['ada@lead.example'])
  await keepInboxRead(ctx.database.peek, mailbox.id)
  const ids = [leadId]
  const completed = { action: 'set_status' as const, status: 'completed', ids }
  const { id } = await changeMany(ctx, workspaceId, completed, by)
  const { body } = await inbox.call('POST', '/api/v2/campaigns', { body: { name: 'other' } })
  const moved = { action: 'move' as const, to_campaign_id: body.id, ids }
  expect(await changeMany(ctx, workspaceId, moved, by)).toMatchObject({ changed: 1 })
  const undone = await undoJob(ctx, workspaceId, id, by)
  expect(undone).toMatchObject({ refused: 1 })
  expect(undone.refusals[0]?.reason).toContain('moved to another campaign')
  expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'finished' })
})

test('whoever is unsubscribed with others is suppressed again after the entry was lifted, and all leads stop', async () => {
  const { ctx, workspaceId } = api
  const email = 'lifted@many.example'
  const add = async () => {
    const campaign_id = await campaignOf()
    const { body } = await api.call('POST', '/api/v2/lead/add', {
      body: { campaign_id, leads: [{ email }] },
    })
    return body.created_leads[0].id as string
  }
  const first = await add()
  const unsubscribe = () =>
    changeMany(ctx, workspaceId, { action: 'unsubscribe', ids: [first] }, by)
  expect(await unsubscribe()).toMatchObject({ changed: 1 })
  expect(await unsubscribe()).toMatchObject({ changed: 0, refused: 0 })
  await removeSuppression(ctx, workspaceId, email, { force: true }, operator)
  const second = await add()
  expect(await unsubscribe()).toMatchObject({ changed: 1, refused: 0 })
  const suppressed = await findSuppressed(ctx.db, workspaceId, [email])
  expect(suppressed.get(email)).toBe('unsubscribed')
  const other = await ctx.database.peek
    .selectFrom('leads')
    .select(['sending_state', 'stop_reason'])
    .where('id', '=', second)
    .executeTakeFirst()
  expect(other).toEqual({ sending_state: 'stopped', stop_reason: 'unsubscribed' })
  const told = ctx.database.peek
    .selectFrom('events')
    .select('id')
    .where('type', '=', 'lead.unsubscribed')
    .where('lead_email', '=', email)
  expect(await told.execute()).toHaveLength(2)
})

describe('a change is undone after its campaign was edited', () => {
  const dayMs = 86_400_000
  const message = { message_id: '<m@x>', subject: '', step: 1, variant: 1, mailbox: 'm@x' }
  const step = (delay: number) => ({
    delay,
    variants: [{ subject: 'Hello', body: '<p>Hello</p>' }],
  })
  type Steps = { id: string; delay: number }[]

  async function campaignWith(names: string[], ...delays: number[]) {
    const sequences = [{ steps: delays.map(step) }]
    const { id, sequences: made } = await createReadyCampaign(api, { sequences })
    await patch(id, { status: 'active' })
    const leads = names.map((name) => ({ email: `${name}@firm-${id}.example` }))
    const { body } = await api.call('POST', '/api/v2/lead/add', {
      body: { campaign_id: id, leads },
    })
    const ids: string[] = body.created_leads.map((lead: { id: string }) => lead.id)
    return { id: id as string, steps: made[0].steps as Steps, ids }
  }

  async function patch(id: string, body: object) {
    expect(await api.call('PATCH', `/api/v2/campaigns/${id}`, { body })).toMatchObject({
      status: 200,
    })
    await rescheduleLeads(api.ctx)
  }
  const setSteps = (id: string, steps: Steps) => patch(id, { sequences: [{ steps }] })

  const change = (
    action: { action: 'pause' } | { action: 'set_status'; status: string },
    id = '',
  ) => changeMany(api.ctx, api.workspaceId, { ...action, ids: [id] }, by)
  const undo = ({ id }: { id: string }) => undoJob(api.ctx, api.workspaceId, id, by)
  const read = (id = '') =>
    api.ctx.database.peek
      .selectFrom('leads')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()

  async function send(leadId = '', stepId = '', nextInDays = 0) {
    const { id: mailboxId } = await api.ctx.database.peek
      .selectFrom('mailboxes')
      .select('id')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    const notBefore = new Date(api.ctx.now().getTime() + nextInDays * dayMs)
    const sent = { kind: 'sent', leadId, message, stepId, mailboxId } as const
    await transaction(api.ctx, (tx) =>
      recordActivities(tx, api.workspaceId, [{ ...sent, threadSubject: '', next: { notBefore } }]),
    )
  }

  async function answer(leadId = '') {
    const reply = { message_id: null, subject: '', text: '', html: null, snippet: '' }
    await transaction(api.ctx, (tx) =>
      recordActivities(tx, api.workspaceId, [{ kind: 'replied', leadId, message, reply }]),
    )
  }

  test.each([
    ['is sent to again', 'pending', { action: 'set_status', status: 'interested' }],
    ['was paused before', 'paused', { action: 'set_status', status: 'interested' }],
  ] as const)(
    'who %s is stopped by a colleague, now that it stops for companies',
    async (_, was, action) => {
      const { id, ids } = await campaignWith(['ann', 'bob'], 3)
      const [ann, bob] = ids
      if (was === 'paused') await change({ action: 'pause' }, ann)
      const job = await change(action, ann)
      await patch(id, { stop_for_company: true })
      await undo(job)
      expect(await read(ann)).toMatchObject({ status: 'new', sending_state: was })
      await answer(bob)
      expect(await read(ann)).toMatchObject({
        ...{ sending_state: 'stopped', stop_reason: 'company_replied' },
      })
    },
  )

  test('whose mail could not be made is tried anew, with the text of now', async () => {
    const { id, steps, ids } = await campaignWith(['ann'], 0)
    const [ann = ''] = ids
    const failed = { kind: 'skipped', reason: 'template_failed', detail: 'city' } as const
    await transaction(api.ctx, (tx) =>
      recordActivities(tx, api.workspaceId, [{ ...failed, leadId: ann }]),
    )
    const job = await change({ action: 'set_status', status: 'interested' }, ann)
    await setSteps(id, steps)
    await undo(job)
    expect(await read(ann)).toMatchObject({ sending_state: 'pending', skip_reason: null })
  })

  test('the next mail is due by the delays that hold now', async () => {
    const { id, steps, ids } = await campaignWith(['ann', 'bob'], 0, 9)
    const [fresh, begun] = ids
    await send(begun, steps[0]?.id, 9)
    const jobs = [
      await change({ action: 'pause' }, fresh),
      await change({ action: 'pause' }, begun),
    ]
    await setSteps(
      id,
      steps.map((each) => ({ ...each, delay: 2 })),
    )
    for (const job of jobs) await undo(job)
    const [pending, active] = [await read(fresh), await read(begun)]
    expect([pending.sending_state, active.sending_state]).toEqual(['pending', 'active'])
    const inTwoDays = new Date(api.ctx.now().getTime() + 2 * dayMs)
    expect([pending, active].map((lead) => lead.timestamp_next_send)).toEqual([
      inTwoDays,
      inTwoDays,
    ])
  })

  test('nobody who is absent is written to before their return', async () => {
    const { id, steps, ids } = await campaignWith(['ann'], 0, 9)
    const [ann] = ids
    await send(ann, steps[0]?.id, 9)
    const resumeAt = new Date(api.ctx.now().getTime() + 20 * dayMs)
    const reply = { message_id: null, subject: '', text: '', html: null, snippet: '' }
    const absent = { kind: 'auto_replied', isOutOfOffice: true, message, reply, resumeAt } as const
    await transaction(api.ctx, (tx) =>
      recordActivities(tx, api.workspaceId, [{ ...absent, leadId: ann ?? '' }]),
    )
    const job = await change({ action: 'set_status', status: 'interested' }, ann)
    await setSteps(
      id,
      steps.map((each) => ({ ...each, delay: 2 })),
    )
    await undo(job)
    expect(await read(ann)).toMatchObject({
      ...{ sending_state: 'active', timestamp_next_send: resumeAt, postponed_until: resumeAt },
    })
  })

  test('who has got every step that is left is completed', async () => {
    const { id, steps, ids } = await campaignWith(['ann'], 0, 9)
    const [ann] = ids
    await send(ann, steps[0]?.id, 9)
    const job = await change({ action: 'pause' }, ann)
    await setSteps(id, steps.slice(0, 1))
    // From then on the edit cannot be taken back any more.
    api.ctx.clock.advance(600_000)
    await undo(job)
    expect(await read(ann)).toMatchObject({ status: 'completed', sending_state: 'finished' })
    const { body } = await api.call('GET', `/api/v2/campaigns/${id}`)
    expect(body).toMatchObject({ status: 'completed', lead_counts: { active: 0, completed: 1 } })
  })
})
