import { afterEach, expect, test } from 'vitest'
import { createOutbox } from '../../../test/mail/outbox.ts'
import { type Sending, testSending } from '../../../test/sending.ts'
import { createSignal } from '../../../test/signal.ts'
import { startSmtpServer } from '../../demo/mail-server/index.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { MailFailure } from '../../kernel/mail/index.ts'
import { operator } from '../audit/index.ts'
import {
  openMailbox,
  reportInboxRead,
  reportMailboxError,
  updateMailbox,
} from '../mailboxes/index.ts'

const twoSteps = [
  {
    steps: [
      { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] },
      { delay: 3, delay_unit: 'days', variants: [{ subject: '', body: '<p>And?</p>' }] },
    ],
  },
]

/** The mails before it have left, more are claimed, and marks that were made with theirs are too old. */
const heldAt = 3

let sending: Sending
afterEach(() => sending[Symbol.asyncDispose]())

/** A mail server that lets one mail wait, whose mailbox is about to send 30. */
async function heldUp() {
  const arrived = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  let mails = 0
  sending = await testSending({
    smtp: {
      onMailFrom(_address, _session, callback) {
        mails += 1
        if (mails !== heldAt) return callback()
        arrived.resolve()
        void goOn.promise.then(() => callback())
      },
    },
  })
  const { ctx, workspaceId } = sending
  const { id } = await sending.createMailbox('anna@example.com')
  const { mailbox, imap_version } = await openMailbox(ctx, workspaceId, id, 'imap')
  const campaign = await sending.createCampaign([mailbox])
  await sending.addLeads(
    campaign.id,
    Array.from({ length: 30 }, (_, number) => `lead${number}@lead.example`),
  )
  await sending.startRunner()
  await arrived.promise
  await sending.waitForMails(heldAt - 1)
  ctx.clock.advance(1_000)
  expect((await sending.ledger()).length).toBeGreaterThan(heldAt)
  return {
    ...{ id, imap_version, goOn: goOn.resolve },
    change: (input: object) => updateMailbox(ctx, workspaceId, id, input, operator),
  }
}

const countedToday = async () => {
  const days = sending.ctx.database.peek.selectFrom('mailbox_days').select('sent')
  return (await days.executeTakeFirstOrThrow()).sent
}

const attempts = async () => (await sending.ledger()).map(({ id }) => id)

test.each([
  ['daily limit', { daily_limit: heldAt }, heldAt],
  ['ramp-up', { ramp_up: { start: heldAt, step: 1 } }, heldAt],
  // The one that was held waits from the one before it.
  ['gap', { gap_seconds: 3_600 }, heldAt - 1],
])(
  'once another %s was answered, it holds for what the mailbox had claimed',
  async (_what, input, leave) => {
    const { change, goOn } = await heldUp()
    await change(input)
    goOn()
    await sending.untilAsleep()
    expect(sending.outbox).toHaveLength(leave)
    expect(await countedToday()).toBe(leave)
  },
)

test.each([
  [
    "the sender's name",
    { display_name: 'Anna Berg' },
    /^From: "?Anna Berg"? <anna@example\.com>\r$/m,
  ],
  ['the signature', { signature: '<p>Berg Ltd</p>' }, /Berg Ltd/],
])(
  'once a change of %s was answered, every mail that was not finished is made anew',
  async (_what, input, expected) => {
    const { change, goOn } = await heldUp()
    await change(input)
    goOn()
    await sending.waitForMails(30)
    const sources = sending.outbox.map(({ source }) => source.toString())
    expect(sources.map((source) => expected.test(source))).toEqual(
      sources.map((_, index) => index >= heldAt - 1),
    )
    expect(new Set(sending.outbox.map(({ to }) => String(to))).size).toBe(30)
  },
)

test('a mailbox that is read meanwhile makes no mail anew', async () => {
  const { id, imap_version, goOn } = await heldUp()
  const { ctx, workspaceId } = sending
  const claimed = await attempts()
  await transaction(ctx, (tx) =>
    reportInboxRead(tx, workspaceId, id, { at: ctx.now(), last: ctx.now(), imap_version }),
  )
  goOn()
  await sending.waitForMails(30)
  expect(await attempts()).toEqual(expect.arrayContaining(claimed))
})

test('once another server was answered, no mail leaves over the connection that is kept to the old one', async () => {
  sending = await testSending()
  const { ctx, workspaceId } = sending
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['ada@lead.example'])
  await sending.waitForMails(1)
  await sending.untilAsleep()
  const other = createOutbox(ctx.now)
  other.store.addAccount({ address: mailbox.address, password: 'another' })
  await using server = await startSmtpServer(other.store)
  const smtp = { port: server.port, password: 'another' }
  await updateMailbox(ctx, workspaceId, mailbox.id, { smtp }, operator)
  // A campaign whose leads are all done is completed.
  const next = await sending.createCampaign([mailbox])
  await sending.addLeads(next.id, ['bob@lead.example'])
  await sending.waitForLedger((all) => all.filter(({ state }) => state === 'sent').length === 2)
  expect(sending.outbox.map(({ to }) => to)).toEqual(['ada@lead.example'])
  expect(other.mails.map(({ to }) => to)).toEqual(['bob@lead.example'])
})

test('a failure that is met while its mailbox is changed does not put the mailbox off', async () => {
  let change: (() => Promise<unknown>) | undefined
  sending = await testSending({
    smtp: {
      onMailFrom(_address, _session, callback) {
        if (!change) return callback()
        void change().then(() => callback(new Error('Sender not allowed')))
        change = undefined
      },
    },
  })
  const { ctx, workspaceId } = sending
  const mailbox = await sending.createMailbox('anna@example.com')
  const smtp = { password: 'correct horse' }
  change = () => updateMailbox(ctx, workspaceId, mailbox.id, { smtp }, operator)
  const campaign = await sending.createCampaign([mailbox])
  await sending.addLeads(campaign.id, ['ada@lead.example'])
  await sending.startRunner()
  await sending.waitForLedger(([entry]) => entry?.state === 'sent')
  const { peek } = ctx.database
  const told = await peek.selectFrom('audit_log').select('action').execute()
  expect(told.map(({ action }) => action)).not.toContain('mailbox.failed')
})

test('a mailbox that is tried anew keeps one connection', async () => {
  let opened = 0
  let closed = 0
  const changed = createSignal()
  sending = await testSending({
    smtp: {
      onConnect(_session, callback) {
        opened += 1
        changed.raise()
        callback()
      },
      onClose() {
        closed += 1
        changed.raise()
      },
    },
  })
  const { ctx, workspaceId } = sending
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox], { sequences: twoSteps })
  const runner = await sending.startRunner()
  await sending.addLeads(campaign.id, ['ada@lead.example'])
  await sending.waitForMails(1)
  await sending.untilAsleep()
  const unread = new MailFailure('login', 'refused')
  await transaction(ctx, (tx) => reportMailboxError(tx, workspaceId, mailbox.id, 'imap', unread))
  await sending.addLeads(campaign.id, ['bob@lead.example'])
  await changed.until(() => opened === 2)
  await sending.untilAsleep()
  await runner.stop()
  await changed.until(() => closed === 2)
})

/** A mailbox with this gap between two mails, whose first one has left. */
async function paced(gap_seconds: number, smtp = {}) {
  sending = await testSending({ smtp })
  const { ctx, workspaceId } = sending
  const mailbox = await sending.createMailbox('anna@example.com', { gap_seconds })
  const campaign = await sending.createCampaign([mailbox])
  await sending.addLeads(campaign.id, ['ada@lead.example', 'bob@lead.example'])
  await sending.startRunner()
  return {
    change: (input: object) => updateMailbox(ctx, workspaceId, mailbox.id, input, operator),
    sentAt: async () => {
      const lanes = ctx.database.peek.selectFrom('mailbox_lanes').select('last_sent_at')
      return (await lanes.executeTakeFirstOrThrow()).last_sent_at?.getTime() ?? 0
    },
  }
}

test.each([
  ['raised', 60, 600],
  ['lowered', 3_600, 600],
])('once a %s gap was answered, the next mail waits as long', async (_what, before, after) => {
  const { change, sentAt } = await paced(before)
  await sending.waitForLedger((entries) => entries.some(({ state }) => state === 'sent'))
  await sending.untilAsleep(new Date((await sentAt()) + before * 1000))
  await change({ gap_seconds: after })
  await sending.untilAsleep(new Date((await sentAt()) + after * 1000))
  expect(sending.outbox).toHaveLength(1)
  sending.ctx.clock.advance(after * 1000)
  await sending.waitForMails(2)
})

test.each([0, 60])(
  'a gap of %i that is raised while a mail is under way holds for the next one',
  async (before) => {
    const arrived = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const { change, sentAt } = await paced(before, {
      onData(stream: NodeJS.ReadableStream, _session: object, callback: () => void) {
        stream.resume()
        stream.on('end', () => {
          arrived.resolve()
          void goOn.promise.then(callback)
        })
      },
    })
    await arrived.promise
    await change({ gap_seconds: 600 })
    // A mark that was made with the first one's is too old by now.
    sending.ctx.clock.advance(1_000)
    goOn.resolve()
    await sending.waitForLedger((entries) => entries.some(({ state }) => state === 'sent'))
    await sending.untilAsleep(new Date((await sentAt()) + 600_000))
    const sent = (await sending.ledger()).filter(({ state }) => state === 'sent')
    expect(sent).toHaveLength(1)
  },
)
