// Also runs through PgBouncer: the whole life of a mail.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { alwaysOpen, type LedgerEntry, type Sending, testSending } from '../../../test/sending.ts'
import { ensurePartitions } from '../../partitions.ts'
import { operator } from '../audit/index.ts'
import { setPlan } from '../workspaces/workspaces.ts'

let sending: Sending
beforeEach(async () => {
  sending = await testSending()
})
afterEach(() => sending[Symbol.asyncDispose]())

const dayMs = 86_400_000
const variants = (subject: string, body = '<p>Hi</p>') => [{ subject, body }]

const header = (source: Buffer | undefined, name: string) =>
  new RegExp(`^${name}: ((?:.|\\r\\n[ \\t])*)`, 'mi')
    .exec(source?.toString() ?? '')?.[1]
    ?.replaceAll(/\r\n\s+/g, ' ')

const allSent = (count: number) => (entries: { state: string }[]) =>
  entries.filter(({ state }) => state === 'sent').length === count

async function eventsOf(type: string) {
  const { peek } = sending.ctx.database
  const rows = await peek
    .selectFrom('events')
    .select('body')
    .where('type', '=', type)
    .orderBy('id')
    .execute()
  return rows.map(({ body }) => JSON.parse(body))
}

const leadRecord = async (campaignId: string, email: string) =>
  (
    await sending.call(
      'GET',
      `/api/v2/lead/get?email=${encodeURIComponent(email)}&campaign_id=${campaignId}`,
    )
  ).body

test('a lead that is added to an active campaign gets its mail, and the event tells so', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  await sending.startRunner()
  const [leadId] = await sending.addLeads(campaign.id, ['ann@lead.example'])
  const [mail] = await sending.waitForMails(1)
  expect(mail).toMatchObject({ from: 'anna@example.com', to: 'ann@lead.example' })
  expect(header(mail?.source, 'Subject')).toBe('Hello Ann')

  const [entry] = await sending.waitForLedger(allSent(1))
  expect(entry).toMatchObject({ lead_id: leadId, step: 1, attempt: 1, mailbox_id: mailbox.id })
  expect(header(mail?.source, 'Message-ID')).toBe(entry?.message_id)
  expect(await eventsOf('email.sent')).toMatchObject([
    {
      lead_email: 'ann@lead.example',
      data: {
        lead: { id: leadId, current_step: 1, last_contacted_from: 'anna@example.com' },
        message: {
          message_id: entry?.message_id,
          subject: 'Hello Ann',
          step: 1,
          variant: 1,
          mailbox: 'anna@example.com',
        },
      },
    },
  ])
  const [stored] = await sending.ctx.database.peek.selectFrom('messages').selectAll().execute()
  expect(stored).toMatchObject({
    direction: 'out',
    lead_id: leadId,
    message_id: entry?.message_id,
    subject: 'Hello Ann',
    text: expect.stringContaining('Hi'),
    to_addresses: ['ann@lead.example'],
  })
})

test('a campaign whose leads all got their last mail is completed, once', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  await sending.addLeads(campaign.id, ['a@lead.example', 'b@lead.example', 'c@lead.example'])
  await sending.startRunner()
  await sending.waitForLedger(allSent(3))
  const { body } = await sending.call('GET', `/api/v2/campaigns/${campaign.id}`)
  expect(body).toMatchObject({ status: 'completed', lead_counts: { completed: 3, active: 0 } })
  expect(await eventsOf('campaign.completed')).toHaveLength(1)
})

test('follow-ups come after their delay, from the same mailbox and in the same thread', async () => {
  const mailboxes = [
    await sending.createMailbox('anna@example.com'),
    await sending.createMailbox('bert@example.com'),
  ]
  const steps = [
    { variants: variants('First for {{first_name}}') },
    { delay: 2, variants: variants('') },
    { delay: 1, variants: variants('Another matter') },
    { delay: 1, variants: variants('') },
  ]
  const campaign = await sending.createCampaign(mailboxes, { sequences: [{ steps }] })
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['ann@lead.example'])
  const ids: (string | undefined)[] = []
  for (const [index, days] of [0, 2, 1, 1].entries()) {
    sending.ctx.clock.advance(days * dayMs - 3_600_000)
    sending.ctx.clock.advance(3_600_000 + 1000)
    const mails = await sending.waitForMails(index + 1)
    await sending.waitForLedger(allSent(index + 1))
    ids.push(header(mails[index]?.source, 'Message-ID'))
  }
  const { outbox } = sending
  expect(new Set(outbox.map(({ from }) => from)).size).toBe(1)
  expect(outbox.map(({ source }) => header(source, 'Subject'))).toEqual([
    'First for Ann',
    'Re: First for Ann',
    'Another matter',
    'Re: Another matter',
  ])
  expect(outbox.map(({ source }) => header(source, 'In-Reply-To'))).toEqual([
    undefined,
    ids[0],
    undefined,
    ids[2],
  ])
  expect(header(outbox[1]?.source, 'References')).toBe(ids[0])
  expect(header(outbox[3]?.source, 'References')).toBe(ids[2])
  expect(new Set(ids).size).toBe(4)
})

test('a follow-up is not sent before its time', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const steps = [{ variants: variants('One') }, { delay: 2, variants: variants('Two') }]
  const campaign = await sending.createCampaign([mailbox], { sequences: [{ steps }] })
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['ann@lead.example'])
  await sending.waitForLedger(allSent(1))
  const lead = await leadRecord(campaign.id, 'ann@lead.example')
  const dueIn = Date.parse(lead.timestamp_next_send) - sending.ctx.now().getTime()
  expect(dueIn).toBeGreaterThan(2 * dayMs - 60_000)
  // The lane sleeps exactly until then, and nothing else would wake it.
  await sending.untilAsleep(new Date(lead.timestamp_next_send))
})

test.each(['paused', 'lost'])(
  'a follow-up of who was %s for weeks, and is set active again, is sent also where late ones are given up',
  async (new_status) => {
    const mailbox = await sending.createMailbox('anna@example.com')
    const steps = [{ variants: variants('One') }, { delay: 2, variants: variants('Two') }]
    const more = { sequences: [{ steps }], expire_after_days: 3 }
    const campaign = await sending.createCampaign([mailbox], more)
    await sending.startRunner()
    await sending.addLeads(campaign.id, ['ann@lead.example'])
    await sending.waitForLedger(allSent(1))
    const lead = { campaign_id: campaign.id, email: 'ann@lead.example' }
    const set = (new_status: string) =>
      sending.call('POST', '/api/v2/lead/update/status', { body: { ...lead, new_status } })
    await set(new_status)
    sending.ctx.clock.advance(21 * dayMs)
    await ensurePartitions(sending.ctx)
    await set('active')
    // Without a lead that was left it was completed.
    await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body: { status: 'active' } })
    await sending.waitForLedger(allSent(2))
    expect(await leadRecord(campaign.id, lead.email)).toMatchObject({ skip_reason: null })
  },
)

test('two runners and three mailboxes never send a campaign more than its limits', async () => {
  const mailboxes = await Promise.all(
    ['anna', 'bert', 'cleo'].map((name) => sending.createMailbox(`${name}@example.com`)),
  )
  const campaign = await sending.createCampaign(mailboxes, { daily_limit: 25, daily_max_leads: 20 })
  await sending.addLeads(
    campaign.id,
    Array.from({ length: 60 }, (_, n) => `lead${n}@lead.example`),
  )
  await Promise.all([sending.startRunner(), sending.startRunner()])
  await sending.waitForLedger(allSent(20))
  await sending.untilAsleep()
  expect(sending.outbox).toHaveLength(20)
  const [day] = await sending.ctx.database.peek.selectFrom('campaign_days').selectAll().execute()
  expect(day).toMatchObject({ sent: 20, new_leads: 20 })

  sending.ctx.clock.advance(dayMs)
  await sending.waitForLedger(allSent(40))
  await sending.untilAsleep()
  expect(sending.outbox).toHaveLength(40)
})

test('a mailbox sends no more than its limit of the day, whatever its campaigns want', async () => {
  const mailbox = await sending.createMailbox('anna@example.com', { daily_limit: 7 })
  const campaigns = [
    await sending.createCampaign([mailbox]),
    await sending.createCampaign([mailbox]),
  ]
  for (const [index, campaign] of campaigns.entries()) {
    const emails = Array.from({ length: 10 }, (_, n) => `lead${n}@${index}.example`)
    await sending.addLeads(campaign.id, emails)
  }
  await sending.startRunner()
  const entries = await sending.waitForLedger(allSent(7))
  expect(entries).toHaveLength(7)
  const tomorrow = new Date(Math.ceil(sending.ctx.now().getTime() / dayMs) * dayMs)
  await sending.untilAsleep(tomorrow)
  expect(sending.outbox).toHaveLength(7)
})

test('campaigns of one mailbox take turns', async () => {
  const mailbox = await sending.createMailbox('anna@example.com', { gap_seconds: 1 })
  const campaigns = await Promise.all([1, 2, 3].map(() => sending.createCampaign([mailbox])))
  for (const campaign of campaigns) {
    const emails = Array.from({ length: 3 }, (_, n) => `lead${n}@lead.example`)
    await sending.addLeads(campaign.id, emails)
  }
  await sending.startRunner()
  const entries: LedgerEntry[] = []
  for (let count = 1; count <= 6; count++) {
    entries.splice(0, entries.length, ...(await sending.waitForLedger(allSent(count))))
    sending.ctx.clock.advance(1000)
  }
  const order = entries.map(({ campaign_id }) => campaign_id)
  expect(new Set(order.slice(0, 3)).size).toBe(3)
  expect(order.slice(3, 6)).toEqual(order.slice(0, 3))
})

test('between two mails of a mailbox there is always its gap', async () => {
  const mailbox = await sending.createMailbox('anna@example.com', { gap_seconds: 2 })
  const campaign = await sending.createCampaign([mailbox], { email_gap: 10, random_wait_max: 0 })
  await sending.addLeads(campaign.id, ['a@lead.example', 'b@lead.example', 'c@lead.example'])
  await sending.startRunner()
  for (let count = 1; count <= 3; count++) {
    await sending.waitForLedger(allSent(count))
    sending.ctx.clock.advance(600_000)
  }
  const { peek } = sending.ctx.database
  const sent = await peek
    .selectFrom('sends')
    .select('timestamp_transmitting')
    .orderBy('timestamp_transmitting')
    .execute()
  const times = sent.map(({ timestamp_transmitting }) => timestamp_transmitting?.getTime() ?? 0)
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(600_000)
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(600_000)
})

test('outside its window a campaign sends nothing, and it starts when the window opens', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const tomorrow = new Date(sending.ctx.now().getTime() + dayMs).toISOString().slice(0, 10)
  const campaign = await sending.createCampaign([mailbox], {
    campaign_schedule: { ...alwaysOpen, start_date: tomorrow },
  })
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  await sending.untilAsleep(new Date(`${tomorrow}T00:00:00Z`))
  expect(sending.outbox).toEqual([])
  sending.ctx.clock.set(new Date(`${tomorrow}T00:00:01Z`))
  await sending.waitForMails(1)
})

test('a workspace whose plan is lost stops at once, and goes on when it is back', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  await setPlan(sending.ctx, sending.workspaceId, { api: false })
  const { peek } = sending.ctx.database
  await peek.updateTable('workspaces').set({ plan_api: true }).execute()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  await peek.updateTable('workspaces').set({ plan_api: false }).execute()
  await sending.startRunner()
  await sending.untilAsleep(null)
  expect(sending.outbox).toEqual([])
  await setPlan(sending.ctx, sending.workspaceId, { api: true })
  await sending.waitForMails(1)
})

test('a mailbox is woken by what makes work for it: resuming, limits, leads, activation', async () => {
  const { ctx, workspaceId } = sending
  const mailbox = await sending.createMailbox('anna@example.com', { daily_limit: 1 })
  const campaign = await sending.createCampaign([mailbox])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example', 'b@lead.example'])
  await sending.waitForLedger(allSent(1))
  const { updateMailbox, pauseMailbox, resumeMailbox } = await import('../mailboxes/index.ts')
  await updateMailbox(ctx, workspaceId, mailbox.id, { daily_limit: 100 }, operator)
  await sending.waitForLedger(allSent(2))

  await pauseMailbox(ctx, workspaceId, mailbox.id, operator)
  const other = await sending.createCampaign([mailbox], { name: 'other' }).catch(() => undefined)
  expect(other).toBeUndefined()
  const more = await sending.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: campaign.id, leads: [{ email: 'c@lead.example', first_name: 'Cleo' }] },
  })
  expect(more.status).toBe(200)
  await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body: { status: 'active' } })
  expect(sending.outbox).toHaveLength(2)
  await resumeMailbox(ctx, workspaceId, mailbox.id, operator)
  await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body: { status: 'active' } })
  await sending.waitForLedger(allSent(3))
})
