import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { createReadyCampaign } from '../../../../test/campaigns.ts'
import { dayOf } from '../../../kernel/calendar.ts'
import type { Context } from '../../../kernel/context.ts'
import { bind } from '../../../kernel/db/db.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { findSuppressed } from '../../suppression/index.ts'
import type { Lead } from '../schema.ts'
import type { LeadActivity } from './activity.ts'
import { recordActivities } from './record-activity.ts'

let api: TestApi
let serial = 0
const mailboxId = '019a9d5e-8a00-7c31-9d0a-5e1f6a2b3c4d'

beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const createCampaign = async (more: object = {}) =>
  (
    await api.call('POST', '/api/v2/campaigns', {
      body: { name: `campaign ${serial++}`, ...more },
    })
  ).body.id as string

const address = (domain = `domain${serial++}.test`) => `lead${serial++}@${domain}`

/** Their ids, in the order of the addresses. */
async function addLeads(campaign_id: string, ...emails: string[]): Promise<string[]> {
  const leads = emails.map((email) => ({ email }))
  const { body } = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  return body.created_leads.map(({ id }: { id: string }) => id)
}

const record = (...activities: LeadActivity[]) =>
  transaction(api.ctx, (tx) => recordActivities(tx, api.workspaceId, activities))

const getLead = async (campaign_id: string, email: string): Promise<Lead> =>
  (await api.call('GET', `/api/v2/lead/get?${new URLSearchParams({ campaign_id, email })}`)).body
const getCampaign = async (id: string) => (await api.call('GET', `/api/v2/campaigns/${id}`)).body

async function eventsOf(by: { email?: string; campaign?: string }) {
  const rows = await api.ctx.database.peek
    .selectFrom('events')
    .select(['type', 'campaign_id', 'lead_email', 'body'])
    .where('workspace_id', '=', api.workspaceId)
    .$if(by.email !== undefined, (query) => query.where('lead_email', '=', by.email as string))
    .$if(by.campaign !== undefined, (query) =>
      query.where('campaign_id', '=', by.campaign as string),
    )
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, body: JSON.parse(row.body) }))
}
const typesOf = async (email: string) => (await eventsOf({ email })).map(({ type }) => type)

const message = {
  message_id: '<m@example.org>',
  subject: 'Hello',
  step: 1,
  variant: 2,
  mailbox: 'anna@example.org',
}
const answer = { message_id: '<r@x>', subject: 'Re: Hello', text: 'Hi', html: null, snippet: 'Hi' }
const sent = (leadId: string, next: Date | null = null): LeadActivity => ({
  kind: 'sent',
  leadId,
  message,
  stepId: api.ctx.newId(),
  mailboxId,
  threadSubject: 'Hello',
  next: next && { notBefore: next },
})
const replied = (leadId: string): LeadActivity => ({
  kind: 'replied',
  leadId,
  message,
  reply: answer,
})
const bounced = (leadId: string, kind: 'hard' | 'soft' = 'hard'): LeadActivity => ({
  kind: 'bounced',
  leadId,
  message,
  bounce: { kind, code: '5.1.1', diagnostic: '550 No such user' },
})
const tomorrow = () => new Date(api.ctx.now().getTime() + 86_400_000)

test('a mail that was sent changes its lead, and the event tells of the lead as it is then', async () => {
  const campaign = await createCampaign()
  const email = address()
  const [id = ''] = await addLeads(campaign, email)
  api.ctx.clock.advance(1000)
  const now = api.ctx.now().toISOString()
  const stored = await record(sent(id, tomorrow()))
  const lead = await getLead(campaign, email)
  expect(lead).toMatchObject({
    status: 'contacted',
    sending_state: 'active',
    current_step: 1,
    last_contacted_from: 'anna@example.org',
    timestamp_last_contact: now,
    timestamp_next_send: tomorrow().toISOString(),
    timestamp_updated: now,
  })
  expect(stored.get(id)).toMatchObject({ mailbox_id: mailboxId, thread_subject: 'Hello' })
  const [event] = await eventsOf({ email })
  expect(event?.body).toMatchObject({
    type: 'email.sent',
    campaign_id: campaign,
    lead_email: email,
    data: { lead, message },
  })
})

test('a mail is told with the time at which it was sent, however late that was written', async () => {
  const campaign = await createCampaign()
  const email = address()
  const [id = ''] = await addLeads(campaign, email)
  const at = api.ctx.now()
  api.ctx.clock.advance(5 * 60_000)
  await record({ ...sent(id), at } as LeadActivity)
  const [mail, completed] = await eventsOf({ email })
  expect(mail).toMatchObject({ type: 'email.sent', body: { timestamp: at.toISOString() } })
  const now = api.ctx.now().toISOString()
  expect(completed).toMatchObject({ type: 'lead.completed', body: { timestamp: now } })
})

test('activities of one lead follow each other, each event with the lead as it was after it', async () => {
  const campaign = await createCampaign()
  const email = address()
  const [id = ''] = await addLeads(campaign, email)
  await record(
    sent(id, tomorrow()),
    { kind: 'opened', leadId: id, message, isMachine: false },
    { kind: 'clicked', leadId: id, message, url: 'https://example.com/', isMachine: false },
    { kind: 'opened', leadId: id, message, isMachine: true },
    replied(id),
  )
  const events = await eventsOf({ email })
  expect(events.map(({ type, body }) => [type, body.data.lead.status])).toEqual([
    ['email.sent', 'contacted'],
    ['email.opened', 'opened'],
    ['email.clicked', 'clicked'],
    ['lead.replied', 'replied'],
  ])
  expect(await getLead(campaign, email)).toMatchObject({
    ...events.at(-1)?.body.data.lead,
    email_open_count: 1,
    email_click_count: 1,
    email_reply_count: 1,
    stop_reason: 'replied',
    timestamp_next_send: null,
  })
})

test('each mail counts as opened and clicked once, in whichever order and whatever its number is by then', async () => {
  const campaign = await createCampaign()
  const [id = ''] = await addLeads(campaign, address())
  const [first, second] = [sent(id, tomorrow()), sent(id, tomorrow())]
  const seen = (of: LeadActivity, step: number): LeadActivity[] => {
    const step_id = 'stepId' in of ? of.stepId : null
    const about = {
      ...{ leadId: id, mail: { step_id, variant_id: null }, isMachine: false },
      message: { ...message, step },
    }
    return [
      { kind: 'opened', ...about },
      { kind: 'clicked', ...about, url: 'https://example.com/' },
    ]
  }
  const later = async (...activities: LeadActivity[]) => {
    api.ctx.clock.advance(60_000)
    await record(...activities)
  }
  await record(first)
  await later(...seen(first, 1))
  await later(second)
  // The first again, after the second was sent, and then the second.
  await later(...seen(first, 1))
  await later(...seen(second, 2))
  // A step was put before it, which makes it the second: it was counted all the same.
  await later(...seen(first, 2))
  const days = await api.ctx.database.peek
    .selectFrom('campaign_step_days')
    .select(['step_id', 'opened', 'clicked'])
    .where('campaign_id', '=', campaign)
    .where('opened', '>', 0)
    .execute()
  const once = { opened: 1, clicked: 1 }
  const stepOf = (of: LeadActivity) => ('stepId' in of ? of.stepId : '')
  expect(days.toSorted((a, b) => (a.step_id < b.step_id ? -1 : 1))).toEqual(
    [first, second]
      .map((of) => ({ step_id: stepOf(of), ...once }))
      .toSorted((a, b) => (a.step_id < b.step_id ? -1 : 1)),
  )
})

test('a mail whose first open was counted before steps were noted is not counted again', async () => {
  const campaign = await createCampaign()
  const [id = ''] = await addLeads(campaign, address())
  const mail = sent(id, tomorrow())
  const step_id = 'stepId' in mail ? mail.stepId : null
  const about = { leadId: id, mail: { step_id, variant_id: null }, isMachine: false, message }
  const { peek } = api.ctx.database
  await record(mail)
  await record({ kind: 'opened', ...about })
  await peek.updateTable('leads').set({ outcomes_counted: null }).where('id', '=', id).execute()
  await record({ kind: 'opened', ...about })
  const { opened } = await peek
    .selectFrom('campaign_step_days')
    .select('opened')
    .where('campaign_id', '=', campaign)
    .where('opened', '>', 0)
    .executeTakeFirstOrThrow()
  expect(opened).toBe(1)
})

test('what is read late counts on the day on which it came, each at the mail that it is about', async () => {
  const campaign = await createCampaign()
  const email = address()
  const [id = ''] = await addLeads(campaign, email)
  const other = await createCampaign()
  const [otherId = ''] = await addLeads(other, email)
  const mails = [sent(id, tomorrow()), sent(id, tomorrow())] as const
  const [first, second] = mails.map((mail) => ('stepId' in mail ? mail.stepId : ''))
  await record(...mails, sent(otherId, tomorrow()))
  const ago = (days: number) => new Date(api.ctx.now().getTime() - days * 86_400_000)
  const about = (step_id = '', at = ago(0)) => ({
    ...{ leadId: id, message, at, mail: { step_id, variant_id: null } },
  })
  await record(
    { kind: 'replied', ...about(first, ago(3)), reply: answer },
    { kind: 'unsubscribed', ...about(first, ago(3)) },
    {
      ...{ kind: 'auto_replied', ...about(second, ago(2)), reply: answer },
      ...{ isOutOfOffice: false, resumeAt: null },
    },
  )
  const daysOf = (campaignId: string) =>
    api.ctx.database.peek
      .selectFrom('campaign_step_days')
      .select(['day', 'step_id', 'replied', 'unsubscribed', 'auto_replied'])
      .where('campaign_id', '=', campaignId)
      .where('sent', '=', 0)
      .orderBy('day')
      .execute()
  const { campaign_schedule } = await getCampaign(campaign)
  const dayAgo = (count: number) => dayOf(campaign_schedule.schedules[0].timezone, ago(count))
  const none = { replied: 0, unsubscribed: 0, auto_replied: 0 }
  expect(await daysOf(campaign)).toEqual([
    { ...none, day: dayAgo(3), step_id: first, replied: 1, unsubscribed: 1 },
    { ...none, day: dayAgo(2), step_id: second, auto_replied: 1 },
  ])
  // Nobody of that address gets anything from then on.
  expect(await daysOf(other)).toMatchObject([{ day: dayAgo(3), unsubscribed: 1 }])
})

test('the steps that a lead got are kept in their order', async () => {
  const campaign = await createCampaign()
  const [id = ''] = await addLeads(campaign, address())
  const steps = [sent(id, tomorrow()), sent(id, tomorrow()), sent(id)]
  await record(...steps.slice(0, 2))
  await record(...steps.slice(2))
  const row = await api.ctx.database.peek
    .selectFrom('leads')
    .select('sent_step_ids')
    .where('id', '=', id)
    .executeTakeFirst()
  expect(row?.sent_step_ids).toEqual(
    steps.map((activity) => (activity.kind === 'sent' ? activity.stepId : '')),
  )
})

test('an unsubscribe holds for the address in the whole workspace, with an event for each lead', async () => {
  const campaigns = [await createCampaign(), await createCampaign(), await createCampaign()]
  const email = address()
  const ids: string[] = []
  for (const campaign of campaigns) ids.push(...(await addLeads(campaign, email)))
  await record(replied(ids[2] ?? ''))
  await record({ kind: 'unsubscribed', leadId: ids[0] ?? '' })
  for (const campaign of campaigns) {
    expect(await getLead(campaign, email)).toMatchObject({
      status: 'unsubscribed',
      sending_state: 'stopped',
      stop_reason: 'unsubscribed',
    })
    expect((await getCampaign(campaign)).lead_counts).toMatchObject({ active: 0, unsubscribed: 1 })
  }
  const events = (await eventsOf({ email })).filter(({ type }) => type === 'lead.unsubscribed')
  expect(events.map(({ campaign_id }) => campaign_id).toSorted()).toEqual(campaigns.toSorted())
  expect(await findSuppressed(api.ctx.db, api.workspaceId, [email])).toEqual(
    new Map([[email, 'unsubscribed']]),
  )
  await record({ kind: 'unsubscribed', leadId: ids[1] ?? '' })
  expect(await eventsOf({ email })).toHaveLength(4)
})

test('a hard bounce suppresses the address, and nobody else writes to it', async () => {
  const [campaign, other] = [await createCampaign(), await createCampaign()]
  const email = address()
  const [id = ''] = await addLeads(campaign, email)
  await addLeads(other, email)
  await record(sent(id, tomorrow()), bounced(id))
  expect(await getLead(campaign, email)).toMatchObject({
    status: 'bounced',
    stop_reason: 'bounced',
  })
  expect(await getLead(other, email)).toMatchObject({
    status: 'new',
    sending_state: 'stopped',
    stop_reason: 'blocked',
  })
  expect(await typesOf(email)).toEqual(['email.sent', 'email.bounced'])
  expect(await findSuppressed(api.ctx.db, api.workspaceId, [email])).toEqual(
    new Map([[email, 'bounced']]),
  )
  expect((await getCampaign(campaign)).lead_counts).toMatchObject({ bounced: 1, active: 0 })
  expect((await getCampaign(other)).lead_counts).toMatchObject({ bounced: 0, active: 0 })
})

test('a soft bounce suppresses nobody', async () => {
  const campaign = await createCampaign()
  const email = address()
  const [id = ''] = await addLeads(campaign, email)
  const before = await getLead(campaign, email)
  api.ctx.clock.advance(1000)
  await record(bounced(id, 'soft'))
  expect(await getLead(campaign, email)).toEqual(before)
  expect(await typesOf(email)).toEqual(['email.bounced'])
  expect(await findSuppressed(api.ctx.db, api.workspaceId, [email])).toEqual(new Map())
})

describe('a reply from a company', () => {
  const statesOf = async (campaign: string, emails: string[]) => {
    const leads = await Promise.all(emails.map((email) => getLead(campaign, email)))
    return leads.map(({ stop_reason }) => stop_reason)
  }

  test('stops its other leads in the campaign, at whatever of its hosts', async () => {
    const campaign = await createCampaign({ stop_for_company: true })
    const emails = ['a@acme.co.uk', 'b@mail.acme.co.uk', 'c@de.acme.co.uk', 'd@other.co.uk']
    const ids = await addLeads(campaign, ...emails)
    await record(sent(ids[0] ?? '', tomorrow()), sent(ids[1] ?? '', tomorrow()))
    await record(replied(ids[1] ?? ''))
    expect(await statesOf(campaign, emails)).toEqual([
      'company_replied',
      'replied',
      'company_replied',
      null,
    ])
    expect(await typesOf('a@acme.co.uk')).toEqual(['email.sent'])
    expect((await getCampaign(campaign)).lead_counts).toMatchObject({ active: 1, replied: 1 })
  })

  test('stops nobody at a mail provider, in another campaign, or where it is not asked for', async () => {
    const [asked, unasked] = [
      await createCampaign({ stop_for_company: true }),
      await createCampaign(),
    ]
    const emails = ['x@gmail.com', 'y@gmail.com', 'x@company.test', 'y@company.test']
    const ids = await addLeads(asked, ...emails)
    const others = await addLeads(unasked, ...emails)
    await record(replied(ids[0] ?? ''), replied(others[2] ?? ''))
    expect(await statesOf(asked, emails)).toEqual(['replied', null, null, null])
    expect(await statesOf(unasked, emails)).toEqual([null, null, 'replied', null])
  })
})

describe('a campaign', () => {
  const complete = async (...emails: string[]) => {
    const campaign = await createReadyCampaign(api)
    await api.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body: { status: 'active' } })
    return { campaign: campaign.id as string, ids: await addLeads(campaign.id, ...emails) }
  }

  test('is completed with the last mail of its last lead', async () => {
    const emails = [address(), address()]
    const { campaign, ids } = await complete(...emails)
    await record(sent(ids[0] ?? ''))
    expect((await getCampaign(campaign)).status).toBe('active')
    await record(sent(ids[1] ?? ''))
    expect(await getCampaign(campaign)).toMatchObject({
      status: 'completed',
      lead_counts: { total: 2, active: 0, completed: 2 },
    })
    expect((await eventsOf({ campaign })).map(({ type }) => type)).toEqual([
      'campaign.activated',
      'email.sent',
      'lead.completed',
      'email.sent',
      'lead.completed',
      'campaign.completed',
    ])
    expect(await getLead(campaign, emails[1] ?? '')).toMatchObject({
      status: 'completed',
      sending_state: 'finished',
      timestamp_next_send: null,
    })
  })

  test('is completed when its last lead is stopped by another campaign’s bounce', async () => {
    const email = address()
    const { campaign } = await complete(email)
    const [id = ''] = await addLeads(await createCampaign(), email)
    await record(bounced(id))
    expect((await getCampaign(campaign)).status).toBe('completed')
  })
})

test('a reply and the next mail at the same instant: both are told, and the lead is stopped', async () => {
  const campaign = await createCampaign()
  for (let round = 0; round < 10; round++) {
    const email = address()
    const [id = ''] = await addLeads(campaign, email)
    await record(sent(id, tomorrow()))
    await Promise.all([record(replied(id)), record(sent(id, tomorrow()))])
    expect(await getLead(campaign, email)).toMatchObject({
      status: 'replied',
      sending_state: 'stopped',
      stop_reason: 'replied',
      timestamp_next_send: null,
      email_reply_count: 1,
    })
    expect((await typesOf(email)).toSorted()).toEqual(['email.sent', 'email.sent', 'lead.replied'])
  }
})

test('two replies at the same instant are both counted, and the lead once', async () => {
  const campaign = await createCampaign()
  const [id = ''] = await addLeads(campaign, address())
  await Promise.all([record(replied(id)), record(replied(id))])
  expect((await getCampaign(campaign)).lead_counts).toMatchObject({ active: 0, replied: 1 })
  const row = await api.ctx.database.peek
    .selectFrom('leads')
    .select('email_reply_count')
    .where('id', '=', id)
    .executeTakeFirst()
  expect(row?.email_reply_count).toBe(2)
})

test('colleagues that reply at the same instant stop each other without waiting in a ring', async () => {
  const campaign = await createCampaign({ stop_for_company: true })
  const emails = Array.from({ length: 8 }, () => address('ring.test'))
  const ids = await addLeads(campaign, ...emails)
  await Promise.all([...ids, ...ids.toReversed()].map((id) => record(replied(id))))
  const { lead_counts } = await getCampaign(campaign)
  expect(lead_counts).toMatchObject({ total: 8, active: 0, replied: 8 })
})

test('an unsubscribe while the address is being added stops the new lead, or it is not added', async () => {
  const [campaign, other] = [await createCampaign(), await createCampaign()]
  for (let round = 0; round < 10; round++) {
    const email = address()
    const [id = ''] = await addLeads(campaign, email)
    await Promise.all([record({ kind: 'unsubscribed', leadId: id }), addLeads(other, email)])
    const lead = await getLead(other, email)
    if ('id' in lead) expect(lead.stop_reason).toBe('unsubscribed')
  }
})

test('an activity of a lead that is not there is nothing', async () => {
  expect(await record(replied(api.ctx.newId()), bounced(api.ctx.newId()))).toEqual(new Map())
})

test('a lead of another workspace is not there', async () => {
  const campaign = await createCampaign()
  const email = address()
  const [id = ''] = await addLeads(campaign, email)
  const { workspaceId } = await api.createStranger()
  const strange = (tx: Context) => recordActivities(tx, workspaceId, [replied(id), bounced(id)])
  expect(await transaction(api.ctx, strange)).toEqual(new Map())
  expect(await getLead(campaign, email)).toMatchObject({ status: 'new' })
})

test('a transaction that fails leaves nothing', async () => {
  const campaign = await createCampaign()
  const email = address()
  const [id = ''] = await addLeads(campaign, email)
  const failing = transaction(api.ctx, async (tx) => {
    await recordActivities(tx, api.workspaceId, [bounced(id)])
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await getLead(campaign, email)).toMatchObject({ status: 'new' })
  expect(await typesOf(email)).toEqual([])
  expect(await findSuppressed(api.ctx.db, api.workspaceId, [email])).toEqual(new Map())
})

describe('a thousand activities', () => {
  const statementsOf = async (activities: LeadActivity[]) => {
    let statements = 0
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        statements++
        return result
      },
    }
    await transaction(api.ctx, (tx) => {
      // A handle is bound to what lies below its plugins.
      const bound = bind(tx.db, api.workspaceId)
      const db = bound.withPlugin(counting) as typeof bound
      return recordActivities({ ...tx, db }, api.workspaceId, activities)
    })
    expect(statements).toBeGreaterThan(0)
    return statements
  }

  test('of mails that were sent, in many campaigns, are written in few statements', async () => {
    const campaigns = await Promise.all(Array.from({ length: 20 }, () => createCampaign()))
    const ids: string[] = []
    for (const campaign of campaigns) {
      const emails = Array.from({ length: 50 }, () => address('many.test'))
      ids.push(...(await addLeads(campaign, ...emails)))
    }
    expect(await statementsOf(ids.map((id) => sent(id, tomorrow())))).toBeLessThanOrEqual(6)
    // The draft campaigns are looked at for their completion, one by one.
    const last = await statementsOf(ids.map((id) => sent(id)))
    expect(last).toBeLessThanOrEqual(6 + campaigns.length)
    for (const campaign of campaigns) {
      expect((await getCampaign(campaign)).lead_counts).toMatchObject({ active: 0, completed: 50 })
    }
  })

  test('of every kind are written in few statements', async () => {
    const campaign = await createCampaign({ stop_for_company: true })
    const emails = Array.from({ length: 1000 }, (_, i) => address(`mix${i % 300}.test`))
    const ids = await addLeads(campaign, ...emails)
    const kinds = [
      replied,
      bounced,
      (leadId: string): LeadActivity => ({ kind: 'unsubscribed', leadId }),
      (leadId: string) => sent(leadId, tomorrow()),
    ]
    const activities = ids.map((id, i) => kinds[i % kinds.length]?.(id) as LeadActivity)
    expect(await statementsOf(activities)).toBeLessThanOrEqual(12)
    const { lead_counts } = await getCampaign(campaign)
    expect(lead_counts).toMatchObject({ replied: 250, bounced: 250, unsubscribed: 250 })
  })
})
