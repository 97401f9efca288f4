import { afterEach, beforeEach, expect, test } from 'vitest'
import { address, report } from '../../../../test/inbox.ts'
import {
  imapSettings,
  type LedgerEntry,
  type Sending,
  testSending,
} from '../../../../test/sending.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { type InboxRunner, startInboxRunner } from '../../inbox/index.ts'
import { countReturnedBounces } from '../index.ts'

type Callback = (error?: Error | null) => void

let sending: Sending
beforeEach(async () => {
  sending = await testSending({
    smtp: {
      onRcptTo({ address }: { address: string }, _session: unknown, callback: Callback) {
        const error = Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 })
        callback(address.startsWith('gone') ? error : null)
      },
    },
  })
})
afterEach(() => sending[Symbol.asyncDispose]())

const dayMs = 86_400_000
const path = (id: string) => `/api/v2/campaigns/${id}`
const read = async (id: string) => (await sending.call('GET', path(id))).body
const setStatus = (id: string, status: string) =>
  sending.call('PATCH', path(id), { body: { status } })

const paused = {
  status: 'paused',
  status_reason: 'bounce_protection',
  sending_status: { state: 'waiting', reason: 'bounce_protection' },
}

const untilPaused = (id: string) =>
  sending.ctx.database.until(async () => {
    const { peek } = sending.ctx.database
    const campaigns = peek.selectFrom('campaigns').select('status').where('id', '=', id)
    return (await campaigns.executeTakeFirst())?.status === 'paused'
  })

async function pausedEvents() {
  const { peek } = sending.ctx.database
  const rows = await peek
    .selectFrom('events')
    .select('body')
    .where('type', '=', 'campaign.paused')
    .execute()
  return rows.map(({ body }) => JSON.parse(body).data)
}

/** Active, with somebody to write to, and a mailbox that sends nothing yet. */
async function activeCampaign() {
  const mailbox = await sending.createMailbox(`${sending.ctx.newId()}@example.com`)
  const campaign = await sending.createCampaign([mailbox])
  await sending.addLeads(campaign.id, ['waiting@lead.example'])
  return campaign.id as string
}

/** As if so many had been sent on a day. */
async function sentOn(campaignId: string, at: Date, sent: number) {
  const { workspaceId, ctx } = sending
  const day = at.toISOString().slice(0, 10)
  await ctx.database.peek
    .insertInto('campaign_days')
    .values({ workspace_id: workspaceId, campaign_id: campaignId, day, sent })
    .onConflict((on) => on.columns(['workspace_id', 'campaign_id', 'day']).doUpdateSet({ sent }))
    .execute()
}

const comesBack = (campaignId: string, times: number) =>
  transaction(sending.ctx, (tx) =>
    countReturnedBounces(tx, sending.workspaceId, Array(times).fill(campaignId)),
  )

const ago = (days: number) => new Date(sending.ctx.now().getTime() - days * dayMs)

test('more than one bounce in twenty of at least fifty mails pauses the campaign', async () => {
  const cases: [number, number, string][] = [
    [49, 3, 'active'],
    [50, 2, 'active'],
    [50, 3, 'paused'],
    [60, 3, 'active'],
    [60, 4, 'paused'],
    [1000, 50, 'active'],
    [1000, 51, 'paused'],
  ]
  for (const [sent, bounced, status] of cases) {
    const id = await activeCampaign()
    await sentOn(id, ago(0), sent)
    await comesBack(id, bounced)
    expect(await read(id), `${bounced} of ${sent}`).toMatchObject(
      status === 'paused' ? paused : { status: 'active' },
    )
  }
  expect(await pausedEvents()).toHaveLength(3)
})

test('what was sent more than seven days ago does not count', async () => {
  sending.ctx.clock.set(new Date(`${ago(0).toISOString().slice(0, 10)}T12:00:00Z`))
  const id = await activeCampaign()
  await sentOn(id, ago(7), 1000)
  await sentOn(id, ago(6), 60)
  await comesBack(id, 3)
  expect(await read(id)).toMatchObject({ status: 'active' })
  await comesBack(id, 1)
  expect(await read(id)).toMatchObject(paused)
})

test('who activates the campaign again starts from nothing, and is protected again', async () => {
  const id = await activeCampaign()
  await sentOn(id, ago(0), 1000)
  await comesBack(id, 60)
  expect(await read(id)).toMatchObject(paused)
  expect(await pausedEvents()).toMatchObject([{ campaign: paused, previous_status: 'active' }])

  expect((await setStatus(id, 'active')).body).toMatchObject({ status: 'active' })
  await sentOn(id, ago(0), 1049)
  await comesBack(id, 10)
  expect(await read(id)).toMatchObject({ status: 'active', status_reason: null })
  await sentOn(id, ago(0), 1100)
  await comesBack(id, 1)
  expect(await read(id)).toMatchObject(paused)
  expect(await pausedEvents()).toHaveLength(2)
})

test('a person who pauses and activates a campaign forgives nothing', async () => {
  const id = await activeCampaign()
  await sentOn(id, ago(0), 100)
  await comesBack(id, 5)
  await setStatus(id, 'paused')
  await comesBack(id, 5)
  expect(await read(id)).toMatchObject({ status: 'paused', status_reason: null })
  await setStatus(id, 'active')
  await comesBack(id, 1)
  expect(await read(id)).toMatchObject(paused)
})

test('a list that the mail server refuses pauses its campaign, and its other leads wait', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  const leads = Array.from({ length: 300 }, (_, n) => `${n % 5 ? 'lead' : 'gone'}${n}@lead.example`)
  await sending.addLeads(campaign.id, leads)
  await sending.startRunner()
  await sending.waitForLedger((all) => all.length > 40 && all.every(isSettled))
  await untilPaused(campaign.id)
  expect(await read(campaign.id)).toMatchObject(paused)
  expect(await pausedEvents()).toHaveLength(1)
  await sending.waitForLedger((all) => all.every(isSettled))
  const { length } = await sending.ledger()
  expect(length).toBeLessThan(300)
  expect((await read(campaign.id)).lead_counts.active).toBeGreaterThan(0)
})

const isSettled = ({ state }: LedgerEntry) => state === 'sent' || state === 'failed'

test('mails that come back as mails pause their campaign, too', async () => {
  const imapPort = await sending.startImap()
  const mailbox = await sending.createMailbox(address, imapSettings(imapPort, address))
  const steps = [
    { variants: [{ subject: 'One', body: '<p>1</p>' }] },
    { delay: 3, variants: [{ subject: '', body: '<p>2</p>' }] },
  ]
  const campaign = await sending.createCampaign([mailbox], { sequences: [{ steps }] })
  await sending.addLeads(
    campaign.id,
    Array.from({ length: 50 }, (_, n) => `lead${n}@lead.example`),
  )
  await sending.startRunner()
  const all = (entries: LedgerEntry[]) => entries.length === 50 && entries.every(isSettled)
  await sending.waitForLedger(all)
  for (const { to, source } of sending.outbox.slice(0, 3)) {
    const messageId = /^Message-ID: (.*)\r$/m.exec(source.toString())?.[1] ?? ''
    sending.store.file(sending.account(address), report({ recipient: to, messageId }))
  }
  const inbox: InboxRunner = startInboxRunner(sending.ctx, sending.owner())
  try {
    await untilPaused(campaign.id)
    expect(await read(campaign.id)).toMatchObject(paused)
    expect(await pausedEvents()).toHaveLength(1)
  } finally {
    await inbox.stop()
  }
})
