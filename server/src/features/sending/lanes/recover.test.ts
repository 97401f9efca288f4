// Also runs on PostgreSQL 15: locks.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LedgerEntry, type Sending, testSending } from '../../../../test/sending.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { rescheduleLeads } from '../../leads/index.ts'
import { takeLanes } from '../../mailbox-lanes/index.ts'
import { CampaignCache } from '../next-mail/campaign-cache.ts'
import { settleSends } from '../settle/settle.ts'
import { bareSettlement } from '../settle/settlement.ts'

// What a dead process leaves behind is written here as it would have left it.

let sending: Sending
beforeEach(async () => {
  sending = await testSending()
})
afterEach(() => sending[Symbol.asyncDispose]())

const settled = (count: number) => (entries: LedgerEntry[]) =>
  entries.filter(({ state }) => state === 'sent' || state === 'uncertain').length === count

const versionOf = async (campaignId: string) => {
  const campaigns = sending.ctx.database.peek.selectFrom('campaigns').select('timestamp_updated')
  const row = await campaigns.where('id', '=', campaignId).executeTakeFirstOrThrow()
  return row.timestamp_updated
}

/** One mail is sent, and then the ledger is put back to the moment in which its sender died. */
async function leaveBehind(state: 'claimed' | 'transmitting', wait: object = { delay: 1 }) {
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox], {
    sequences: [
      {
        steps: [
          { variants: [{ subject: 'One', body: '<p>1</p>' }] },
          { ...wait, variants: [{ subject: '', body: '<p>2</p>' }] },
        ],
      },
    ],
  })
  const [leadId] = await sending.addLeads(campaign.id, ['ann@lead.example'])
  const { ctx, workspaceId } = sending
  const { peek } = ctx.database
  const step = campaign.sequences[0].steps[0]
  await peek
    .insertInto('sends')
    .values({
      workspace_id: workspaceId,
      lead_id: leadId ?? '',
      step_id: step.id,
      id: ctx.newId(),
      campaign_id: campaign.id,
      mailbox_id: mailbox.id,
      step: 1,
      variant: 1,
      variant_id: step.variants[0].id,
      message_id: '<one@example.com>',
      subject: state === 'transmitting' ? 'One' : null,
      starts_thread: true,
      state,
      claim_token: 0,
      is_new: true,
      campaign_day: ctx.now().toISOString().slice(0, 10),
      mailbox_day: ctx.now().toISOString().slice(0, 10),
      timestamp_claimed: ctx.now(),
      timestamp_transmitting: state === 'transmitting' ? ctx.now() : null,
    })
    .execute()
  const day = ctx.now().toISOString().slice(0, 10)
  const days = { workspace_id: workspaceId, day, sent: 1 }
  await peek
    .insertInto('campaign_days')
    .values({ ...days, campaign_id: campaign.id, new_leads: 1 })
    .execute()
  await peek
    .insertInto('mailbox_days')
    .values({ ...days, mailbox_id: mailbox.id })
    .execute()
  return { campaign, mailbox, leadId }
}

const counted = async () => {
  const { peek } = sending.ctx.database
  const [campaign] = await peek.selectFrom('campaign_days').selectAll().execute()
  const [mailbox] = await peek.selectFrom('mailbox_days').selectAll().execute()
  return [campaign?.sent, campaign?.new_leads, mailbox?.sent]
}

const lead = async (campaignId: string) =>
  (await sending.call('GET', `/api/v2/lead/get?email=ann@lead.example&campaign_id=${campaignId}`))
    .body

test('what was claimed and not sent is sent by the next runner, and counted once', async () => {
  await leaveBehind('claimed')
  await sending.startRunner()
  const [entry] = await sending.waitForLedger(settled(1))
  expect(entry).toMatchObject({ state: 'sent', attempt: 2 })
  expect(sending.outbox).toHaveLength(1)
  expect(await counted()).toEqual([1, 1, 1])
})

test('what may have been sent is not sent again: it counts as sent, and its lead goes on', async () => {
  const { campaign, mailbox } = await leaveBehind('transmitting')
  await sending.startRunner()
  const [entry] = await sending.waitForLedger(settled(1))
  expect(entry).toMatchObject({ state: 'uncertain', attempt: 1 })
  expect(entry?.error_message).toContain('ended')
  expect(await counted()).toEqual([1, 1, 1])
  // The next step's delay counts from then, however late it was found.
  const sentAt = entry?.timestamp_transmitting?.toISOString()
  expect(await lead(campaign.id)).toMatchObject({
    ...{ current_step: 1, sending_state: 'active', timestamp_last_contact: sentAt },
  })
  expect(sending.outbox).toEqual([])

  sending.ctx.clock.advance(25 * 3_600_000)
  const [followUp] = await sending.waitForMails(1)
  expect(followUp?.source.toString()).toContain('Subject: Re: One')
  expect(followUp?.source.toString()).toContain('In-Reply-To: <one@example.com>')
  expect(followUp?.from).toBe(mailbox.address)
})

test('a runner that lost its lease finishes nothing that was given back, and its claims are refused', async () => {
  const { mailbox } = await leaveBehind('claimed')
  const { ctx, workspaceId } = sending
  const [before] = await ctx.database.peek
    .selectFrom('sends')
    .selectAll()
    .$narrowType<{ variant_id: string; campaign_day: string; mailbox_day: string }>()
    .execute()
  await sending.startRunner()
  await sending.waitForLedger(settled(1))
  const { markTransmitting } = await import('../transmit/mark-queries.ts')
  const { claimSends } = await import('../claim/claim.ts')
  if (!before) throw new Error('nothing was left behind')
  const { lead_id, step_id, id, campaign_id } = before
  const campaign_version = await versionOf(campaign_id)
  const key = { workspace_id: workspaceId, lead_id, step_id, id, campaign_id, campaign_version }
  const until = new Date(ctx.now().getTime() + 3_600_000)
  const mark = {
    ...key,
    attempt: 1,
    mailbox_id: mailbox.id,
    mailbox_version: mailbox.timestamp_updated,
    subject: 'One',
    starts_thread: true,
    until,
    is_new: true,
    after_step_id: null,
  }
  expect(await markTransmitting(ctx.db, [mark], ctx.now(), new Date(0))).toEqual(new Set())

  const [other] = await sending.addLeads(campaign_id, ['bob@lead.example'])
  const claims = await transaction(ctx, (tx) =>
    claimSends(
      tx,
      [
        {
          ...mark,
          lead_id: other ?? '',
          id: ctx.newId(),
          step: 1,
          variant: 1,
          variant_id: before.variant_id,
          message_id: '<two@example.com>',
          token: '0',
          campaign_day: before.campaign_day,
          mailbox_day: before.mailbox_day,
          mailbox_limit: 100,
        },
      ],
      { epoch: 0, readSince: new Date(0) },
    ),
  )
  expect(claims).toEqual([null])
})

const noWait = { delay: 0, delay_unit: 'minutes' }
const subjects = () =>
  sending.outbox.map(({ source }) => /^Subject: (.*)\r$/m.exec(source.toString())?.[1])

test('a mail that the former owner of its mailbox says never left is sent before its follow-up, which has no wait', async () => {
  const { campaign } = await leaveBehind('transmitting', noWait)
  const { ctx } = sending
  await sending.startRunner()
  const [entry] = await sending.waitForLedger(settled(1))
  await sending.untilAsleep()
  expect(subjects()).toEqual([])
  const error = { stage: 'message', code: '451', message: 'Try again later' }
  const key = { workspace_id: sending.workspaceId, campaign_id: campaign.id, id: entry?.id ?? '' }
  const late = bareSettlement(
    ctx,
    { ...key, lead_id: entry?.lead_id ?? '', step_id: campaign.sequences[0].steps[0].id },
    { kind: 'failed', error, effect: { kind: 'again' } },
  )
  await transaction(ctx, (tx) => settleSends(tx, new CampaignCache(), [late]))
  await sending.waitForMails(2)
  expect(subjects()).toEqual(['One', 'Re: One'])
})

const nextSend = async () => {
  const leads = sending.ctx.database.peek.selectFrom('leads').select('timestamp_next_send')
  return Number((await leads.executeTakeFirstOrThrow()).timestamp_next_send)
}

const changes = {
  'nothing else happens': async () => undefined,
  'its wait is edited': async (campaign) => {
    const { steps } = campaign.sequences[0]
    const body = { sequences: [{ steps: [steps[0], { ...steps[1], delay: 1 }] }] }
    await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body })
    await rescheduleLeads(sending.ctx)
  },
  'its lead is paused and resumed': async (campaign) => {
    for (const new_status of ['paused', 'active']) {
      const body = { campaign_id: campaign.id, email: 'ann@lead.example', new_status }
      await sending.call('POST', '/api/v2/lead/update/status', { body })
    }
  },
} satisfies Record<string, (campaign: Left['campaign']) => Promise<unknown>>
type Left = Awaited<ReturnType<typeof leaveBehind>>

test.each(Object.entries(changes))(
  'a follow-up without a wait leaves once nobody can say any more that the mail before it never left, where %s',
  async (_what, change) => {
    const { campaign } = await leaveBehind('transmitting', noWait)
    await sending.startRunner()
    await sending.waitForLedger(settled(1))
    await sending.untilAsleep()
    const sureMs = await nextSend()
    await change(campaign)
    expect(await nextSend()).toBe(sureMs)
    await sending.untilAsleep()
    sending.ctx.clock.advance(15 * 60_000)
    await sending.waitForMails(1)
    expect(subjects()).toEqual(['Re: One'])
  },
)

test('that a mail may never have left counts from when its loss is written down, however late that is', async () => {
  const { campaign, leadId = '' } = await leaveBehind('transmitting', noWait)
  const { ctx, workspaceId } = sending
  const { id } = await ctx.database.peek.selectFrom('sends').select('id').executeTakeFirstOrThrow()
  const step_id = campaign.sequences[0].steps[0].id
  const key = { workspace_id: workspaceId, lead_id: leadId, step_id, id, campaign_id: campaign.id }
  const lost = bareSettlement(ctx, key, { kind: 'abandoned' })
  ctx.clock.advance(60 * 60_000)
  const writtenMs = ctx.now().getTime()
  await transaction(ctx, (tx) => settleSends(tx, new CampaignCache(), [lost]))
  expect(await nextSend()).toBeGreaterThanOrEqual(writtenMs + 15 * 60_000)
})

test('a result that comes late settles its row, and is recorded once', async () => {
  const { campaign } = await leaveBehind('transmitting')
  const { ctx, workspaceId } = sending
  await sending.startRunner()
  const [entry] = await sending.waitForLedger(settled(1))
  const settlement = {
    workspace_id: workspaceId,
    lead_id: entry?.lead_id ?? '',
    step_id: campaign.sequences[0].steps[0].id,
    id: entry?.id ?? '',
    campaign_id: campaign.id,
    outcome: { kind: 'sent' as const },
    at: ctx.now(),
    mailbox: 'anna@example.com',
    recipient: 'ann@lead.example',
    threadSubject: 'One',
    mail: null,
    gapSeconds: 0,
  }
  const settle = () =>
    transaction(ctx, (tx) => settleSends(tx, new CampaignCache(), [settlement, settlement]))
  expect(await settle()).toEqual([true, false])
  expect(await settle()).toEqual([false, false])
  const { peek } = ctx.database
  const events = await peek
    .selectFrom('events')
    .select('type')
    .where('type', '=', 'email.sent')
    .execute()
  expect(events).toHaveLength(1)
  expect((await sending.ledger())[0]).toMatchObject({ state: 'sent' })
})

test('a lease that a standby does not know takes no mailbox: whoever gets the next one there sends', async () => {
  const { ctx, workspaceId } = sending
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  await sending.addLeads(campaign.id, ['ann@lead.example'])
  // Of the old primary, where buckets had gone from one process to the other more often.
  await transaction(ctx, (tx) =>
    takeLanes(tx.db, [{ workspace_id: workspaceId, mailbox_id: mailbox.id, token: '9' }]),
  )
  await sending.startRunner()
  await sending.waitForMails(1)
})
