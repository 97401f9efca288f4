// Also runs on PostgreSQL 15: locks.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { keepInboxRead } from '../../../../test/sending.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { operator } from '../../audit/index.ts'
import { handOver } from '../../hand-over/index.ts'
import { createLabel } from '../../labels/index.ts'
import { addMailbox } from '../../mailboxes/index.ts'
import { setPlan } from '../../workspaces/index.ts'
import type { LeadActivity } from '../activity/activity.ts'
import { recordActivities } from '../activity/record-activity.ts'
import { changeMany } from './jobs.ts'

let api: TestApi
let serial = 0
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const createCampaign = async (more: object = {}) => {
  const body = { name: `campaign ${serial++}`, ...more }
  return (await api.call('POST', '/api/v2/campaigns', { body })).body.id as string
}
const addLeads = async (campaign_id: string, emails: string[]): Promise<string[]> => {
  const leads = emails.map((email) => ({ email }))
  const { body } = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  return body.created_leads.map(({ id }: { id: string }) => id)
}
const by = { actor: { type: 'user', id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d' } as const }
const move = (ids: string[], to_campaign_id: string) =>
  changeMany(api.ctx, api.workspaceId, { action: 'move', to_campaign_id, ids }, by)
const record = (...activities: LeadActivity[]) =>
  transaction(api.ctx, (tx) => recordActivities(tx, api.workspaceId, activities))
const leadsOf = (campaignId: string) =>
  api.ctx.database.peek
    .selectFrom('leads')
    .selectAll()
    .where('campaign_id', '=', campaignId)
    .orderBy('email')
    .execute()

const writtenTo = (campaignId: string) =>
  api.ctx.database.peek
    .updateTable('leads')
    .set({ current_step: 1, sending_state: 'active', status: 'contacted' })
    .where('campaign_id', '=', campaignId)
    .execute()
const message = {
  message_id: '<m@example.org>',
  subject: 'Hello',
  ...{ step: 1, variant: 1 },
  mailbox: 'anna@example.org',
}
const reply = { message_id: '<r@x>', subject: 'Re: Hello', text: 'Hi', html: null, snippet: 'Hi' }
const replied = (leadId: string): LeadActivity => ({ kind: 'replied', leadId, message, reply })
const autoReplied = (leadId: string, resumeAt: Date | null): LeadActivity => ({
  kind: 'auto_replied',
  ...{ leadId, message, reply, resumeAt },
  isOutOfOffice: true,
})

test('who has answered or was stopped is not moved: nobody writes to them anew', async () => {
  const campaign = await createCampaign({ stop_for_company: true, stop_on_auto_reply: true })
  const gentle = await createCampaign({ stop_on_reply: false })
  const target = await createCampaign()
  const [answered = '', colleague = '', machine = '', lost = '', fine = ''] = await addLeads(
    campaign,
    ['a@firm.example', 'b@firm.example', 'c@two.example', 'd@three.example', 'e@four.example'],
  )
  const [going = ''] = await addLeads(gentle, ['f@five.example'])
  await record(replied(answered), autoReplied(machine, null), replied(going))
  const body = { campaign_id: campaign, email: 'd@three.example', new_status: 'lost' }
  await api.call('POST', '/api/v2/lead/update/status', { body })

  const job = await move([answered, colleague, machine, lost, fine, going], target)
  expect(job).toMatchObject({ changed: 1, refused: 5 })
  expect((await leadsOf(target)).map(({ email }) => email)).toEqual(['e@four.example'])
  const reasons = new Map(job.refusals.map(({ email, reason }) => [email, reason]))
  expect(reasons.get('a@firm.example')).toContain('has answered')
  expect(reasons.get('b@firm.example')).toContain('A colleague has answered')
  expect(reasons.get('c@two.example')).toContain('automatic answer')
  expect(reasons.get('d@three.example')).toContain('stopped or moved before')
  expect(reasons.get('f@five.example')).toContain('has answered')
})

test('who has answered the campaign that they were moved from is not moved on', async () => {
  const [campaign, target] = [await createCampaign(), await createCampaign()]
  const gentle = await createCampaign({ stop_on_reply: false })
  const [id = ''] = await addLeads(campaign, ['a@sequence.example'])
  await writtenTo(campaign)
  await move([id], gentle)
  await record(replied(id))
  const [moved] = await leadsOf(gentle)
  expect(moved).toMatchObject({ sending_state: 'pending', email_reply_count: 0 })
  const job = await move([moved?.id ?? ''], target)
  expect(job).toMatchObject({ changed: 0, refused: 1 })
  expect(job.refusals[0]?.reason).toContain('has answered')
})

test('who was written to is not moved while an answer may lie unread in the mailbox that did so', async () => {
  const { ctx, workspaceId } = api
  const { peek } = ctx.database
  const server = { host: '127.0.0.1', port: 1, security: 'none', username: 'u', password: 'p' }
  const add = (name: string) => {
    const address = `${name}@unread.example`
    return addMailbox(ctx, workspaceId, { address, smtp: server, imap: server }, operator)
  }
  const [read, unread, failing] = [await add('read'), await add('unread'), await add('failing')]
  const update = (id: string, mailbox: object) =>
    peek.updateTable('mailboxes').set(mailbox).where('id', '=', id).execute()
  await keepInboxRead(peek, read.id)
  await update(failing.id, { status: 'error', imap_error: 'The server refuses the login.' })
  const [campaign, target] = [await createCampaign(), await createCampaign()]
  const senders = [read, unread, failing]
  const emails = senders.map(({ address }) => `to.${address}`)
  const ids = await addLeads(campaign, emails)
  const [, toUnread = '', toFailing = ''] = ids
  await writtenTo(campaign)
  for (const [at, { id }] of senders.entries()) {
    const leads = peek.updateTable('leads').set({ mailbox_id: id })
    await leads.where('id', '=', ids[at] ?? '').execute()
  }

  const job = await move(ids, target)
  expect(job).toMatchObject({ changed: 1, refused: 2 })
  for (const { reason } of job.refusals) expect(reason).toContain('is not read at the moment')
  expect((await leadsOf(target)).map(({ email }) => email)).toEqual([emails[0]])
  // Moved on, they may still answer the first mail.
  await update(read.id, { inbox_read_at: null })
  const [moved] = await leadsOf(target)
  const elsewhere = await createCampaign()
  expect(await move([moved?.id ?? ''], elsewhere)).toMatchObject({ changed: 0, refused: 1 })

  await keepInboxRead(peek, unread.id)
  await keepInboxRead(peek, read.id)
  const request = { from: failing.address, to: read.address }
  expect(await handOver(ctx, workspaceId, request, operator)).toMatchObject({ is_read: false })
  expect(await move([toUnread, toFailing], target)).toMatchObject({ changed: 2, refused: 0 })
})

test('whose status says that nothing more is sent is not moved, though their campaign had ended before', async () => {
  const [campaign, target] = [await createCampaign(), await createCampaign()]
  const create = (name: string, effect: 'none' | 'stop') =>
    createLabel(api.ctx, api.workspaceId, { name, effect }, by)
  const [label, mild] = [await create('No', 'stop'), await create('Warm', 'none')]
  const statuses = {
    'a@said.example': 'not_interested',
    'b@said.example': 'meeting_booked',
    'c@said.example': label.value,
    'd@said.example': mild.value,
  }
  const ids = await addLeads(campaign, Object.keys(statuses))
  await record(...ids.map((leadId) => ({ kind: 'finished' as const, leadId })))
  for (const [email, new_status] of Object.entries(statuses)) {
    const body = { campaign_id: campaign, email, new_status }
    await api.call('POST', '/api/v2/lead/update/status', { body })
  }
  const job = await move(ids, target)
  expect(job).toMatchObject({ changed: 1, refused: 3 })
  for (const { reason } of job.refusals) expect(reason).toContain('status says')
  expect((await leadsOf(target)).map(({ email }) => email)).toEqual(['d@said.example'])
})

test('who is paused is not moved before they are resumed, and who was skipped is', async () => {
  const [campaign, target] = [await createCampaign(), await createCampaign()]
  const [byHand = '', absent = '', lacking = ''] = await addLeads(campaign, [
    'hand@held.example',
    'away@held.example',
    'lacks@held.example',
  ])
  await changeMany(api.ctx, api.workspaceId, { action: 'pause', ids: [byHand] }, by)
  const body = { campaign_id: campaign, email: 'away@held.example', new_status: 'out_of_office' }
  await api.call('POST', '/api/v2/lead/update/status', { body })
  const skipped = { reason: 'template_failed', detail: 'city' } as const
  await record({ kind: 'skipped', leadId: lacking, ...skipped })
  const ids = [byHand, absent, lacking]
  const job = await move(ids, target)
  expect(job).toMatchObject({ changed: 1, refused: 2 })
  for (const { reason } of job.refusals) expect(reason).toContain('resume it first')
  expect((await leadsOf(target)).map(({ email }) => email)).toEqual(['lacks@held.example'])

  await changeMany(api.ctx, api.workspaceId, { action: 'resume', ids: [byHand, absent] }, by)
  expect(await move([byHand], target)).toMatchObject({ changed: 1 })
})

test.each([
  ['goes on', false, false],
  ['has ended', true, false],
  ['has ended, and stops on automatic answers', true, true],
])(
  'who is absent is written to by the other campaign on return, too, where theirs %s',
  async (_case, isFinished, stop_on_auto_reply) => {
    const [campaign, target] = [
      await createCampaign({ stop_on_auto_reply }),
      await createCampaign(),
    ]
    const ids = await addLeads(campaign, ['away@one.example', 'here@one.example'])
    const [away = ''] = ids
    const back = new Date(api.ctx.now().getTime() + 5 * 86_400_000)
    if (isFinished) await record(...ids.map((leadId) => ({ kind: 'finished' as const, leadId })))
    await record(autoReplied(away, back))
    expect(await move(ids, target)).toMatchObject({ changed: 2 })
    expect(await leadsOf(target)).toMatchObject([
      { email: 'away@one.example', postponed_until: back, timestamp_next_send: back },
      { email: 'here@one.example', postponed_until: null, timestamp_next_send: api.ctx.now() },
    ])
  },
)

test('who is absent when their campaign ends is written to by the other one on return', async () => {
  const [campaign, target] = [await createCampaign(), await createCampaign()]
  const [id = ''] = await addLeads(campaign, ['away@ends.example'])
  const back = new Date(api.ctx.now().getTime() + 5 * 86_400_000)
  await record(autoReplied(id, back), { kind: 'finished', leadId: id })
  await move([id], target)
  expect(await leadsOf(target)).toMatchObject([{ timestamp_next_send: back }])
})

test('the label that a person gave goes along, and nobody is told of it once more', async () => {
  const [campaign, target] = [await createCampaign(), await createCampaign()]
  const tier = { name: 'Tier 1', effect: 'none' } as const
  const label = await createLabel(api.ctx, api.workspaceId, tier, by)
  const emails = ['label@one.example', 'neutral@one.example', 'plain@one.example']
  const ids = await addLeads(campaign, emails)
  for (const [email, new_status] of [
    ['label@one.example', label.value],
    ['neutral@one.example', 'neutral'],
  ]) {
    const body = { campaign_id: campaign, email, new_status }
    await api.call('POST', '/api/v2/lead/update/status', { body })
  }
  const events = api.ctx.database.peek.selectFrom('events').select('id')
  const told = await events.execute()
  expect(await move(ids, target)).toMatchObject({ changed: 3, refused: 0 })
  expect(await leadsOf(target)).toMatchObject([
    { email: 'label@one.example', status: label.value, label_id: label.id },
    { email: 'neutral@one.example', status: 'neutral', label_id: null },
    { email: 'plain@one.example', status: 'new', label_id: null },
  ])
  expect(await events.execute()).toEqual(told)
})

test('who answers a mail of the campaign that they were moved from is not written to by the other', async () => {
  const campaign = await createCampaign()
  const [between, target] = [await createCampaign(), await createCampaign()]
  const machines = await createCampaign({ stop_on_auto_reply: true })
  const names = ['answers', 'away', 'quiet', 'zoe']
  const emails = names.map((name) => `${name}@moved.example`)
  const ids = await addLeads(campaign, emails)
  await writtenTo(campaign)
  const [answering = '', away = '', quiet = '', zoe = ''] = ids
  await move([answering, away, quiet], between)
  // Nothing was sent to these: they leave no lead behind, and are known by the first one all the same.
  const moved = (await leadsOf(between)).map(({ id }) => id)
  await move(moved, target)
  await move([zoe], machines)
  await addLeads(target, [emails[3] ?? ''])

  const back = new Date(api.ctx.now().getTime() + 5 * 86_400_000)
  await record(replied(answering), autoReplied(away, back), autoReplied(zoe, null))
  expect(await leadsOf(target)).toMatchObject([
    {
      ...{ email: emails[0], sending_state: 'stopped', stop_reason: 'replied' },
      ...{ status: 'new', email_reply_count: 0 },
    },
    { email: emails[1], sending_state: 'pending', postponed_until: back },
    { email: emails[2], sending_state: 'pending', postponed_until: null },
    // Added by itself, it belongs to its campaign alone.
    { email: emails[3], sending_state: 'pending', postponed_until: null },
  ])
  expect(await leadsOf(machines)).toMatchObject([
    { email: emails[3], sending_state: 'stopped', stop_reason: 'auto_replied' },
  ])
  const told = await api.ctx.database.peek
    .selectFrom('events')
    .select('type')
    .where('type', 'in', ['lead.replied', 'lead.auto_replied'])
    .where('campaign_id', 'in', [campaign, between, target, machines])
    .execute()
  expect(told.map(({ type }) => type).sort()).toEqual([
    'lead.auto_replied',
    'lead.auto_replied',
    'lead.replied',
  ])
})

/** Both wait until the lead is free, the move first. */
async function recordWhileMoving(activity: LeadActivity, id: string, target: string) {
  const { peek } = api.ctx.database
  const [moving, recording] = await peek.transaction().execute(async (held) => {
    await sql`select from leads where id = ${id}::uuid for update`.execute(held)
    const moving = move([id], target)
    await api.ctx.database.untilWaiting(1)
    const recording = record(activity)
    await api.ctx.database.untilWaiting(2)
    return [moving, recording]
  })
  await Promise.all([moving, recording])
}

test.each(['active', 'finished'] as const)(
  'an answer that is read while a lead that is %s is being moved stops the other one, too',
  async (sending_state) => {
    const [campaign, target] = [await createCampaign(), await createCampaign()]
    const [id = ''] = await addLeads(campaign, [`${sending_state}@meanwhile.example`])
    await writtenTo(campaign)
    if (sending_state === 'finished') await record({ kind: 'finished', leadId: id })
    await recordWhileMoving(replied(id), id, target)
    expect(await leadsOf(target)).toMatchObject([
      { sending_state: 'stopped', stop_reason: 'replied' },
    ])
  },
)

test('an answer to the first campaign that is read while a lead is being moved on stops the last one', async () => {
  const [campaign, between] = [await createCampaign(), await createCampaign()]
  const target = await createCampaign()
  const [id = ''] = await addLeads(campaign, ['on@meanwhile.example'])
  await writtenTo(campaign)
  await move([id], between)
  const [moved] = await leadsOf(between)
  await recordWhileMoving(replied(id), moved?.id ?? '', target)
  expect(await leadsOf(target)).toMatchObject([
    { sending_state: 'stopped', stop_reason: 'replied' },
  ])
})

test('a lead is moved with a number that is taken as a text only by now', async () => {
  const [campaign, target] = [await createCampaign(), await createCampaign()]
  const [id = ''] = await addLeads(campaign, ['number@one.example'])
  await api.ctx.database.peek
    .updateTable('leads')
    .set({ custom_variables: JSON.stringify({ external_id: 2 ** 60, seats: 12 }) })
    .where('id', '=', id)
    .execute()
  expect(await move([id], target)).toMatchObject({ changed: 1 })
  const custom_variables = { external_id: String(2 ** 60), seats: 12 }
  expect(await leadsOf(target)).toMatchObject([{ custom_variables }])
})

test('moves in opposite directions at the same time do not wait in a ring', async () => {
  const [one, other] = [await createCampaign(), await createCampaign()]
  for (let round = 0; round < 5; round++) {
    const emails = (name: string) =>
      Array.from({ length: 100 }, (_, at) => `${name}${round}-${at}@many.example`)
    const [from, back] = [await addLeads(one, emails('a')), await addLeads(other, emails('b'))]
    const jobs = await Promise.all([move(from, other), move(back, one)])
    expect(jobs.map(({ changed }) => changed)).toEqual([100, 100])
  }
  for (const id of [one, other]) {
    const { body } = await api.call('GET', `/api/v2/campaigns/${id}`)
    expect(body.lead_counts).toMatchObject({ total: 500, active: 500 })
  }
})

test('leads are deleted and moved from one campaign at the same time, and neither waits in a ring', async () => {
  const [campaign, target] = [await createCampaign(), await createCampaign()]
  const [gone = '', moved = ''] = await addLeads(campaign, [
    'gone@ring.example',
    'moved@ring.example',
  ])
  const { peek } = api.ctx.database
  // It stands still in the middle of the delete, with all locks that it has by then.
  await sql`create function wait_here() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock_shared(1); return null; end'`.execute(peek)
  await sql`create trigger wait_here before delete on leads execute function wait_here()`.execute(
    peek,
  )
  const jobs = await peek.transaction().execute(async (held) => {
    await sql`select pg_advisory_xact_lock(1)`.execute(held)
    const deleting = changeMany(api.ctx, api.workspaceId, { action: 'delete', ids: [gone] }, by)
    await api.ctx.database.untilWaiting(1)
    const moving = move([moved], target)
    await api.ctx.database.untilWaiting(2)
    return [deleting, moving]
  })
  expect((await Promise.all(jobs)).map(({ changed }) => changed)).toEqual([1, 1])
  await sql`drop function wait_here cascade`.execute(peek)
})

test('a full plan keeps nobody from moving leads that were never written to, and no others are added', async () => {
  const stranger = await api.createStranger()
  const { key, workspaceId } = stranger
  const post = async (path: string, body: object) =>
    (await api.call('POST', path, { body, key })).body
  const [from, to] = [
    await post('/api/v2/campaigns', { name: 'from' }),
    await post('/api/v2/campaigns', { name: 'to' }),
  ]
  const leads = ['a', 'b'].map((name) => ({ email: `${name}@full.example` }))
  const { created_leads } = await post('/api/v2/lead/add', { campaign_id: from.id, leads })
  const ids: string[] = created_leads.map(({ id }: { id: string }) => id)
  await setPlan(api.ctx, workspaceId, { leadsMax: 2 })
  const moveTo = (to_campaign_id: string) =>
    changeMany(api.ctx, workspaceId, { action: 'move', to_campaign_id, ids }, by)
  await api.ctx.database.peek
    .updateTable('leads')
    .set({ current_step: 1 })
    .where('workspace_id', '=', workspaceId)
    .where('email', '=', 'b@full.example')
    .execute()
  await expect(moveTo(to.id)).rejects.toMatchObject({ code: 'quota_exceeded' })
  ids.pop()
  expect(await moveTo(to.id)).toMatchObject({ changed: 1, refused: 0 })
  expect((await leadsOf(to.id)).map(({ email }) => email)).toEqual(['a@full.example'])
})
