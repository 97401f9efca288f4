import { afterEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'
import { operator } from '../audit/index.ts'
import { pauseMailbox } from '../mailboxes/index.ts'

let sending: Sending
afterEach(() => sending[Symbol.asyncDispose]())

type Callback = (error?: Error | null) => void

test('a place in the day that a mail gives back is used by another mailbox', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Error | null>()
  let answers = 0
  sending = await testSending({
    smtp: {
      onRcptTo(_address: unknown, _session: unknown, callback: Callback) {
        asked.resolve()
        if (answers++ > 0) callback()
        else void answer.promise.then(callback)
      },
    },
  })
  const mailboxes = [
    await sending.createMailbox('anna@example.com'),
    await sending.createMailbox('ben@example.com'),
  ]
  const campaign = await sending.createCampaign(mailboxes, { daily_limit: 1 })
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example', 'b@lead.example'])
  await asked.promise
  const [claimed] = await sending.waitForLedger((entries) => entries.length === 1)
  const other = mailboxes.find(({ id }) => id !== claimed?.mailbox_id)
  // The first one does not use the place itself, and the other has seen that the day is full.
  await pauseMailbox(sending.ctx, sending.workspaceId, claimed?.mailbox_id ?? '', operator)
  await sending.ctx.database.until(async () => {
    const lane = await sending.ctx.database.peek
      .selectFrom('mailbox_lanes')
      .select('wake_at')
      .where('mailbox_id', '=', other?.id ?? '')
      .executeTakeFirst()
    return lane && (lane.wake_at === null || lane.wake_at > sending.ctx.now())
  })
  answer.resolve(Object.assign(new Error('4.2.0 Greylisted'), { responseCode: 450 }))
  const [mail] = await sending.waitForMails(1)
  expect(mail?.from).toBe(other?.address)
})

test('a mail that broke off between its claim and its result is sent by the same process', async () => {
  sending = await testSending()
  const { connectSmtp } = sending.ctx.mail
  let attempts = 0
  sending.ctx.mail = {
    ...sending.ctx.mail,
    async connectSmtp(server) {
      if (attempts++ === 0) throw new Error('no mail server says this')
      return connectSmtp(server)
    },
  }
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  const [mail] = await sending.waitForMails(1)
  expect(mail?.to).toBe('a@lead.example')
  const [entry] = await sending.waitForLedger(([first]) => first?.state === 'sent')
  expect(entry).toMatchObject({ attempt: 2 })
})

test('a mailbox that sleeps over a mail whose result the database has forgotten is woken', async () => {
  sending = await testSending()
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  const runner = await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  await sending.waitForMails(1)
  await sending.untilAsleep()
  await runner.stop()
  const { peek } = sending.ctx.database
  await peek.updateTable('sends').set({ state: 'transmitting', timestamp_settled: null }).execute()
  await sending.startRunner()
  const [entry] = await sending.waitForLedger(([first]) => first?.state !== 'transmitting')
  expect(entry?.state).toBe('uncertain')
})

test('a lead that another process dealt with is not skipped again and again', async () => {
  sending = await testSending()
  const mailbox = await sending.createMailbox('anna@example.com', { gap_seconds: 600 })
  const campaign = await sending.createCampaign([mailbox])
  await sending.addLeads(campaign.id, ['a@lead.example', 'b@lead.example'])
  const { peek } = sending.ctx.database
  const suppressed = { kind: 'address', value: 'b@lead.example', reason: 'blocked' }
  await peek
    .insertInto('suppressions')
    .values({
      workspace_id: sending.workspaceId,
      timestamp_created: sending.ctx.now(),
      ...suppressed,
    })
    .execute()
  await sending.startRunner()
  await sending.waitForMails(1)
  await sending.untilAsleep()
  await peek
    .updateTable('leads')
    .set({ sending_state: 'stopped', stop_reason: 'blocked', timestamp_next_send: null })
    .where('sending_state', '=', 'pending')
    .execute()
  sending.ctx.clock.advance(3_600_000)
  await sending.untilAsleep(null)
})
