// Also runs on PostgreSQL 15: locks.
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { patience } from '../../../../test/patience.ts'
import { type Sending, testSending } from '../../../../test/sending.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { operator } from '../../audit/index.ts'
import { takeBackSteps } from '../../leads/index.ts'
import { sendAgain } from '../index.ts'
import { Lane } from '../lanes/lane.ts'
import { createSenderParts } from '../lanes/sender-parts.ts'
import { planLanes } from '../next-mail/plan-lanes.ts'
import { RestoreGuard } from '../restore-guard/restore-guard.ts'
import { markTransmitting } from '../transmit/mark-queries.ts'

let sending: Sending
beforeEach(async () => {
  sending = await testSending()
})
afterEach(() => sending[Symbol.asyncDispose]())

/** A lead whose last mail of so many is uncertain, and whose next one is due. */
async function uncertainAndDue(mails = 1) {
  const { ctx, workspaceId } = sending
  const { peek } = ctx.database
  const mailbox = await sending.createMailbox('anna@example.com')
  const steps = [
    { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] },
    { delay: 1, delay_unit: 'hours', variants: [{ subject: '', body: '<p>And?</p>' }] },
    { delay: 1, delay_unit: 'hours', variants: [{ subject: '', body: '<p>Well?</p>' }] },
  ]
  const campaign = await sending.createCampaign([mailbox], { sequences: [{ steps }] })
  const runner = await sending.startRunner()
  await sending.addLeads(campaign.id, ['ann@lead.example'])
  for (let sent = 1; sent <= mails; sent++) {
    await sending.waitForLedger(
      (all) => all.filter(({ state }) => state === 'sent').length === sent,
    )
    await sending.untilAsleep()
    if (sent === mails) await runner.stop()
    ctx.clock.advance(2 * 3_600_000)
  }
  const last = peek.updateTable('sends').set({ state: 'uncertain' }).where('step', '=', mails)
  const send = await last.returningAll().executeTakeFirstOrThrow()
  const { token } = await peek.selectFrom('mailbox_lanes').select('token').executeTakeFirstOrThrow()
  const lane = new Lane(workspaceId, mailbox.id, String(token))
  const plan = async (beforeClaim = async () => {}) => {
    const parts = createSenderParts(ctx, new RestoreGuard(ctx), new Date(0))
    const add = parts.claims.add.bind(parts.claims)
    parts.claims.add = async (request) => {
      await beforeClaim()
      return add(request)
    }
    return (await planLanes(ctx, [lane], parts)).get(lane)
  }
  const again = (own = ctx) => sendAgain(own, workspaceId, send.id, operator)
  return { send, plan, again }
}

const steps = () =>
  sending.ctx.database.peek.selectFrom('sends').select(['step', 'state']).orderBy('step').execute()

test('a mail is not sent again once a later one is claimed, however shortly before', async () => {
  const { plan, again } = await uncertainAndDue()
  const { peek } = sending.ctx.database
  const held = await peek.startTransaction().execute()
  await sql`select from sends for update`.execute(held)
  // It has looked at the mail, and waits for it.
  const repeated = again()
  repeated.catch(() => undefined)
  await sending.ctx.database.untilWaiting()
  expect((await plan())?.kind).toBe('send')
  await held.commit().execute()
  await expect(repeated).rejects.toMatchObject({ code: 'invalid_transition' })
  expect(await steps()).toEqual([
    { step: 1, state: 'uncertain' },
    { step: 2, state: 'claimed' },
  ])
})

test('no later mail is claimed while one is being sent again', async () => {
  const { plan, again } = await uncertainAndDue()
  const repeated = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const done = transaction(sending.ctx, async (tx) => {
    await again(tx)
    repeated.resolve()
    await goOn.promise
  })
  await repeated.promise
  let meanwhile: string | undefined
  const planned = plan().then((action) => {
    meanwhile = action?.kind
  })
  await vi.waitUntil(
    async () => meanwhile !== undefined || (await sending.ctx.database.countWaiting()) > 0,
    patience,
  )
  const before = meanwhile
  goOn.resolve()
  await Promise.all([done, planned])
  expect(before).toBe('again')
  expect((await plan())?.kind).toBe('send')
  expect(await steps()).toEqual([{ step: 1, state: 'claimed' }])
})

test.each([1, 2])(
  'no later mail is claimed that was planned before one was sent again, however many came before: %i',
  async (mails) => {
    const { send, plan, again } = await uncertainAndDue(mails)
    expect((await plan(async () => void (await again())))?.kind).toBe('again')
    expect((await steps()).at(-1)).toEqual({ step: mails, state: 'failed' })
    const next = await plan()
    expect(next).toMatchObject({ kind: 'send', mails: [{ claim: { step_id: send.step_id } }] })
    expect((await steps()).at(-1)).toEqual({ step: mails, state: 'claimed' })
  },
)

test.each([1, 2])(
  'a mail that was claimed as a follow-up is not finished once what it follows was taken back: %i',
  async (mails) => {
    const { send, plan } = await uncertainAndDue(mails)
    const { ctx, workspaceId } = sending
    const action = await plan()
    const [mail] = action?.kind === 'send' ? action.mails : []
    if (!mail) throw new Error('nothing was claimed')
    const { lead_id: leadId, step_id: stepId, variant_id, campaign_day } = send
    const taken = { leadId, stepId, variantId: variant_id ?? '', day: String(campaign_day) }
    await transaction(ctx, (tx) => takeBackSteps(tx, workspaceId, [{ ...taken, sentBefore: null }]))
    const mark = { ...mail.claim, subject: 'Re: Hello', starts_thread: false }
    expect(await markTransmitting(ctx.db, [mark], ctx.now(), new Date(0))).toEqual(new Set())
  },
)
