import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../test/sending.ts'
import { operator } from '../features/audit/index.ts'
import { pauseMailbox } from '../features/mailboxes/index.ts'
import { setGauges } from './gauges.ts'

let sending: Sending
let passedMs = 0
beforeEach(async () => {
  sending = await testSending({
    smtp: {
      onRcptTo({ address }, _session, done) {
        const refusal = Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 })
        done(address.startsWith('gone') ? refusal : null)
      },
    },
  })
  // What is counted once in a while is counted at every scrape.
  setGauges({ ...sending.ctx, monotonicMs: () => (passedMs += 60_000) })
})
afterEach(() => sending[Symbol.asyncDispose]())

/** What Prometheus reads of mails and mailboxes. */
async function scrape() {
  const { statusCode, body } = await sending.app.inject({ url: '/metrics' })
  expect(statusCode).toBe(200)
  const samples = body.matchAll(/^outrider_((?:mails|mailboxes)(?:_\w+)?(?:\{.*\})?) (\S+)$/gm)
  return Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)]))
}

test('/metrics counts mails that were sent, that failed, and that wait', async () => {
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  await sending.addLeads(campaign.id, ['a@lead.example', 'b@lead.example', 'gone@lead.example'])
  const before = await scrape()
  expect(before).toMatchObject({ mails_waiting: 3 })
  expect(before).not.toHaveProperty(['mails_total{outcome="sent"}'])

  const runner = await sending.startRunner()
  await sending.waitForLedger(
    (all) => all.length === 3 && all.every(({ state }) => ['sent', 'failed'].includes(state)),
  )
  await runner.stop()
  expect(await scrape()).toMatchObject({
    'mails_total{outcome="sent"}': 2,
    'mails_total{outcome="failed"}': 1,
    mails_waiting: 0,
  })
})

test('/metrics counts a mailbox that cannot log in as one in error, and its mails as waiting', async () => {
  const [anna, bert] = ['anna@example.com', 'bert@example.com']
  const mailbox = await sending.createMailbox(anna)
  await sending.createMailbox(bert)
  expect(await scrape()).toMatchObject({ [mailboxesIn('connected')]: 2, [mailboxesIn('error')]: 0 })

  sending.account(anna).password = 'changed by somebody'
  const campaign = await sending.createCampaign([mailbox])
  await sending.addLeads(campaign.id, ['a@lead.example'])
  await sending.startRunner()
  const { peek, until } = sending.ctx.database
  await until(async () => {
    const inError = peek.selectFrom('mailboxes').select('id').where('status', '=', 'error')
    return (await inError.execute()).length === 1
  })
  expect(await scrape()).toMatchObject({
    [mailboxesIn('connected')]: 1,
    [mailboxesIn('error')]: 1,
    mails_waiting: 1,
  })

  await pauseMailbox(sending.ctx, sending.workspaceId, mailbox.id, operator)
  expect(await scrape()).toMatchObject({
    [mailboxesIn('connected')]: 1,
    [mailboxesIn('error')]: 0,
    [mailboxesIn('paused')]: 1,
  })
})

const mailboxesIn = (status: string) => `mailboxes{status="${status}"}`

test('every scrape tells the use of the pool', async () => {
  const { body } = await sending.app.inject({ url: '/metrics' })
  expect(body).toMatch(/^outrider_database_connections\{state="waiting"\} \d+$/m)
})
