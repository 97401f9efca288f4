import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { createReadyCampaign } from '../../../../test/campaigns.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { ensurePartitions } from '../../../partitions.ts'
import {
  claimRescheduling,
  endRescheduling,
  findCampaignsToReschedule,
  type RescheduleClaim,
} from '../../campaigns/index.ts'
import { createMarkedWaker } from '../../mailbox-lanes/index.ts'
import { recordActivities } from '../activity/record-activity.ts'
import type { Lead } from '../schema.ts'
import { postponeLeads } from './postpone-queries.ts'
import { rescheduleLeads } from './reschedule-leads.ts'

let api: TestApi
let serial = 0

beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const day = 86_400_000
const step = (delay: number, more: object = {}) => ({
  delay,
  variants: [{ subject: 'Hello', body: '<p>Hello</p>' }],
  ...more,
})

interface Sequenced {
  id: string
  sequences: { steps: { id: string; delay: number }[] }[]
}

async function createCampaign(...delays: number[]): Promise<Sequenced> {
  const sequences = [{ steps: delays.map((delay) => step(delay)) }]
  const campaign = await createReadyCampaign(api, { sequences })
  await patch(campaign.id, { status: 'active' })
  return campaign
}

const patch = async (id: string, body: object) => {
  const answer = await api.call('PATCH', `/api/v2/campaigns/${id}`, { body })
  expect(answer.status).toBe(200)
}
const stepsOf = ({ sequences }: Sequenced) => sequences[0]?.steps ?? []
const setDelays = (campaign: Sequenced, delays: number[]) =>
  patch(campaign.id, {
    sequences: [{ steps: stepsOf(campaign).map((each, i) => ({ ...each, delay: delays[i] })) }],
  })

async function addLead(campaign_id: string, email = `lead${serial++}@follow.test`) {
  const { body } = await api.call('POST', '/api/v2/lead/add', {
    body: { campaign_id, leads: [{ email }] },
  })
  return { id: body.created_leads[0].id as string, campaign_id, email }
}
type Added = Awaited<ReturnType<typeof addLead>>

const getLead = async ({ campaign_id, email }: Added): Promise<Lead> =>
  (await api.call('GET', `/api/v2/lead/get?${new URLSearchParams({ campaign_id, email })}`)).body

/** In days after the lead was added. */
const nextOf = async (lead: Added) => {
  const { timestamp_next_send: next, timestamp_created } = await getLead(lead)
  return next && (Date.parse(`${next}`) - Date.parse(`${timestamp_created}`)) / day
}

async function send(lead: Added, campaign: Sequenced, number: number, nextInDays: number | null) {
  const next = nextInDays === null ? null : new Date(api.ctx.now().getTime() + nextInDays * day)
  const mailbox = await api.ctx.database.peek
    .selectFrom('mailboxes')
    .select('id')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  await transaction(api.ctx, (tx) =>
    recordActivities(tx, api.workspaceId, [
      {
        kind: 'sent',
        leadId: lead.id,
        message: { message_id: '<m@x>', subject: '', step: number, variant: 1, mailbox: 'm@x' },
        stepId: stepsOf(campaign)[number - 1]?.id ?? '',
        mailboxId: mailbox.id,
        threadSubject: '',
        next: next && { notBefore: next },
      },
    ]),
  )
}

test('a lead is due when its first step’s delay is over', async () => {
  const lead = await addLead((await createCampaign(3)).id)
  expect(await nextOf(lead)).toBe(3)
  expect(await nextOf(await addLead((await createCampaign(0)).id))).toBe(0)
})

test('new delays are followed by leads that nothing was sent to and by those in between', async () => {
  const campaign = await createCampaign(0, 3)
  const [fresh, begun] = [await addLead(campaign.id), await addLead(campaign.id)]
  await send(begun, campaign, 1, 3)
  await setDelays(campaign, [2, 5])
  await rescheduleLeads(api.ctx)
  expect([await nextOf(fresh), await nextOf(begun)]).toEqual([2, 5])
  await setDelays(campaign, [0, 1])
  await rescheduleLeads(api.ctx)
  expect([await nextOf(fresh), await nextOf(begun)]).toEqual([0, 1])
})

async function letDaysPass(days: number) {
  api.ctx.clock.advance(days * day)
  await ensurePartitions(api.ctx)
}

test('a follow-up that new delays put into the past is due from then on, and no later overdue than it was', async () => {
  const campaign = await createCampaign(0, 30)
  const lead = await addLead(campaign.id)
  await send(lead, campaign, 1, 30)
  await letDaysPass(20)
  await setDelays(campaign, [0, 3])
  await rescheduleLeads(api.ctx)
  expect(await nextOf(lead)).toBe(20)
  await letDaysPass(5)
  await setDelays(campaign, [0, 2])
  await rescheduleLeads(api.ctx)
  expect(await nextOf(lead)).toBe(20)
})

test('who is resumed after new delays put their follow-up into the past is due from then on', async () => {
  const campaign = await createCampaign(0, 30)
  const lead = await addLead(campaign.id)
  await send(lead, campaign, 1, 30)
  const { email } = lead
  const setStatus = (new_status: string) =>
    api.call('POST', '/api/v2/lead/update/status', {
      body: { campaign_id: campaign.id, email, new_status },
    })
  await setStatus('paused')
  await letDaysPass(20)
  await setDelays(campaign, [0, 3])
  await setStatus('active')
  expect(await nextOf(lead)).toBe(20)
})

test('rescheduling changes no lead’s own time, and wakes the mailboxes of leads that are due sooner', async () => {
  const campaign = await createCampaign(1)
  const lead = await addLead(campaign.id)
  const before = await getLead(lead)
  api.ctx.clock.advance(1000)
  await setDelays(campaign, [0])
  const seq = async () =>
    (
      await api.ctx.database.peek
        .selectFrom('mailbox_lanes')
        .select((of) => of.fn.sum('seq').as('seq'))
        .executeTakeFirst()
    )?.seq
  await createMarkedWaker(api.ctx)()
  const asleep = await seq()
  await rescheduleLeads(api.ctx)
  await createMarkedWaker(api.ctx)()
  expect((await getLead(lead)).timestamp_updated).toEqual(before.timestamp_updated)
  expect(Number(await seq())).toBe(Number(asleep) + 1)
  await setDelays(campaign, [3])
  await rescheduleLeads(api.ctx)
  await createMarkedWaker(api.ctx)()
  expect(Number(await seq())).toBe(Number(asleep) + 1)
})

test('a lead that is away stays away', async () => {
  const campaign = await createCampaign(0, 3)
  const lead = await addLead(campaign.id)
  await send(lead, campaign, 1, 3)
  const message = { message_id: '<m@x>', subject: '', step: 1, variant: 1, mailbox: 'm@x' }
  const reply = { message_id: null, subject: '', text: '', html: null, snippet: '' }
  const resumeAt = new Date(api.ctx.now().getTime() + 9 * day)
  await transaction(api.ctx, (tx) =>
    recordActivities(tx, api.workspaceId, [
      { kind: 'auto_replied', leadId: lead.id, message, reply, isOutOfOffice: true, resumeAt },
    ]),
  )
  await setDelays(campaign, [0, 1])
  await rescheduleLeads(api.ctx)
  expect(await nextOf(lead)).toBe(9)
  await setDelays(campaign, [0, 12])
  await rescheduleLeads(api.ctx)
  expect(await nextOf(lead)).toBe(12)
})

const minute = 60_000
const eventsOf = async ({ email }: Added) => {
  const events = api.ctx.database.peek.selectFrom('events').select('type')
  const rows = await events.where('lead_email', '=', email).orderBy('id').execute()
  return rows.map(({ type }) => type)
}

test('who got every step that is left is completed ten minutes later, and with the last one the campaign', async () => {
  const campaign = await createCampaign(0, 0)
  const lead = await addLead(campaign.id)
  await send(lead, campaign, 1, 0)
  const { timestamp_updated } = await getLead(lead)
  const finishAt = new Date(api.ctx.now().getTime() + 10 * minute)
  await patch(campaign.id, { sequences: [{ steps: stepsOf(campaign).slice(0, 1) }] })
  await rescheduleLeads(api.ctx)
  api.ctx.clock.advance(10 * minute - 1)
  await rescheduleLeads(api.ctx)
  expect(await getLead(lead)).toMatchObject({
    ...{ status: 'contacted', sending_state: 'active', timestamp_updated },
    timestamp_next_send: finishAt.toISOString(),
  })
  expect(await eventsOf(lead)).toEqual(['email.sent'])
  api.ctx.clock.advance(1)
  await rescheduleLeads(api.ctx)
  expect(await getLead(lead)).toMatchObject({
    status: 'completed',
    sending_state: 'finished',
    timestamp_next_send: null,
  })
  const { body } = await api.call('GET', `/api/v2/campaigns/${campaign.id}`)
  expect(body.status).toBe('completed')
  expect(await eventsOf(lead)).toEqual(['email.sent', 'lead.completed'])
})

test('leads are looked at once more where those ten minutes ended while they were looked at', async () => {
  const campaign = await createCampaign(0, 0)
  const lead = await addLead(campaign.id)
  await send(lead, campaign, 1, 0)
  await patch(campaign.id, { sequences: [{ steps: stepsOf(campaign).slice(0, 1) }] })
  const [due] = await findCampaignsToReschedule(api.ctx.db, api.ctx.now(), 1)
  const claim = await claimRescheduling(api.ctx, due as RescheduleClaim)
  const begun = api.ctx.now()
  api.ctx.clock.advance(10 * minute)
  await transaction(api.ctx, (tx) => endRescheduling(tx, claim as RescheduleClaim, begun))
  await rescheduleLeads(api.ctx)
  expect(await getLead(lead)).toMatchObject({ status: 'completed', sending_state: 'finished' })
})

test('who has no step left, and gets one back within ten minutes, goes on as before', async () => {
  const campaign = await createCampaign(0, 3)
  const lead = await addLead(campaign.id)
  await send(lead, campaign, 1, 3)
  await patch(campaign.id, { sequences: [{ steps: stepsOf(campaign).slice(0, 1) }] })
  await rescheduleLeads(api.ctx)
  api.ctx.clock.advance(10 * minute - 1)
  await patch(campaign.id, { sequences: [{ steps: [...stepsOf(campaign).slice(0, 1), step(3)] }] })
  await rescheduleLeads(api.ctx)
  expect(await nextOf(lead)).toBe(3)
  api.ctx.clock.advance(minute)
  await rescheduleLeads(api.ctx)
  expect(await getLead(lead)).toMatchObject({ status: 'contacted', sending_state: 'active' })
})

test('who gets the last mail that an edit has left is completed ten minutes after the edit', async () => {
  const campaign = await createCampaign(0, 3)
  const lead = await addLead(campaign.id)
  await patch(campaign.id, { sequences: [{ steps: stepsOf(campaign).slice(0, 1) }] })
  await rescheduleLeads(api.ctx)
  api.ctx.clock.advance(5 * minute)
  await send(lead, campaign, 1, null)
  expect(await getLead(lead)).toMatchObject({ status: 'contacted', sending_state: 'active' })
  api.ctx.clock.advance(5 * minute)
  await rescheduleLeads(api.ctx)
  expect(await getLead(lead)).toMatchObject({ status: 'completed', sending_state: 'finished' })
  expect(await eventsOf(lead)).toEqual(['email.sent', 'lead.completed'])
})

test('a lead that is resumed with nothing left since an edit is completed ten minutes after that', async () => {
  const campaign = await createCampaign(0, 3)
  const lead = await addLead(campaign.id)
  await send(lead, campaign, 1, 3)
  const { email } = lead
  const setStatus = (new_status: string) =>
    api.call('POST', '/api/v2/lead/update/status', {
      body: { campaign_id: campaign.id, email, new_status },
    })
  await setStatus('paused')
  await patch(campaign.id, { sequences: [{ steps: stepsOf(campaign).slice(0, 1) }] })
  await setStatus('active')
  expect(await getLead(lead)).toMatchObject({ status: 'contacted', sending_state: 'active' })
  api.ctx.clock.advance(10 * minute)
  await rescheduleLeads(api.ctx)
  expect(await getLead(lead)).toMatchObject({ status: 'completed', sending_state: 'finished' })
})

test('leads that were there before a campaign stops for companies have theirs from then on', async () => {
  const campaign = await createCampaign(0, 3)
  const [one, other] = [
    await addLead(campaign.id, 'a@mail.acme.test'),
    await addLead(campaign.id, 'b@acme.test'),
  ]
  await patch(campaign.id, { stop_for_company: true })
  await rescheduleLeads(api.ctx)
  const message = { message_id: '<m@x>', subject: '', step: 1, variant: 1, mailbox: 'm@x' }
  const reply = { message_id: null, subject: '', text: '', html: null, snippet: '' }
  await transaction(api.ctx, (tx) =>
    recordActivities(tx, api.workspaceId, [{ kind: 'replied', leadId: one.id, message, reply }]),
  )
  expect((await getLead(other)).stop_reason).toBe('company_replied')
})

test('more leads than are written at once all follow, and the work is done then', async () => {
  const campaign = await createCampaign(0)
  for (let call = 0; call < 5; call++) {
    const leads = Array.from({ length: 1000 }, () => ({ email: `l${serial++}@follow.test` }))
    await api.call('POST', '/api/v2/lead/add', { body: { campaign_id: campaign.id, leads } })
    api.ctx.clock.advance(1000)
  }
  await setDelays(campaign, [4])
  await rescheduleLeads(api.ctx)
  const rows = await api.ctx.database.peek
    .selectFrom('leads')
    .select(['timestamp_created', 'timestamp_next_send'])
    .where('campaign_id', '=', campaign.id)
    .execute()
  expect(rows).toHaveLength(5000)
  for (const { timestamp_created: created, timestamp_next_send: next } of rows) {
    expect(next?.getTime()).toBe(created.getTime() + 4 * day)
  }
  expect(await followDue(campaign.id)).toBeNull()
})

const followDue = async (id: string) =>
  (
    await api.ctx.database.peek
      .selectFrom('campaigns')
      .select('leads_follow_due')
      .where('id', '=', id)
      .executeTakeFirst()
  )?.leads_follow_due

test('an edit while leads are rescheduled has them rescheduled again', async () => {
  const campaign = await createCampaign(0)
  const lead = await addLead(campaign.id)
  await setDelays(campaign, [4])
  await Promise.all([rescheduleLeads(api.ctx), setDelays(campaign, [6])])
  await rescheduleLeads(api.ctx)
  expect(await nextOf(lead)).toBe(6)
  expect(await followDue(campaign.id)).toBeNull()
})

test('a lead that is added while the steps are edited follows as well', async () => {
  for (let round = 0; round < 10; round++) {
    const campaign = await createCampaign(0)
    await addLead(campaign.id)
    const [lead] = await Promise.all([addLead(campaign.id), setDelays(campaign, [5])])
    await rescheduleLeads(api.ctx)
    expect(await nextOf(lead)).toBe(5)
  }
})

test.each([
  ['a text', { variants: [{ subject: 'Other', body: '<p>Other</p>' }] }],
  ['the zone, where no days are counted', {}],
])('nobody is rescheduled by a change of %s', async (_case, more) => {
  const campaign = await createCampaign(0)
  await addLead(campaign.id)
  const zone = {
    schedules: [
      {
        timing: { from: '09:00', to: '17:00' },
        days: { 1: true },
        timezone: 'Asia/Kolkata',
      },
    ],
  }
  const steps = stepsOf(campaign).map((each) => ({ ...each, ...more }))
  await patch(campaign.id, { sequences: [{ steps }], campaign_schedule: zone })
  expect(await followDue(campaign.id)).toBeNull()
})

test('a process that dies in between leaves the work to another', async () => {
  const campaign = await createCampaign(0)
  const lead = await addLead(campaign.id)
  await setDelays(campaign, [7])
  const stopping = new AbortController()
  const dying = {
    ...api.ctx,
    get db() {
      stopping.abort()
      return api.ctx.db
    },
  }
  await rescheduleLeads(dying, stopping.signal)
  expect(await nextOf(lead)).toBe(0)
  api.ctx.clock.advance(61_000)
  await rescheduleLeads(api.ctx)
  expect(await nextOf(lead)).toBe(7)
})

test('a lead that is resumed is due by the steps as they are now', async () => {
  const campaign = await createCampaign(0, 3)
  const lead = await addLead(campaign.id)
  await send(lead, campaign, 1, 3)
  const setStatus = (new_status: string) =>
    api.call('POST', '/api/v2/lead/update/status', {
      body: { campaign_id: lead.campaign_id, email: lead.email, new_status },
    })
  await setStatus('paused')
  await setDelays(campaign, [0, 8])
  await rescheduleLeads(api.ctx)
  expect(await nextOf(lead)).toBeNull()
  await setStatus('active')
  expect(await nextOf(lead)).toBe(8)
})

test('a lead that is resumed with nothing left to send is completed', async () => {
  const campaign = await createCampaign(0)
  const lead = await addLead(campaign.id)
  await transaction(api.ctx, (tx) =>
    recordActivities(tx, api.workspaceId, [
      {
        kind: 'skipped',
        leadId: lead.id,
        reason: 'template_failed',
        detail: 'first_name has no value',
      },
    ]),
  )
  expect(await getLead(lead)).toMatchObject({
    sending_state: 'paused',
    skip_reason: 'template_failed: first_name has no value',
  })
  await send(lead, campaign, 1, null)
  expect(await getLead(lead)).toMatchObject({ sending_state: 'finished', skip_reason: null })
})

test('a mail that is put off does not leave before an absence ends, and one after it waits as long', async () => {
  const campaign = await createCampaign(0)
  const lead = await addLead(campaign.id)
  const { ctx, workspaceId } = api
  const inDays = (days: number) => new Date(ctx.now().getTime() + days * day)
  await ctx.database.peek
    .updateTable('leads')
    .set({ postponed_until: inDays(5) })
    .where('id', '=', lead.id)
    .execute()
  const putOff = async (until: Date) => {
    await postponeLeads(ctx.db, [{ workspace_id: workspaceId, lead_id: lead.id, until }], ctx.now())
    return (await getLead(lead)).timestamp_next_send
  }
  expect(await putOff(inDays(1))).toBe(inDays(5).toISOString())
  expect(await putOff(inDays(9))).toBe(inDays(9).toISOString())
  // An edit says nothing of why it was put off.
  await setDelays(campaign, [2])
  await rescheduleLeads(ctx)
  expect((await getLead(lead)).timestamp_next_send).toBe(inDays(9).toISOString())
})
