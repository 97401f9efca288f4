import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LedgerEntry, type Sending, testSending } from '../../../test/sending.ts'

const leads = 40
/** In the second half of the first mails that are claimed: the next ones are claimed by then. */
const stopsAt = 8

let sending: Sending
let mails: number
let stopped: PromiseWithResolvers<void>
let answer: PromiseWithResolvers<Error | null>
beforeEach(async () => {
  mails = 0
  stopped = Promise.withResolvers()
  answer = Promise.withResolvers()
  sending = await testSending({
    smtp: {
      onMailFrom(_address, _session, callback) {
        mails += 1
        if (mails !== stopsAt) return callback()
        stopped.resolve()
        void answer.promise.then(callback)
      },
    },
  })
})
afterEach(() => sending[Symbol.asyncDispose]())

const inState = (entries: LedgerEntry[], ...states: string[]) =>
  entries.filter(({ state }) => states.includes(state))
const isOpen = (entries: LedgerEntry[]) => inState(entries, 'claimed', 'transmitting').length > 0

/** With one to come, the campaign is not completed by what counts as sent. */
const steps = [
  { variants: [{ subject: 'Hello', body: 'Hi' }] },
  { delay: 30, variants: [{ subject: '', body: 'Again' }] },
]

/** The server takes its time for one mail, and meanwhile more are claimed than it was one of. */
async function claimedAhead(ctx = sending.ctx) {
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox], { sequences: [{ steps }] })
  await sending.addLeads(
    campaign.id,
    Array.from({ length: leads }, (_, n) => `lead${n}@lead.example`),
  )
  await sending.startRunner(ctx)
  const [first] = await sending.waitForLedger((entries) => entries.length > 0)
  await stopped.promise
  await sending.waitForLedger((entries) => entries.some((each) => isLater(each, first)))
  expect(inState(await sending.ledger(), 'claimed').length).toBeGreaterThan(1)
}
const isLater = (a: LedgerEntry, b: LedgerEntry | undefined) =>
  a.timestamp_claimed.getTime() > (b?.timestamp_claimed.getTime() ?? 0)

async function expectAllSentOnce() {
  await sending.waitForLedger((entries) => inState(entries, 'sent').length === leads)
  await sending.untilAsleep()
  expect(new Set(sending.outbox.map(({ to }) => to)).size).toBe(leads)
  expect(sending.outbox).toHaveLength(leads)
  const { peek } = sending.ctx.database
  const days = await peek.selectFrom('campaign_days').select('sent').execute()
  expect(days.reduce((sum, { sent }) => sum + sent, 0)).toBe(leads)
}

test('a failure of the mailbox gives back what a mailbox had claimed ahead, and all of it is sent once it is over', async () => {
  await claimedAhead()
  answer.resolve(Object.assign(new Error('5.7.1 Sender not allowed'), { responseCode: 550 }))
  await sending.waitForLedger((entries) => !isOpen(entries))
  expect(sending.outbox).toHaveLength(stopsAt - 1)
  // It is tried by and by whether the mailbox works again.
  sending.ctx.clock.advance(3_600_000)
  await expectAllSentOnce()
})

const leases = () =>
  sending.ctx.database.peek.updateTable('bucket_leases').where('kind', '=', 'mailboxes')

/** Its runner is thought dead: whoever comes next gets every lease. */
async function succeed() {
  await sending.ctx.database.peek.deleteFrom('runners').execute()
  await leases()
    .set({ leased_until: new Date(0) })
    .execute()
  await sending.startRunner()
}

test('a runner that finds its lease lost gives back what it had claimed ahead, and the next sends all of it', async () => {
  const { ctx } = sending
  await claimedAhead({ ...ctx, config: { ...ctx.config, leaseMs: 1500 } })
  await leases()
    .set({
      runner_id: ctx.newId(),
      token: '1000',
      leased_until: new Date(ctx.now().getTime() + 3_600_000),
    })
    .execute()
  // A beat that begins after another one has ended does so with what that one found.
  await nextBeat()
  await nextBeat()
  answer.resolve(null)
  await sending.waitForLedger((entries) => !isOpen(entries))
  expect(sending.outbox).toHaveLength(stopsAt)
  await succeed()
  await expectAllSentOnce()
})

async function nextBeat() {
  const { peek, until } = sending.ctx.database
  const beatAt = async () =>
    (await peek.selectFrom('runners').select('heartbeat_at').executeTakeFirst())?.heartbeat_at
  const before = await beatAt()
  await until(async () => (await beatAt())?.getTime() !== before?.getTime())
}

test('a runner that lost its lease without knowing sends nothing of what it had claimed, once another has', async () => {
  await claimedAhead({ ...sending.ctx })
  await succeed()
  // As after a kill: what was marked may have been sent, as far as anybody can tell.
  const entries = await sending.waitForLedger(
    (all) => inState(all, 'sent', 'uncertain').length === leads,
  )
  const { length } = inState(entries, 'uncertain')
  expect(length).toBeGreaterThan(0)
  expect(length).toBeLessThanOrEqual(8)
  sending.ctx.clock.advance(1_000)
  answer.resolve(null)
  await expectAllSentOnce()
})
