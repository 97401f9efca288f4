import { afterEach, beforeEach, expect, test } from 'vitest'
import { startImapFaults } from '../../../../test/mail/imap-faults.ts'
import { type SmtpFault, startSmtpFaults } from '../../../../test/mail/smtp-faults.ts'
import {
  imapSettings,
  keepInboxRead,
  type LedgerEntry,
  type Sending,
  testSending,
} from '../../../../test/sending.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { operator } from '../../audit/index.ts'
import { handOver } from '../../hand-over/index.ts'
import { startInboxRunner } from '../../inbox/index.ts'
import { listThreadMessages } from '../../messages/index.ts'
import { confirmArrived, listSends, listUncertain, markArrived, sendAgain } from '../index.ts'
import { createSenderParts } from '../lanes/sender-parts.ts'
import { RestoreGuard } from '../restore-guard/restore-guard.ts'
import { findLastSent } from '../settle/settle-queries.ts'
import { UncertainMails } from './reconcile.ts'

let sending: Sending
let closing: AsyncDisposable[] = []
beforeEach(async () => {
  sending = await testSending()
})
afterEach(async () => {
  await sending[Symbol.asyncDispose]()
  for (const each of closing) await each[Symbol.asyncDispose]()
  closing = []
})

const inState = (state: string) => (entries: LedgerEntry[]) =>
  entries.length > 0 && entries.every((entry) => entry.state === state)

/** The first mail is taken by the server, or not, and its connection breaks before the answer. */
async function sendOneUncertain(
  fault: SmtpFault = 'drop-after',
  more: object = {},
  steps?: object[],
) {
  const proxy = await startSmtpFaults(sending.smtpPort, (moment, before) =>
    moment === '.' && before === 0 ? fault : undefined,
  )
  closing.push(proxy)
  const mailbox = await sending.createMailbox('anna@example.com', more, proxy.port)
  const campaign = await sending.createCampaign([mailbox], steps && { sequences: [{ steps }] })
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['ann@lead.example'])
  const [entry] = await sending.waitForLedger(inState('uncertain'))
  if (!entry) throw new Error('nothing is uncertain')
  return { entry, campaign, mailbox }
}

const everyBucket = Array.from({ length: 256 }, (_, bucket) => bucket)

/** What the runner does now and then. */
async function reconcile() {
  const { ctx } = sending
  const { settlements } = createSenderParts(ctx, new RestoreGuard(ctx), new Date(0))
  const uncertain = new UncertainMails(ctx, settlements)
  await uncertain.begin(everyBucket)
  await uncertain.idle(10_000)
}

const failuresOf = async (mailboxId: string) => {
  const lanes = sending.ctx.database.peek.selectFrom('mailbox_lanes').select('failures')
  return (await lanes.where('mailbox_id', '=', mailboxId).executeTakeFirst())?.failures
}

/** Message-IDs of the mails to and from a lead. */
const conversation = async (leadId: string) => {
  const { ctx, workspaceId } = sending
  const page = { limit: 10, startingAfter: undefined }
  const { items } = await listThreadMessages(ctx, workspaceId, leadId, page)
  return items.map(({ message_id }) => message_id)
}

const sentEvents = async () =>
  (
    await sending.ctx.database.peek
      .selectFrom('events')
      .select('id')
      .where('type', '=', 'email.sent')
      .execute()
  ).length

test('an uncertain mail is listed with what a person needs to decide', async () => {
  const { entry, campaign } = await sendOneUncertain()
  const { ctx, workspaceId } = sending
  const shown = {
    id: entry.id,
    state: 'uncertain',
    lead_email: 'ann@lead.example',
    campaign_name: campaign.name,
    mailbox: 'anna@example.com',
    subject: 'Hello Ann',
    step: 1,
  }
  expect(await listUncertain(ctx, workspaceId)).toMatchObject([shown])
  const all = { campaignId: campaign.id, state: null }
  expect(await listSends(ctx, workspaceId, all, 10)).toMatchObject([shown])
  const sentOnes = { campaignId: null, state: 'sent' }
  expect(await listSends(ctx, workspaceId, sentOnes, 10)).toEqual([])
})

test('a person says that it arrived: it is sent, and nothing is told twice', async () => {
  const { entry } = await sendOneUncertain()
  const { ctx, workspaceId } = sending
  await confirmArrived(ctx, workspaceId, entry.id, operator)
  expect((await sending.ledger())[0]).toMatchObject({ state: 'sent', attempt: 1 })
  expect(await sentEvents()).toBe(1)
  await expect(confirmArrived(ctx, workspaceId, entry.id, operator)).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(sendAgain(ctx, workspaceId, entry.id, operator)).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('the delay of the next step counts from when it left, however late that was known', async () => {
  const { entry } = await sendOneUncertain()
  const { ctx, workspaceId } = sending
  ctx.clock.advance(3_600_000)
  await confirmArrived(ctx, workspaceId, entry.id, operator)
  const lead = { workspace_id: workspaceId, lead_id: entry.lead_id }
  const [last] = await findLastSent(ctx.db, [lead])
  expect(last?.sent_at).toEqual(entry.timestamp_transmitting)
})

test('a person has it sent again: once, with the same Message-ID, and counted once', async () => {
  const { entry, campaign } = await sendOneUncertain('drop')
  const { ctx, workspaceId } = sending
  expect(sending.outbox).toEqual([])
  // The mailbox rests for a moment after a connection that broke.
  ctx.clock.advance(60_000)
  expect(await conversation(entry.lead_id)).toHaveLength(1)
  await sendAgain(ctx, workspaceId, entry.id, operator)
  expect(await conversation(entry.lead_id)).toEqual([])
  const { body } = await sending.call(
    'GET',
    `/api/v2/lead/get?email=ann@lead.example&campaign_id=${campaign.id}`,
  )
  expect(body).toMatchObject({ sending_state: 'pending', current_step: 0 })
  await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body: { status: 'active' } })
  const [mail] = await sending.waitForMails(1)
  const [again] = await sending.waitForLedger(inState('sent'))
  expect(again).toMatchObject({ attempt: 2, message_id: entry.message_id })
  expect(mail?.source.toString()).toContain(entry.message_id)
  expect(await conversation(entry.lead_id)).toEqual([entry.message_id])
  // It may be sent on another day than it was first tried.
  const days = await ctx.database.peek
    .selectFrom('campaign_days')
    .select(['sent', 'new_leads'])
    .where('sent', '<>', 0)
    .execute()
  expect(days).toEqual([{ sent: 1, new_leads: 1 }])
})

test('a mail that a later step has followed is not sent again, and its lead stays as it is', async () => {
  const { entry, mailbox } = await sendOneUncertain('drop', {}, [
    { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] },
    { delay: 1, delay_unit: 'hours', variants: [{ subject: '', body: '<p>And?</p>' }] },
  ])
  const { ctx, workspaceId } = sending
  await ctx.database.until(async () => (await failuresOf(mailbox.id)) === 1)
  ctx.clock.advance(3_600_000)
  await sending.waitForLedger((all) => all.some(({ state }) => state === 'sent'))
  const lead = () => ctx.database.peek.selectFrom('leads').selectAll().executeTakeFirst()
  const before = await lead()
  await expect(sendAgain(ctx, workspaceId, entry.id, operator)).rejects.toMatchObject({
    code: 'invalid_transition',
  })
  expect(await lead()).toEqual(before)
  expect(await confirmArrived(ctx, workspaceId, entry.id, operator)).toMatchObject({
    state: 'sent',
  })
})

test.each([
  ['unsubscribed', { new_status: 'unsubscribed' }, /its address is suppressed \(unsubscribed\)\. /],
  ['was given a status that stops it', { new_status: 'lost' }, /it is stopped \(manual\)/],
  ['has no step left', null, /no step left/],
])(
  'a mail is not sent again to a lead that %s, and the refusal says why',
  async (_what, status, why) => {
    const steps = [
      { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] },
      { delay: 1, variants: [{ subject: '', body: '<p>And?</p>' }] },
    ]
    const { entry, campaign } = await sendOneUncertain('drop', {}, steps)
    const { ctx, workspaceId } = sending
    const lead = { campaign_id: campaign.id, email: 'ann@lead.example' }
    const { status: answered } = status
      ? await sending.call('POST', '/api/v2/lead/update/status', { body: { ...lead, ...status } })
      : await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, {
          body: { status: 'paused', sequences: [] },
        })
    expect(answered).toBe(200)
    const before = await ctx.database.peek.selectFrom('leads').selectAll().executeTakeFirst()
    await expect(sendAgain(ctx, workspaceId, entry.id, operator)).rejects.toMatchObject({
      code: 'invalid_transition',
      message: expect.stringMatching(why),
    })
    const { peek } = ctx.database
    expect(await peek.selectFrom('leads').selectAll().executeTakeFirst()).toEqual(before)
    expect((await sending.ledger())[0]).toMatchObject({ state: 'uncertain' })
  },
)

test('a mail to who is paused is sent again once they are resumed, and the answer says so', async () => {
  const { entry, campaign } = await sendOneUncertain('drop', {}, [
    { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] },
    { delay: 1, variants: [{ subject: '', body: '<p>And?</p>' }] },
  ])
  const { ctx, workspaceId } = sending
  const set = (new_status: string) =>
    sending.call('POST', '/api/v2/lead/update/status', {
      body: { campaign_id: campaign.id, email: 'ann@lead.example', new_status },
    })
  await set('paused')
  const again = await sendAgain(ctx, workspaceId, entry.id, operator)
  expect(again.reasons).toEqual(['Nothing is sent to this lead for now: it is paused.'])
  await set('active')
  // The mailbox rests for a moment after a connection that broke.
  ctx.clock.advance(60_000)
  await sending.waitForMails(1)
  expect(await sending.waitForLedger(inState('sent'))).toMatchObject([{ step: 1, attempt: 2 }])
})

test('a follow-up that is sent again after a hand-over wakes the mailbox that goes on', async () => {
  const { ctx, workspaceId } = sending
  const isFollowUp = (lines: string) => /^In-Reply-To:/m.test(lines)
  let ends = 0
  const proxy = await startSmtpFaults(sending.smtpPort, (moment) =>
    moment === '.' && ++ends === 2 ? 'drop' : undefined,
  )
  closing.push(proxy)
  const anna = await sending.createMailbox('anna@example.com', {}, proxy.port)
  const bert = await sending.createMailbox('bert@example.com')
  const step = { variants: [{ subject: '', body: '<p>And?</p>' }] }
  const steps = [
    { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] },
    { delay: 1, delay_unit: 'hours', ...step },
    { delay: 9, ...step },
  ]
  const campaign = await sending.createCampaign([anna], { sequences: [{ steps }] })
  const runner = await sending.startRunner()
  await sending.addLeads(campaign.id, ['ann@lead.example'])
  await sending.waitForMails(1)
  await sending.untilAsleep()
  ctx.clock.advance(3_600_000)
  const entries = await sending.waitForLedger((all) =>
    all.some(({ state }) => state === 'uncertain'),
  )
  await sending.untilAsleep()
  const request = { from: 'anna@example.com', to: 'bert@example.com' }
  expect(await handOver(ctx, workspaceId, request, operator)).toMatchObject({ moved: 1 })
  await keepInboxRead(ctx.database.peek, bert.id)
  await sending.untilAsleep()
  const uncertain = entries.find(({ state }) => state === 'uncertain')
  await sendAgain(ctx, workspaceId, uncertain?.id ?? '', operator)
  const mails = await sending.waitForMails(2)
  expect(isFollowUp(mails[1]?.source.toString() ?? '')).toBe(true)
  const again = (await sending.waitForLedger(inState('sent'))).find(({ step: n }) => n === 2)
  expect(again?.mailbox_id).toBe(bert.id)
  await runner.stop()
})

test('an answer to it proves that it was sent', async () => {
  const { entry } = await sendOneUncertain()
  const { ctx, workspaceId } = sending
  await transaction(ctx, (tx) => markArrived(tx, workspaceId, [entry.id]))
  expect((await sending.ledger())[0]).toMatchObject({ state: 'sent' })
  expect(await listUncertain(ctx, workspaceId)).toEqual([])
})

test('what the provider filed in the Sent folder was sent', async () => {
  const imapPort = await sending.startImap()
  const { entry } = await sendOneUncertain('drop-after', imapSettings(imapPort, 'anna@example.com'))
  const account = sending.account('anna@example.com')
  const [mail] = sending.outbox
  sending.store.file(account, mail?.source ?? Buffer.alloc(0), '\\Sent', ['\\Seen'])
  await reconcile()
  expect((await sending.ledger())[0]).toMatchObject({ state: 'uncertain' })
  sending.ctx.clock.advance(61_000)
  await reconcile()
  expect((await sending.ledger())[0]).toMatchObject({ state: 'sent', error_message: null })
  expect(await sentEvents()).toBe(1)
  expect(sending.outbox).toHaveLength(1)
  expect((await sending.ledger())[0]?.id).toBe(entry.id)
})

test('what is not in the Sent folder stays uncertain, and is looked for again later', async () => {
  const imapPort = await sending.startImap()
  await sendOneUncertain('drop', imapSettings(imapPort, 'anna@example.com'))
  const { peek } = sending.ctx.database
  const lookAt = async () =>
    (await peek.selectFrom('sends').select('look_at').executeTakeFirst())?.look_at?.getTime()
  const first = await lookAt()
  sending.ctx.clock.advance(61_000)
  await reconcile()
  expect(await lookAt()).toBeGreaterThan(first ?? 0)
  expect((await sending.ledger())[0]).toMatchObject({ state: 'uncertain' })
  sending.ctx.clock.advance(25 * 3_600_000)
  await reconcile()
  expect(await lookAt()).toBeUndefined()
  expect(await listUncertain(sending.ctx, sending.workspaceId)).toHaveLength(1)
  expect(sending.outbox).toEqual([])
})

test('a reading server that cannot be reached is asked again later, however old the mail is', async () => {
  await sendOneUncertain('drop')
  const { ctx } = sending
  const lookAt = async () =>
    (await ctx.database.peek.selectFrom('sends').select('look_at').executeTakeFirst())?.look_at
  ctx.clock.advance(2 * 86_400_000)
  await reconcile()
  expect((await lookAt())?.getTime()).toBeGreaterThan(ctx.now().getTime())
  ctx.clock.advance(6 * 86_400_000)
  await reconcile()
  expect(await lookAt()).toBeNull()
})

test('a mail that was not looked for before the connection broke is looked for again', async () => {
  const { ctx, workspaceId } = sending
  const { peek } = ctx.database
  const smtp = await startSmtpFaults(sending.smtpPort, (moment) =>
    moment === '.' ? 'drop-after' : undefined,
  )
  let searches = 0
  const imap = await startImapFaults(await sending.startImap(), {
    fault: ({ name }) => (name === 'UID' && ++searches === 2 ? 'drop' : undefined),
  })
  closing.push(smtp, imap)
  const more = imapSettings(imap.port, 'anna@example.com')
  const mailbox = await sending.createMailbox('anna@example.com', more, smtp.port)
  const campaign = await sending.createCampaign([mailbox])
  const runner = await sending.startRunner()
  await sending.addLeads(campaign.id, ['ann@lead.example', 'bob@lead.example'])
  // The mailbox rests for a moment after a connection that broke.
  await ctx.database.until(async () => (await failuresOf(mailbox.id)) === 1)
  ctx.clock.advance(20_000)
  await sending.waitForLedger((all) => all.length === 2 && inState('uncertain')(all))
  await runner.stop()
  const account = sending.account('anna@example.com')
  for (const { source } of sending.outbox) sending.store.file(account, source, '\\Sent', ['\\Seen'])
  ctx.clock.advance(2 * 86_400_000)
  await reconcile()
  const [left, ...others] = await listUncertain(ctx, workspaceId)
  expect(others).toEqual([])
  const row = peek
    .selectFrom('sends')
    .select('look_at')
    .where('id', '=', left?.id ?? '')
  const { look_at } = await row.executeTakeFirstOrThrow()
  expect(look_at?.getTime()).toBeGreaterThan(ctx.now().getTime())
})

test('an answer that comes into the mailbox settles it, without a word twice', async () => {
  const imapPort = await sending.startImap()
  const { entry } = await sendOneUncertain('drop-after', imapSettings(imapPort, 'anna@example.com'))
  const account = sending.account('anna@example.com')
  const answer = ['From: ann@lead.example', `In-Reply-To: ${entry.message_id}`, '', 'Yes.', '']
  sending.store.file(account, Buffer.from(answer.join('\r\n')))
  const inbox = startInboxRunner(sending.ctx, sending.owner())
  await sending.waitForLedger(inState('sent'))
  await inbox.stop()
  expect(await sentEvents()).toBe(1)
  expect(await listUncertain(sending.ctx, sending.workspaceId)).toEqual([])
})
