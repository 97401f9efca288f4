import type { SMTPServerOptions } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import { alwaysOpen, type Sending, testSending } from '../../../test/sending.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { claimSends } from './claim/claim.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

let sending: Sending
afterEach(() => sending[Symbol.asyncDispose]())

const countedDays = async () =>
  (
    await sending.ctx.database.peek
      .selectFrom('campaign_days')
      .select(['day', 'sent', 'new_leads'])
      .orderBy('day')
      .execute()
  ).map(({ sent, new_leads }) => [sent, new_leads])

/** A mail server that says nothing to the first recipient before the test lets it. */
async function heldUp(smtp: SMTPServerOptions = {}) {
  const arrived = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  sending = await testSending({
    smtp: {
      ...smtp,
      onRcptTo(_address, _session, callback) {
        arrived.resolve()
        void goOn.promise.then(() => callback())
      },
    },
  })
  // Half past four in the afternoon of tomorrow, whenever the test runs.
  const nowMs = sending.ctx.now().getTime()
  sending.ctx.clock.advance(dayMs - (nowMs % dayMs) + 16.5 * hourMs)
  return { arrived: arrived.promise, goOn: goOn.resolve }
}

test('a mail whose window closes before it is finished is not sent, and counts on no day', async () => {
  const server = await heldUp()
  const [always] = alwaysOpen.schedules
  const schedule = { ...always, timing: { from: '09:00', to: '17:00' } }
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')], {
    campaign_schedule: { schedules: [schedule] },
  })
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  await server.arrived
  sending.ctx.clock.advance(hourMs)
  server.goOn()
  await sending.waitForLedger(([entry]) => entry?.state === 'failed')
  expect(sending.outbox).toEqual([])
  expect(await countedDays()).toEqual([[0, 0]])

  sending.ctx.clock.advance(dayMs - hourMs)
  await sending.waitForMails(1)
})

test('a window that closes on many claimed mails is found out at the first', async () => {
  let connections = 0
  const server = await heldUp({
    onConnect(_session, callback) {
      connections++
      callback()
    },
  })
  const [always] = alwaysOpen.schedules
  const schedule = { ...always, timing: { from: '09:00', to: '17:00' } }
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')], {
    campaign_schedule: { schedules: [schedule] },
  })
  await sending.addLeads(
    campaign.id,
    Array.from({ length: 30 }, (_, i) => `a${i}@lead.example`),
  )
  await sending.startRunner()
  await server.arrived
  sending.ctx.clock.advance(hourMs)
  server.goOn()
  await sending.waitForLedger(
    (all) => all.length > 5 && all.every(({ state }) => state === 'failed'),
  )
  expect(sending.outbox).toEqual([])
  expect(connections).toBe(1)
})

test('a mail whose day ends before it is finished counts on the next one', async () => {
  const server = await heldUp()
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  await server.arrived
  sending.ctx.clock.advance(dayMs)
  server.goOn()
  await sending.waitForLedger(([entry]) => entry?.state === 'sent')
  expect(sending.outbox).toHaveLength(1)
  expect(await countedDays()).toEqual([
    [0, 0],
    [1, 1],
  ])
})

test('nothing is claimed once its window has closed', async () => {
  sending = await testSending()
  const { ctx, workspaceId } = sending
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  const [lead_id = ''] = await sending.addLeads(campaign.id, ['a@lead.example'])
  const [step] = campaign.sequences[0].steps
  const day = ctx.now().toISOString().slice(0, 10)
  const request = {
    ...{ workspace_id: workspaceId, lead_id, step_id: step.id, id: ctx.newId() },
    ...{ campaign_version: new Date(campaign.timestamp_updated) },
    ...{ mailbox_version: mailbox.timestamp_updated },
    ...{ campaign_id: campaign.id, mailbox_id: mailbox.id, step: 1, variant: 1 },
    ...{ variant_id: step.variants[0].id, message_id: '<one@example.com>', token: '0' },
    after_step_id: null,
    ...{ is_new: true, campaign_day: day, mailbox_day: day, mailbox_limit: 1 },
  }
  const claim = (until: Date) =>
    transaction(ctx, (tx) =>
      claimSends(tx, [{ ...request, until }], { epoch: 0, readSince: new Date(0) }),
    )
  expect(await claim(ctx.now())).toEqual([null])
  expect(await claim(new Date(ctx.now().getTime() + hourMs))).toMatchObject([{ attempt: 1 }])
})
