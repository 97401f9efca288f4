import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'
import { putToSleep } from '../mailbox-lanes/index.ts'
import { Lane } from './lanes/lane.ts'
import { createSenderParts } from './lanes/sender-parts.ts'
import { planLanes } from './next-mail/plan-lanes.ts'
import { RestoreGuard } from './restore-guard/restore-guard.ts'
import { confirmRestore, holdSending } from './restore-guard/sending-hold.ts'

let sending: Sending
beforeEach(async () => {
  sending = await testSending()
})
afterEach(() => sending[Symbol.asyncDispose]())

test('a mailbox does not sleep by what was read before its last result was in the ledger', async () => {
  const { ctx, workspaceId } = sending
  const { id } = await sending.createMailbox('anna@example.com')
  const parts = createSenderParts(ctx, new RestoreGuard(ctx), new Date(0))
  const lane = new Lane(workspaceId, id, '0')
  const plan = async () => (await planLanes(ctx, [lane], parts)).get(lane)?.kind

  lane.settling.add(Promise.resolve())
  const planning = plan()
  // It comes in while the plan is made.
  lane.settling.clear()
  expect(await planning).toBe('settle')
  expect(await plan()).toBe('asleep')
})

/** Puts a mailbox to sleep by what was read under this token, from this database. */
async function sleepBy(id: string, token: string, identity: string | null = null) {
  const { ctx, workspaceId: workspace_id } = sending
  const { peek } = ctx.database
  const { seq } = await peek.selectFrom('mailbox_lanes').select('seq').executeTakeFirstOrThrow()
  const lane = { workspace_id, mailbox_id: id, token, seq, wake_at: null, rests: false, identity }
  return (await putToSleep(ctx.db, [lane])).asleep
}

test('a mailbox is not put to sleep by a runner that it was taken from', async () => {
  const { id } = await sending.createMailbox('anna@example.com')
  await sending.ctx.database.peek.updateTable('mailbox_lanes').set({ token: '2' }).execute()
  expect(await sleepBy(id, '1')).toEqual(new Set())
  expect(await sleepBy(id, '2')).toEqual(new Set([id]))
})

/** A primary, or the standby that took over. */
const become = (identity: string) =>
  sql
    .raw(`create or replace function outrider_database_identity() returns text language sql stable
      as $$ select '${identity}' $$`)
    .execute(sending.ctx.database.peek)

test('a mailbox does not sleep by what was read from a primary that has died since', async () => {
  const { id } = await sending.createMailbox('anna@example.com')
  await become('1.00000002.1')
  expect(await sleepBy(id, '0', '1.00000001.1')).toEqual(new Set())
  expect(await sleepBy(id, '0', '1.00000002.1')).toEqual(new Set([id]))
})

test('a plan that was made from a primary that has died leaves its mailbox to be found anew', async () => {
  const { ctx, workspaceId } = sending
  const { id } = await sending.createMailbox('anna@example.com')
  await ctx.database.peek
    .insertInto('instance')
    .values({ id: ctx.newId(), secret_key_id: 'k', timestamp_created: ctx.now() })
    .execute()
  const guard = new RestoreGuard(ctx)
  await guard.look()
  const parts = createSenderParts(ctx, guard, new Date(0))
  const lane = new Lane(workspaceId, id, '0')
  const plan = async () => (await planLanes(ctx, [lane], parts)).get(lane)?.kind
  await become('1.00000002.1')
  expect(await plan()).toBe('left')
  // That look is due at once.
  await guard.lookWhenDue()
  expect(guard.identity).toBe('1.00000002.1')
})

/** Of these one has something to send; each is asked again once that was refused to it, and then one sleeps. */
async function expectNoneAsleepOverARefusal(mailboxes: { id: string }[]) {
  const { ctx, workspaceId } = sending
  await ctx.database.peek
    .insertInto('instance')
    .values({ id: ctx.newId(), secret_key_id: 'k', timestamp_created: ctx.now() })
    .execute()
  const parts = createSenderParts(ctx, new RestoreGuard(ctx), new Date(0))
  const lanes = mailboxes.map(({ id }) => new Lane(workspaceId, id, '0'))
  const plan = async () => {
    const actions = await planLanes(ctx, lanes, parts)
    return lanes.map((lane) => actions.get(lane)?.kind).toSorted()
  }
  // No claim is granted while sending is held, which this process has not seen yet.
  await holdSending(ctx)
  expect(await plan()).toEqual(['again', 'again'])
  await confirmRestore(ctx)
  expect(await plan()).toEqual(['asleep', 'send'])
}

test('a mailbox does not sleep because another one was to send what was then refused to it', async () => {
  const mailboxes = [
    await sending.createMailbox('anna@example.com'),
    await sending.createMailbox('bert@example.com'),
  ]
  const campaign = await sending.createCampaign(mailboxes)
  await sending.addLeads(campaign.id, ['one@lead.example'])
  await expectNoneAsleepOverARefusal(mailboxes)
})

test('a mailbox does not sleep over the last place in a day that was then refused to another one', async () => {
  const { ctx } = sending
  const { peek } = ctx.database
  const mailboxes = [
    await sending.createMailbox('anna@example.com'),
    await sending.createMailbox('bert@example.com'),
  ]
  const steps = [
    { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] },
    { delay: 1, delay_unit: 'hours', variants: [{ subject: '', body: '<p>And?</p>' }] },
  ]
  const campaign = await sending.createCampaign(mailboxes, {
    daily_limit: 1,
    sequences: [{ steps }],
  })
  const leads = await sending.addLeads(campaign.id, ['one@lead.example', 'two@lead.example'])
  const [first] = campaign.sequences[0].steps
  const written = { sending_state: 'active', sent_step_ids: [first.id], current_step: 1 }
  for (const [index, id] of leads.entries()) {
    const mailbox_id = mailboxes[index]?.id ?? ''
    const change = { ...written, mailbox_id, timestamp_last_contact: ctx.now() }
    await peek.updateTable('leads').set(change).where('id', '=', id).execute()
  }
  ctx.clock.advance(3_600_000)
  await expectNoneAsleepOverARefusal(mailboxes)
})
