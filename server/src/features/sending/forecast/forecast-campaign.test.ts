import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { createMailbox, createReadyCampaign } from '../../../../test/campaigns.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { operator } from '../../audit/index.ts'
import { recordActivities } from '../../leads/index.ts'
import { removeMailbox } from '../../mailboxes/index.ts'
import { forecastCampaign } from './forecast-campaign.ts'

let api: TestApi
let campaign: { id: string; email_list: string[]; sequences: { steps: { id: string }[] }[] }
let serial = 0

// A Monday that lies ahead, whatever day it is.
const monday = new Date('2030-01-07T00:00:00Z')

beforeAll(async () => {
  api = await testApi()
  api.ctx.clock.set(monday)
  const { ensurePartitions } = await import('../../../partitions.ts')
  await ensurePartitions(api.ctx)
})
afterAll(() => api[Symbol.asyncDispose]())

const step = (delay: number) => ({ delay, variants: [{ subject: 'Hi', body: '<p>Hi</p>' }] })

beforeEach(async () => {
  api.ctx.clock.set(monday)
  campaign = await createReadyCampaign(api, {
    sequences: [{ steps: [step(0), step(2)] }],
    email_gap: 10,
    random_wait_max: 0,
  })
})

async function addLeads(count: number): Promise<string[]> {
  const leads = Array.from({ length: count }, () => ({ email: `l${serial++}@forecast.test` }))
  const { body } = await api.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: campaign.id, leads },
  })
  return body.created_leads.map(({ id }: { id: string }) => id)
}

/** For two reasons, of which each alone would do. */
const suppress = (kind: 'address' | 'domain', ...values: string[]) =>
  api.ctx.database.peek
    .insertInto('suppressions')
    .values(
      ['blocked', 'unsubscribed'].flatMap((reason) =>
        values.map((value) => ({
          ...{ workspace_id: api.workspaceId, kind, value, reason },
          timestamp_created: monday,
        })),
      ),
    )
    .execute()

const forecast = (options = {}) => forecastCampaign(api.ctx, api.workspaceId, campaign.id, options)
const days = async () =>
  (await forecast()).days.map(({ date, sends, limited_by }) => [date.slice(5), sends, limited_by])
const patch = (body: object) => api.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body })
const mailboxOf = (address: string) =>
  api.ctx.database.peek
    .selectFrom('mailboxes')
    .selectAll()
    .where('address', '=', address)
    .executeTakeFirstOrThrow()

test('a draft is forecast as if it were started now', async () => {
  await addLeads(60)
  const { address, id, status } = await mailboxOf(campaign.email_list[0] ?? '')
  expect(await days()).toEqual([
    ['01-07', 48, 'mailbox_busy'],
    ['01-08', 12, 'waiting_for_step_delay'],
    ['01-09', 48, 'waiting_for_step_delay'],
    ['01-10', 12, null],
  ])
  expect(await forecast()).toMatchObject({
    campaign: { id: campaign.id, status: 'draft' },
    timezone: 'UTC',
    mailboxes: [{ id, address, status, shared_with: 0 }],
    sends: 120,
    ends: 'all_sent',
  })
})

test('what was sent today, and what is in whose thread, is where it goes on from', async () => {
  const [first = '', second = '', third = ''] = await addLeads(4)
  const mailbox = await mailboxOf(campaign.email_list[0] ?? '')
  const other = await createMailbox(api.ctx, api.workspaceId)
  await patch({ email_list: [...campaign.email_list, other.address], daily_limit: 2 })
  const stepId = campaign.sequences[0]?.steps[0]?.id ?? ''
  const sent = (leadId: string, mailboxId: string) =>
    ({
      kind: 'sent',
      leadId,
      message: { message_id: '<m@x>', subject: '', step: 1, variant: 1, mailbox: 'm@x' },
      stepId,
      mailboxId,
      threadSubject: '',
      next: { notBefore: new Date('2030-01-09T09:00:00Z') },
    }) as const
  await transaction(api.ctx, (tx) =>
    recordActivities(tx, api.workspaceId, [sent(first, mailbox.id), sent(second, other.id)]),
  )
  await api.ctx.database.peek
    .insertInto('campaign_days')
    .values({
      workspace_id: api.workspaceId,
      campaign_id: campaign.id,
      day: '2030-01-07',
      sent: 1,
      new_leads: 1,
    })
    .execute()
  await api.ctx.database.peek
    .updateTable('leads')
    .set({ sending_state: 'paused' })
    .where('id', '=', third)
    .execute()
  const { days, held } = await forecast()
  expect(days.map(({ date, sends, mailboxes }) => [date, sends, mailboxes])).toMatchObject([
    ['2030-01-07', 1, [{ sends: 1 }]],
    ['2030-01-08', 0, []],
    // Each in its own thread, though either mailbox had time for both.
    ['2030-01-09', 2, [{ sends: 1 }, { sends: 1 }]],
    ['2030-01-10', 1, [{ sends: 1 }]],
  ])
  expect(held).toEqual([{ reason: 'lead_paused', leads: 1 }])
})

test('who waits for a mailbox that was removed is not among the paused', async () => {
  const [orphan = '', paused = ''] = await addLeads(3)
  const removed = await createMailbox(api.ctx, api.workspaceId)
  const message = { message_id: '<m@x>', subject: '', step: 1, variant: 1, mailbox: 'm@x' }
  const sent = {
    kind: 'sent' as const,
    ...{ leadId: orphan, message, stepId: campaign.sequences[0]?.steps[0]?.id ?? '' },
    ...{ mailboxId: removed.id, threadSubject: 'Hi', next: { notBefore: monday } },
  }
  await transaction(api.ctx, (tx) => recordActivities(tx, api.workspaceId, [sent]))
  await removeMailbox(api.ctx, api.workspaceId, removed.id, operator)
  await api.ctx.database.peek
    .updateTable('leads')
    .set({ sending_state: 'paused' })
    .where('id', '=', paused)
    .execute()
  const { held } = await forecast()
  expect(held.toSorted((a, b) => (a.reason < b.reason ? -1 : 1))).toEqual([
    { reason: 'lead_paused', leads: 1 },
    { reason: 'mailbox_unavailable', leads: 1 },
  ])
})

test('whoever is suppressed, by address or by domain, is among those who get no mail', async () => {
  await addLeads(2)
  const leads = ['one@blocked.test', 'two@blocked.test', 'three@left.test'].map((email) => ({
    email,
  }))
  await api.call('POST', '/api/v2/lead/add', { body: { campaign_id: campaign.id, leads } })
  await suppress('address', 'three@left.test', 'one@blocked.test')
  const [two, three] = [2, 3].map((leads) => [{ reason: 'suppressed', leads }])
  expect(await forecast()).toMatchObject({ recipients: 3, held: two })
  await suppress('domain', 'blocked.test')
  expect(await forecast()).toMatchObject({ recipients: 2, sends: 4, held: three })
})

test('whoever is suppressed between two steps gets no further mail', async () => {
  const [first = ''] = await addLeads(2)
  const mailbox = await mailboxOf(campaign.email_list[0] ?? '')
  const message = { message_id: '<m@x>', subject: '', step: 1, variant: 1, mailbox: 'm@x' }
  const sent = {
    kind: 'sent' as const,
    ...{ leadId: first, message, stepId: campaign.sequences[0]?.steps[0]?.id ?? '' },
    ...{ mailboxId: mailbox.id, threadSubject: 'Hi', next: { notBefore: monday } },
  }
  await transaction(api.ctx, (tx) => recordActivities(tx, api.workspaceId, [sent]))
  await suppress('address', `l${serial - 2}@forecast.test`)
  const held = [{ reason: 'suppressed', leads: 1 }]
  expect(await forecast()).toMatchObject({ recipients: 1, sends: 2, held })
  const leads = api.ctx.database.peek.updateTable('leads').set({ timestamp_next_send: null })
  await leads.where('id', '=', first).execute()
  const paused = [{ reason: 'lead_paused', leads: 1 }]
  expect(await forecast()).toMatchObject({ recipients: 1, sends: 2, held: paused })
})

test('leads that are due later are sent to later', async () => {
  await patch({ sequences: [{ steps: [step(3)] }] })
  await addLeads(2)
  expect(await days()).toEqual([
    ['01-07', 0, 'waiting_for_step_delay'],
    ['01-08', 0, 'waiting_for_step_delay'],
    ['01-09', 0, 'waiting_for_step_delay'],
    ['01-10', 2, null],
  ])
})

test('other active campaigns of its mailboxes are told of', async () => {
  await addLeads(1)
  const other = await createReadyCampaign(api, { email_list: campaign.email_list })
  const sharedWith = async () => (await forecast()).mailboxes.map(({ shared_with }) => shared_with)
  expect(await sharedWith()).toEqual([0])
  await api.call('PATCH', `/api/v2/campaigns/${other.id}`, { body: { status: 'active' } })
  expect(await sharedWith()).toEqual([1])
})

test('it looks no further than it is asked to', async () => {
  await patch({ daily_limit: 1 })
  await addLeads(9)
  expect(await forecast({ daysMax: 2 })).toMatchObject({ sends: 2, unsent: 16, ends: 'days_max' })
})

test('a campaign of another workspace is not there', async () => {
  const { workspaceId } = await api.createStranger()
  await expect(forecastCampaign(api.ctx, workspaceId, campaign.id)).rejects.toMatchObject({
    code: 'not_found',
  })
})
