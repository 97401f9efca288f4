import { afterEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator } from '../audit/index.ts'
import { openMailbox, reportInboxRead, updateMailbox } from '../mailboxes/index.ts'

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
  ['daily limit', { daily_limit: heldAt }],
  ['ramp-up', { ramp_up: { start: heldAt, step: 1 } }],
  ['gap', { gap_seconds: 3_600 }],
])(
  'once another %s was answered, it holds for what the mailbox had claimed',
  async (_what, input) => {
    const { change, goOn } = await heldUp()
    await change(input)
    goOn()
    await sending.untilAsleep()
    expect(sending.outbox).toHaveLength(heldAt)
    expect(await countedToday()).toBe(heldAt)
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
    reportInboxRead(tx, workspaceId, id, { at: ctx.now(), isFirst: false, imap_version }),
  )
  goOn()
  await sending.waitForMails(30)
  expect(await attempts()).toEqual(expect.arrayContaining(claimed))
})
