import { afterEach, expect, test } from 'vitest'
import { asService } from '../../../test/context.ts'
import { type Sending, testSending } from '../../../test/sending.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { rescheduleLeads } from '../leads/index.ts'
import type { Mailbox } from '../mailboxes/index.ts'
import { claimSends } from './claim/claim.ts'
import type { ClaimRequest } from './ledger.ts'
import { markTransmitting } from './transmit/mark-queries.ts'

let sending: Sending
afterEach(() => sending[Symbol.asyncDispose]())

const changes: [string, object, RegExp][] = [
  [
    'its text',
    { sequences: [{ steps: [{ variants: [{ subject: 'Corrected', body: '<p>Hi</p>' }] }] }] },
    /^Subject: Corrected\r$/m,
  ],
  ['its copies', { cc_list: ['boss@example.com'] }, /^Cc: boss@example\.com\r$/m],
]

test.each(changes)(
  'once a change of %s was answered, a mail that was about to be finished is made anew',
  async (_what, body, expected) => {
    const arrived = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<undefined>()
    sending = await testSending({
      smtp: {
        onRcptTo(_address, _session, done) {
          arrived.resolve()
          void goOn.promise.then(done)
        },
      },
    })
    const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
    await sending.startRunner()
    await sending.addLeads(campaign.id, ['a@lead.example'])
    await arrived.promise
    const path = `/api/v2/campaigns/${campaign.id}`
    const steps = campaign.sequences[0].steps
    const kept = 'sequences' in body ? withIds(body, steps[0].id) : body
    expect((await sending.call('PATCH', path, { body: kept })).status).toBe(200)
    goOn.resolve(undefined)
    await sending.waitForLedger((all) => all.every(({ state }) => state === 'sent'))
    for (const { source } of sending.outbox) expect(source.toString()).toMatch(expected)
  },
)

test.each([
  ['a raised gap', { email_gap: 1 }, { email_gap: 10 }, 600],
  ['a lowered gap', { email_gap: 60 }, { email_gap: 10 }, 600],
  // The mailbox has one of two minutes.
  ['a gap below that of the mailbox', { email_gap: 60 }, { email_gap: 1 }, 120],
  ['a random wait of none', { email_gap: 5, random_wait_max: 60 }, { random_wait_max: 0 }, 300],
])(
  'once %s was answered, it holds for the next mail of the campaign',
  async (_what, before, after, waitS) => {
    sending = await testSending()
    const { peek } = sending.ctx.database
    const mailbox = await sending.createMailbox('anna@example.com', { gap_seconds: 120 })
    const campaign = await sending.createCampaign([mailbox], before)
    await sending.addLeads(campaign.id, ['ada@lead.example', 'bob@lead.example'])
    await sending.startRunner()
    await sending.waitForLedger((all) => all.some(({ state }) => state === 'sent'))
    await sending.untilAsleep()
    const path = `/api/v2/campaigns/${campaign.id}`
    expect((await sending.call('PATCH', path, { body: after })).status).toBe(200)
    const lane = await peek
      .selectFrom('mailbox_lanes')
      .select(['last_sent_at', 'next_send_at'])
      .executeTakeFirstOrThrow()
    const nextMs = (lane.last_sent_at?.getTime() ?? 0) + waitS * 1000
    expect(lane.next_send_at?.getTime()).toBe(nextMs)
    sending.ctx.clock.advance(waitS * 1000 - 30_000)
    await sending.untilAsleep(new Date(nextMs))
    expect(sending.outbox).toHaveLength(1)
    sending.ctx.clock.advance(30_000)
    await sending.waitForMails(2)
  },
)

test('a follow-up that is due is sent, though many before it were made to wait longer', async () => {
  sending = await testSending()
  const { ctx } = sending
  const minutes = (delay: number) => ({ delay, delay_unit: 'minutes' })
  const variants = [{ subject: 'Hello', body: '<p>Hi</p>' }]
  const steps = [{ variants }, { ...minutes(10), variants }, { ...minutes(10), variants }]
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')], {
    sequences: [{ steps }],
  })
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['ada@lead.example'])
  await sending.waitForMails(1)
  await sending.untilAsleep()
  ctx.clock.advance(9 * 60_000)
  // Due a minute before the last mail to Ada, and as many as a mailbox with a gap reads at once.
  const others = Array.from({ length: 8 }, (_, n) => `${n}@lead.example`)
  await sending.addLeads(campaign.id, others)
  await sending.waitForMails(9)
  await sending.untilAsleep()
  ctx.clock.advance(60_000)
  await sending.waitForMails(10)
  await sending.untilAsleep()
  const [first, second, third] = campaign.sequences[0].steps
  const { status } = await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, {
    body: { sequences: [{ steps: [first, { ...second, delay: 600 }, third] }], email_gap: 1 },
  })
  expect(status).toBe(200)
  await sending.untilAsleep()
  ctx.clock.advance(11 * 60_000)
  await sending.untilAsleep()
  await rescheduleLeads(asService(ctx))
  ctx.clock.advance(10_000)
  const mails = await sending.waitForMails(11)
  expect(mails.map(({ to }) => to).filter((to) => to === 'ada@lead.example')).toHaveLength(3)
})

/** The same step with another text, not another step. */
const withIds = (body: object, id: string) => {
  const { sequences } = body as { sequences: { steps: object[] }[] }
  return { sequences: sequences.map(({ steps }) => ({ steps: [{ ...steps[0], id }] })) }
}

/** A campaign of two mailboxes and one lead, whose mails the test claims itself. */
async function claiming() {
  sending = await testSending()
  const { ctx, workspaceId } = sending
  const anna = await sending.createMailbox('anna@example.com')
  const bert = await sending.createMailbox('bert@example.com')
  const campaign = await sending.createCampaign([anna, bert])
  const [lead_id = ''] = await sending.addLeads(campaign.id, ['a@lead.example'])
  const requestFrom = (mailbox: Mailbox, { sequences, timestamp_updated }: typeof campaign) => {
    const [step] = sequences[0].steps
    const day = ctx.now().toISOString().slice(0, 10)
    return {
      ...{ workspace_id: workspaceId, lead_id, step_id: step.id, id: ctx.newId() },
      ...{ campaign_id: campaign.id, campaign_version: new Date(timestamp_updated) },
      ...{ mailbox_id: mailbox.id, mailbox_version: mailbox.timestamp_updated, step: 1 },
      ...{ variant: 1, variant_id: step.variants[0].id, message_id: `<${step.id}@example.com>` },
      ...{ token: '0', is_new: true, campaign_day: day, mailbox_day: day, mailbox_limit: 10 },
      after_step_id: null,
      until: new Date(ctx.now().getTime() + 3_600_000),
    }
  }
  return {
    ...{ ctx, anna, bert, campaign, requestFrom },
    claim: (request: ClaimRequest) =>
      transaction(ctx, (tx) => claimSends(tx, [request], { epoch: 0, readSince: new Date(0) })),
    mark: (request: ClaimRequest) => {
      const mark = { ...request, attempt: 1, subject: 'Hello', starts_thread: true }
      return markTransmitting(ctx.db, [mark], ctx.now(), new Date(0))
    },
    change: (body: object) => sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body }),
  }
}

test('whose first mail is under way gets no other one, though another step is the first by now', async () => {
  const { ctx, anna, bert, campaign, requestFrom, claim, mark, change } = await claiming()
  const first = requestFrom(anna, campaign)
  expect(await claim(first)).toMatchObject([{ id: first.id }])
  expect(await mark(first)).toContain(first.id)

  // Without the id of the step: it is another one.
  const sequences = [{ steps: [{ variants: [{ subject: 'Another', body: '<p>Hi</p>' }] }] }]
  const changed = await change({ sequences })
  // Of a process that read the lead before its first mail was claimed.
  const another = requestFrom(bert, changed.body)
  expect(another.step_id).not.toBe(first.step_id)
  expect(await claim(another)).toEqual([null])
  await ctx.database.peek.updateTable('sends').set({ state: 'failed' }).execute()
  expect(await claim(another)).toMatchObject([{ id: another.id }])
})

test('a claim whose commit was not answered is given back, though nothing is to be sent any more', async () => {
  const { ctx, anna, bert, campaign, requestFrom, claim, mark, change } = await claiming()
  const request = requestFrom(anna, campaign)
  expect(await claim(request)).toMatchObject([{ id: request.id, attempt: 1 }])
  await change({ status: 'paused' })
  // Run again, as after a COMMIT whose answer never came.
  const claimed = await claim(request)
  expect(claimed).toMatchObject([{ id: request.id, attempt: 1, lead: { id: request.lead_id } }])
  expect(await mark(request)).toEqual(new Set())
  // What another process has claimed is not its own to give back.
  expect(await claim({ ...requestFrom(bert, campaign) })).toEqual([null])
  const days = await ctx.database.peek.selectFrom('mailbox_days').select('sent').execute()
  expect(days).toEqual([{ sent: 1 }])
})
