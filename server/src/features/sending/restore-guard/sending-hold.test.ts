import { CompiledQuery } from 'kysely'
import type { SMTPServerOptions } from 'smtp-server'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { asService, testContext } from '../../../../test/context.ts'
import { gate } from '../../../../test/gate.ts'
import { ofShards } from '../../../../test/moves.ts'
import { type LedgerEntry, type Sending, testSending } from '../../../../test/sending.ts'
import { inWorkspace } from '../../../kernel/context.ts'
import { hintDue } from '../../../kernel/runner/hint.ts'
import {
  confirmRestore,
  findSendingHold,
  holdAll,
  holdSending,
  previewRestore,
  refuseWhileHeld,
} from '../index.ts'
import type { LastSeen, LastSeenFile } from './marker-file.ts'

let sending: Sending
beforeEach(() => begin())

async function begin(smtp: SMTPServerOptions = {}) {
  sending = await testSending({ smtp })
  const { ctx } = sending
  await ctx.database.peek
    .insertInto('instance')
    .values({ id: ctx.newId(), secret_key_id: 'k', timestamp_created: ctx.now() })
    .execute()
}
afterEach(() => sending[Symbol.asyncDispose]())

/** Anew, with a mail server that answers for a recipient once it is let pass. */
async function beginAtGate() {
  await sending[Symbol.asyncDispose]()
  const server = gate()
  await begin({ onRcptTo: (_address, _session, callback) => server.pass(callback) })
  return server
}

const run = (text: string) => sending.ctx.database.peek.executeQuery(CompiledQuery.raw(text))

const asOwn = () => inWorkspace(asService(sending.ctx), sending.workspaceId)

/** The database becomes another one under the processes that use it. */
const failOver = (identity = 'another') =>
  run(`create or replace function outrider_database_identity() returns text
       language sql stable as $$ select '${identity}' $$`)

const sentTo = (count: number) => (entries: LedgerEntry[]) =>
  entries.filter(({ state }) => state === 'sent').length === count

async function activeCampaign() {
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox], {
    sequences: [
      {
        steps: [
          { variants: [{ subject: 'One', body: '<p>1</p>' }] },
          { delay: 1, variants: [{ subject: '', body: '<p>2</p>' }] },
        ],
      },
    ],
  })
  return campaign.id as string
}

const statusOf = async (id: string) =>
  (await sending.call('GET', `/api/v2/campaigns/${id}`)).body.sending_status

/** One that remembers in memory what the file would. */
function memory(start?: LastSeen): LastSeenFile {
  let seen = start
  return {
    ownsDatabase: false,
    recall: async () => seen,
    note: async (next) => {
      seen = { isCopy: false, ...next }
    },
  }
}

test('a first start, and every other on the same database, sends', async () => {
  const id = await activeCampaign()
  const marker = memory()
  for (const count of [1, 2, 3]) {
    const runner = await sending.startRunner(sending.ctx, { marker })
    expect(runner.isHeld()).toBe(false)
    await sending.addLeads(id, [`${count}@lead.example`])
    await sending.waitForLedger(sentTo(count))
    await runner.stop(1000)
  }
  expect(await findSendingHold(sending.ctx.db)).toBeNull()
  await expect(confirmRestore(sending.ctx)).rejects.toMatchObject({ code: 'invalid_transition' })
})

test('a failover holds all sending until it is confirmed, and what was under way is settled first', async () => {
  const { ctx } = sending
  const id = await activeCampaign()
  const before = await sending.startRunner()
  await sending.addLeads(id, ['ann@lead.example'])
  await sending.waitForLedger(sentTo(1))
  await before.stop(1000)
  // The mail of a process that died in the failover.
  await run(`update sends set state = 'transmitting'`)
  await failOver()
  await run(`update mailbox_lanes set wake_at = outrider_now(), next_send_at = null`)
  await sending.addLeads(id, ['bob@lead.example'])

  await expect(holdSending(ctx)).resolves.toMatchObject({ reason: 'operator' })
  await expect(confirmRestore(ctx)).rejects.toMatchObject({ code: 'not_ready' })
  const runner = await sending.startRunner()
  expect(runner.isHeld()).toBe(true)
  expect(await statusOf(id)).toMatchObject({ state: 'waiting', reason: 'restore_unconfirmed' })
  const [entry] = await sending.waitForLedger(([first]) => first?.state === 'uncertain')
  expect(entry).toMatchObject({ attempt: 1 })
  expect(sending.outbox).toHaveLength(1)

  expect(await confirmRestore(ctx)).toEqual({ uncertain: 1 })
  await sending.waitForLedger(sentTo(1))
  expect(sending.outbox.map(({ to }) => to)).toEqual(['ann@lead.example', 'bob@lead.example'])
  expect(await findSendingHold(ctx.db)).toBeNull()
  expect(runner.isHeld()).toBe(false)
})

test('a runner that lives through a failover claims nothing from the other database', async () => {
  const { ctx } = sending
  const id = await activeCampaign()
  await sending.startRunner()
  await sending.addLeads(id, ['ann@lead.example'])
  await sending.waitForLedger(sentTo(1))
  await failOver()
  await sending.addLeads(id, ['bob@lead.example'])
  // It looks because what it asked for was refused: by itself it would only in a quarter of a minute.
  await ctx.database.until(
    async () => (await findSendingHold(ctx.db)) || (await sending.ledger()).length > 1,
  )
  expect(await findSendingHold(ctx.db)).toMatchObject({ reason: 'another_database' })
  const other = await sending.startRunner()
  expect(other.isHeld()).toBe(true)
  expect(await statusOf(id)).toMatchObject({ state: 'waiting', reason: 'restore_unconfirmed' })
  expect(await sending.ledger()).toHaveLength(1)
  await confirmRestore(ctx)
  await sending.waitForMails(2)
})

test('a database that is older than what the machine has seen is held once', async () => {
  const { ctx } = sending
  const first = await sending.startRunner()
  await first.stop(1000)
  const { id } = await ctx.database.peek
    .selectFrom('instance')
    .select('id')
    .executeTakeFirstOrThrow()
  const marker = memory({ id, epoch: 1000, isCopy: false })
  const held = await sending.startRunner(ctx, { marker })
  expect(held.isHeld()).toBe(true)
  expect(await findSendingHold(ctx.db)).toMatchObject({ reason: 'database_went_back' })
  await held.stop(1000)
  await confirmRestore(ctx)
  const confirmed = await sending.startRunner(ctx, { marker })
  expect(confirmed.isHeld()).toBe(false)
  await confirmed.stop(1000)
})

const [before, after] = ['7.00000001.16400', '7.00000002.16400']

/** A standby took over, which every process notices at once, and some seconds have passed. */
async function promote() {
  await failOver(after)
  hintDue(sending.ctx)
  await sending.ctx.database.until(async () => {
    const { rows } = await run(`select from instance where failover_since is not null`)
    return rows.length === 1
  })
  await run(`update instance set failover_since = failover_since - interval '4 s'`)
}

test('a standby that lacks nothing is sent from by itself', async () => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  const runners = [await sending.startRunner(), await sending.startRunner()]
  await sending.addLeads(id, ['ann@lead.example'])
  await sending.waitForLedger(sentTo(1))
  await promote()
  await sending.addLeads(id, ['bob@lead.example'])
  await sending.waitForMails(2)
  expect(runners.map((runner) => runner.isHeld())).toEqual([false, false])
  expect(await findSendingHold(ctx.db)).toBeNull()
})

/** The database of the tests beside another one, which may have its workspace, too, and does not answer yet. */
async function besideAnother({ hasTheSame }: { hasTheSame: boolean }) {
  const { ctx } = sending
  const b = { ...(await testContext()), shard: 'b' }
  onTestFinished(() => b[Symbol.asyncDispose]())
  if (hasTheSame) {
    const rows = await ctx.database.peek.selectFrom('workspaces').selectAll().execute()
    await b.database.peek.insertInto('workspaces').values(rows).execute()
  }
  const { shards } = ofShards({ ...ctx, shard: 'a' }, undefined)
  if (!shards) throw new Error('There is one database.')
  return {
    ...{ shards, beside: { ...ctx, shard: 'a', shards } },
    answers() {
      const [shard] = ofShards(b, undefined).shards?.opened ?? []
      if (shard) shards.noteOpened({ ...shard, name: 'b' })
    },
  }
}

test('a standby of one shard is sent from once every other shard has said that it has none of its workspaces', async () => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  const { shards, beside, answers } = await besideAnother({ hasTheSame: false })
  await sending.startRunner(beside)
  await promote()
  await sending.addLeads(id, ['ann@lead.example'])
  const asked = vi.spyOn(shards, 'askThoseUp')
  await ctx.database.until(() => asked.mock.results.length > 1)
  const { rows } = await run('select sending_identity from instance')
  expect(rows).toEqual([{ sending_identity: before }])
  answers()
  await sending.waitForMails(1)
  expect(await findSendingHold(ctx.db)).toBeNull()
})

const heldAs = (reason: string) => async () =>
  (await findSendingHold(sending.ctx.db))?.reason === reason

test('a standby beside a shard that stays silent is held for all to see, until that shard has answered', async () => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  const { beside, answers } = await besideAnother({ hasTheSame: false })
  const runner = await sending.startRunner(beside)
  await promote()
  await sending.addLeads(id, ['ann@lead.example'])
  await run(`update instance set failover_since = failover_since - interval '30 s'`)
  await ctx.database.until(heldAs('shard_unasked'))
  expect(await statusOf(id)).toMatchObject({ state: 'waiting', reason: 'restore_unconfirmed' })
  expect(runner.holdsAll()).toBe(false)
  expect(sending.outbox).toEqual([])
  answers()
  await sending.waitForMails(1)
  expect(await findSendingHold(ctx.db)).toBeNull()
})

test('what an operator holds beside a silent shard does not end when it answers', async () => {
  const { ctx } = sending
  await failOver(before)
  const { shards, beside, answers } = await besideAnother({ hasTheSame: false })
  const runner = await sending.startRunner(beside)
  await promote()
  await run(`update instance set failover_since = failover_since - interval '30 s'`)
  await ctx.database.until(heldAs('shard_unasked'))
  expect(await holdSending(ctx)).toMatchObject({ reason: 'operator' })
  const asked = vi.spyOn(shards, 'askThoseUp')
  answers()
  await ctx.database.until(() => asked.mock.results.length > 0)
  // Its last look is over.
  await runner.stop(1000)
  expect(await findSendingHold(ctx.db)).toMatchObject({ reason: 'operator' })
})

test('a process that says late what is missing takes the place of a silent shard as the reason', async () => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  const { beside, answers } = await besideAnother({ hasTheSame: false })
  await sending.startRunner(beside)
  await sending.addLeads(id, ['bob@lead.example'])
  await sending.waitForLedger(sentTo(1))
  await sending.untilAsleep()
  // Another process was asked, and has found nothing.
  await run(`update instance set failover_from = '${before}', failover_identity = '${after}',
    failover_epoch = sending_epoch, failover_since = outrider_now() - interval '40 s',
    sending_held_since = outrider_now(), sending_held_reason = 'shard_unasked'`)
  answers()
  await loseMailTo('bob')
  await ctx.database.until(heldAs('mails_missing'))
  expect(sending.outbox).toHaveLength(1)
})

test('an error of another shard keeps no process from looking at its own database', async () => {
  const { ctx } = sending
  await failOver(before)
  await activeCampaign()
  const { shards, beside } = await besideAnother({ hasTheSame: false })
  vi.spyOn(shards, 'askThoseUp').mockRejectedValue(new Error('permission denied'))
  await sending.startRunner(beside)
  await promote()
  await run(`update instance set failover_since = failover_since - interval '30 s'`)
  await ctx.database.until(heldAs('shard_unasked'))
})

test('a standby that lacks the move of a workspace is held before it sends', async () => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  const { beside, answers } = await besideAnother({ hasTheSame: true })
  answers()
  await sending.startRunner(beside)
  await promote()
  await sending.addLeads(id, ['ann@lead.example'])
  await ctx.database.until(
    async () => (await findSendingHold(ctx.db)) || (await sending.ledger()).length > 0,
  )
  expect(await findSendingHold(ctx.db)).toMatchObject({ reason: 'another_database' })
  expect(sending.outbox).toEqual([])
})

test('a runner that starts after a failover goes on with those that lived through it', async () => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  await sending.startRunner()
  await failOver(after)
  const joining = await sending.startRunner()
  await promote()
  await sending.addLeads(id, ['ann@lead.example'])
  await sending.waitForMails(1)
  await ctx.database.until(() => !joining.holdsAll())
  expect(await findSendingHold(ctx.db)).toBeNull()
})

test('a runner that was stopped before a failover knows the database again by what it left on its machine', async () => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  const marker = memory()
  const stopped = await sending.startRunner(ctx, { marker })
  await stopped.stop(1000)
  await failOver(after)
  const runner = await sending.startRunner(ctx, { marker })
  expect(runner.holdsAll()).toBe(false)
  await promote()
  await sending.addLeads(id, ['ann@lead.example'])
  await sending.waitForMails(1)
  expect(await findSendingHold(ctx.db)).toBeNull()
})

test.each([
  ['whose runners had been stopped', ''],
  [
    'whose runners were at work',
    `insert into senders
    values (gen_random_uuid(), '${before}', outrider_now())`,
  ],
])(
  'a database that was put back to an instant %s is no failover where nobody knew it before',
  async (_what, atThatInstant) => {
    const { ctx } = sending
    await failOver(before)
    const id = await activeCampaign()
    const stopped = await sending.startRunner()
    await stopped.stop(1000)
    if (atThatInstant) await run(atThatInstant)
    await failOver(after)
    await sending.addLeads(id, ['ann@lead.example'])
    const marker = memory()
    const first = await sending.startRunner(ctx, { marker })
    await promote()
    expect(first.holdsAll()).toBe(true)
    await first.stop(1000)
    // What the first left on the machine is no knowledge of the database before.
    const next = await sending.startRunner(ctx, { marker })
    expect(next.holdsAll()).toBe(true)
    await run(`update instance set failover_since = failover_since - interval '40 s'`)
    await ctx.database.until(() => findSendingHold(ctx.db))
    expect(await findSendingHold(ctx.db)).toMatchObject({ reason: 'another_database' })
    expect(next.holdsAll()).toBe(true)
    expect(sending.outbox).toEqual([])
    await confirmRestore(ctx)
    await sending.waitForMails(1)
    expect(next.holdsAll()).toBe(false)
  },
)

test('until every process has asked nothing is claimed, and nothing that was claimed is sent', async () => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  await sending.startRunner()
  // One that does not answer.
  await run(`insert into senders values (gen_random_uuid(), '${before}', outrider_now())`)
  await promote()
  await sending.addLeads(id, ['ann@lead.example'])
  await expect(holdSending(ctx)).resolves.toMatchObject({ reason: 'operator' })
  await expect(confirmRestore(ctx)).rejects.toMatchObject({ code: 'not_ready' })
  await run(`update instance set sending_held_since = null, sending_held_reason = null,
    failover_since = failover_since - interval '30 s'`)
  await ctx.database.until(async () => (await findSendingHold(ctx.db))?.reason === 'sender_unasked')
  expect(sending.outbox).toEqual([])
  await confirmRestore(ctx)
  await sending.waitForMails(1)
})

test('a mail that was claimed before a failover is not finished while the new primary is asked', async () => {
  const server = await beginAtGate()
  await failOver(before)
  const id = await activeCampaign()
  await sending.startRunner()
  await sending.addLeads(id, ['ann@lead.example'])
  await sending.waitForLedger(([entry]) => entry?.state === 'claimed')
  // One that does not answer.
  await run(`insert into senders values (gen_random_uuid(), '${before}', outrider_now())`)
  await promote()
  server.letPass(Number.POSITIVE_INFINITY)
  await sending.waitForLedger(([entry]) => entry?.state === 'failed')
  expect(sending.outbox).toEqual([])
})

test('a mail that was claimed before a hold is not finished, and the hold waits for it', async () => {
  const server = await beginAtGate()
  const { ctx } = sending
  const id = await activeCampaign()
  await sending.startRunner()
  await sending.addLeads(id, ['ann@lead.example'])
  await sending.waitForLedger(([entry]) => entry?.state === 'claimed')
  const looked = Promise.withResolvers<void>()
  const sleep = (ms: number) => {
    looked.resolve()
    return ctx.sleep(ms)
  }
  const holding = holdAll({ ...asService(ctx), sleep })
  await looked.promise
  expect(await findSendingHold(ctx.db)).toMatchObject({ reason: 'operator' })
  expect(await sending.ledger()).toMatchObject([{ state: 'claimed' }])
  server.letPass(Number.POSITIVE_INFINITY)
  await holding
  expect(await sending.ledger()).toMatchObject([{ state: 'failed' }])
  expect(sending.outbox).toEqual([])
})

test('a hold says how many mails are under way that a server takes long for, as long as somebody sends', async () => {
  const server = await beginAtGate()
  const { ctx } = sending
  const id = await activeCampaign()
  const runner = await sending.startRunner()
  await sending.addLeads(id, ['ann@lead.example'])
  await sending.waitForLedger(([entry]) => entry?.state === 'claimed')
  let minutes = 0
  const impatient = { ...asService(ctx), monotonicMs: () => minutes++ * 60_000 }
  await expect(holdAll(impatient)).rejects.toMatchObject({
    ...{
      code: 'not_ready',
      message: expect.stringContaining('1 mail that had been begun is still under way'),
    },
  })
  expect(await findSendingHold(ctx.db)).toMatchObject({ reason: 'operator' })
  server.letPass(Number.POSITIVE_INFINITY)
  await sending.waitForLedger(([entry]) => entry?.state === 'failed')
  await runner.stop(1000)
  // As in a snapshot, whose processes are long gone.
  await run(`update sends set state = 'claimed'`)
  await run(`update senders set timestamp_seen = outrider_now() - interval '2 min'`)
  expect(await holdAll(impatient)).toMatchObject({ reason: 'operator' })
})

test('when a hold by hand returns, webhooks and mailboxes wait in every process', async () => {
  const ctx = asService(sending.ctx)
  // By itself it would look in a quarter of a minute.
  const runner = await sending.startRunner({ ...sending.ctx, monotonicMs: () => 0 })
  const others = await sending.startRunner()
  await holdAll(ctx)
  expect([runner.holdsAll(), others.holdsAll()]).toEqual([true, true])
})

test('what the new primary has as open is settled, although its mailbox was at work meanwhile', async () => {
  const server = await beginAtGate()
  await failOver(before)
  const id = await activeCampaign()
  await sending.startRunner()
  server.letPass(1)
  await sending.addLeads(id, ['ann@lead.example'])
  const [sent] = await sending.waitForLedger(sentTo(1))
  await sending.addLeads(id, ['bob@lead.example'])
  await sending.waitForLedger((entries) => entries.some(({ state }) => state === 'claimed'))
  // The standby has her mail as it was before its result.
  await run(`update sends set state = 'transmitting', timestamp_settled = null
    where state = 'sent'`)
  await promote()
  const { database } = sending.ctx
  await database.until(async () => {
    const { rows } = await run('select sending_identity as identity from instance')
    return (rows as { identity: string }[])[0]?.identity === after
  })
  server.letPass(Number.POSITIVE_INFINITY)
  await sending.waitForLedger((entries) =>
    entries.some(({ lead_id, state }) => lead_id === sent?.lead_id && state === 'uncertain'),
  )
})

test('a mail that the new primary lacks holds sending, by its name, and is sent again once', async () => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  const runner = await sending.startRunner()
  await sending.addLeads(id, ['ann@lead.example', 'bob@lead.example'])
  await sending.waitForLedger(sentTo(2))
  await sending.untilAsleep()
  await failOver(after)
  // The last commits are lost: of one mail the claim with all that follows.
  await run(`delete from sends s using leads l where l.id = s.lead_id and l.email like 'bob%'`)
  await run(`update leads set sending_state = 'pending', timestamp_next_send = timestamp_created,
    current_step = 0, sent_step_ids = '{}', mailbox_id = null, thread_subject = null where email like 'bob%'`)
  await run(`update mailbox_lanes set wake_at = outrider_now(), next_send_at = null`)
  hintDue(ctx)
  await ctx.database.until(async () => (await findSendingHold(ctx.db))?.reason === 'mails_missing')
  expect(await previewRestore(ctx)).toMatchObject({
    missing: [{ lead: 'bob@lead.example', campaign: 'test', mailbox: 'anna@example.com' }],
  })
  expect(runner.isHeld()).toBe(true)
  expect(sending.outbox).toHaveLength(2)
  await confirmRestore(ctx)
  await sending.waitForMails(3)
  await sending.waitForLedger(sentTo(2))
  expect(sending.outbox.map(({ to }) => to).toSorted()).toEqual([
    'ann@lead.example',
    'bob@lead.example',
    'bob@lead.example',
  ])
  expect((await previewRestore(ctx)) === null).toBe(true)
})

/** Of bob's mail the last commits are lost, and the identity is that of a standby. */
async function loseMailTo(name: string) {
  await failOver(after)
  await run(`delete from sends s using leads l where l.id = s.lead_id and l.email like '${name}%'`)
  await run(`update leads set sending_state = 'pending', timestamp_next_send = timestamp_created,
    current_step = 0, sent_step_ids = '{}', mailbox_id = null, thread_subject = null
    where email like '${name}%'`)
  await run(`update mailbox_lanes set wake_at = outrider_now(), next_send_at = null`)
  hintDue(sending.ctx)
}

test.each([
  // The standby lacks only that it was sent again.
  [
    'never arrived by the word of a person is not missing where that is known',
    `update sends set state = 'failed', error_stage = 'person'`,
  ],
  [
    'was sent again by another process is not missing where the later attempt is known',
    'update sends set id = gen_random_uuid(), attempt = attempt + 1',
  ],
])('a mail that %s', async (_what, change) => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  await sending.startRunner()
  await sending.addLeads(id, ['bob@lead.example'])
  await sending.waitForLedger(sentTo(1))
  await sending.untilAsleep()
  await run(change)
  await promote()
  await sending.addLeads(id, ['ann@lead.example'])
  await sending.waitForMails(2)
  expect(await findSendingHold(ctx.db)).toBeNull()
})

test.each([
  ['missing if its workspace had come back since', 'an hour before the mail', '-1 hour', true],
  ['not missing where its workspace is now', 'an hour after the mail', '1 hour', false],
])(
  'a mail is %s, as a standby has it that says the workspace left %s',
  async (_what, _when, later, isMissing) => {
    const { ctx } = sending
    await failOver(before)
    const id = await activeCampaign()
    await sending.startRunner()
    await sending.addLeads(id, ['bob@lead.example'])
    const [sent] = await sending.waitForLedger(sentTo(1))
    await sending.untilAsleep()
    await run('delete from sends')
    const { rows } = await run(`update workspaces set moving_to = 'a', moved_to = 'a',
      timestamp_moving = outrider_now() + interval '${later}' returning id`)
    const [{ id: workspaceId } = { id: '' }] = rows as { id: string }[]
    for (const event of ['insert', 'delete']) {
      await run(`create trigger fence_of_${event} before ${event} on missing_marks
        for each row execute function outrider_fence('${workspaceId}')`)
    }
    await promote()
    const isSettled = async () => {
      const [instance] = (await run('select sending_identity as of from instance')).rows
      return (instance as { of: string }).of === after || (await findSendingHold(ctx.db)) !== null
    }
    await ctx.database.until(isSettled)
    const found = await previewRestore(ctx)
    const leads = found?.missing.map(({ lead_id }) => lead_id)
    expect(leads).toEqual(isMissing ? [sent?.lead_id] : undefined)
    if (isMissing) await confirmRestore(ctx, found?.seen)
    expect((await run('select from missing_marks')).rows).toEqual([])
  },
)

test('who confirms is told of the newest mail and of what leaves, and of nothing that a moved workspace has left', async () => {
  const { ctx } = sending
  const id = await activeCampaign()
  await sending.startRunner()
  await sending.addLeads(id, ['ann@lead.example', 'bob@lead.example'])
  const ledger = await sending.waitForLedger(sentTo(2))
  await sending.untilAsleep()
  await holdSending(ctx)
  const newest = ledger.at(-1)?.timestamp_claimed
  const none = { leads_due: 0, pending_deliveries: 0 }
  expect(await previewRestore(ctx)).toMatchObject({
    ...{ ...none, last_mail: newest, active_campaigns: 1 },
  })
  await run(`update workspaces set moving_to = 'a', moved_to = 'a'`)
  expect(await previewRestore(ctx)).toMatchObject({
    ...{ ...none, last_mail: null, active_campaigns: 0 },
  })
})

test('a hold that was placed after another one was shown is not ended by who saw that', async () => {
  const { ctx } = sending
  await holdSending(ctx)
  const shown = await previewRestore(ctx)
  await confirmRestore(ctx, shown?.seen)
  ctx.clock.advance(1)
  await holdSending(ctx)
  await expect(confirmRestore(ctx, shown?.seen)).rejects.toMatchObject({ code: 'not_ready' })
  expect(await findSendingHold(ctx.db)).not.toBeNull()
})

test('beside missing mails it is told that somebody cannot be asked, before anybody confirms', async () => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  await sending.startRunner()
  await sending.addLeads(id, ['bob@lead.example'])
  await sending.waitForLedger(sentTo(1))
  await sending.untilAsleep()
  await run(`insert into senders values (gen_random_uuid(), '${before}', outrider_now())`)
  await loseMailTo('bob')
  await ctx.database.until(async () => (await findSendingHold(ctx.db))?.reason === 'mails_missing')
  const shown = await previewRestore(ctx)
  await run(`update instance set failover_since = failover_since - interval '40 s'`)
  await ctx.database.until(async () => (await findSendingHold(ctx.db))?.reason === 'sender_unasked')
  await expect(confirmRestore(ctx, shown?.seen)).rejects.toMatchObject({ code: 'not_ready' })
  const told = await previewRestore(ctx)
  expect(told).toMatchObject({ missing: [{ lead: 'bob@lead.example' }] })
  await confirmRestore(ctx, told?.seen)
  await sending.waitForMails(2)
})

test('what an operator holds stays held whole when a process dies with the primary', async () => {
  const { ctx } = sending
  await failOver(before)
  await activeCampaign()
  const runner = await sending.startRunner()
  await run(`insert into senders values (gen_random_uuid(), '${before}', outrider_now())`)
  await holdSending(ctx)
  await promote()
  await run(`update instance set failover_since = failover_since - interval '30 s'`)
  await ctx.database.until(heldAs('sender_unasked'))
  await expect(refuseWhileHeld(asOwn())).rejects.toMatchObject({ code: 'not_ready' })
  await runner.stop(1000)
  const next = await sending.startRunner()
  expect(next.holdsAll()).toBe(true)
  await confirmRestore(ctx)
  await ctx.database.until(() => !next.holdsAll())
})

test('an operator holds webhooks and mailboxes, too, where a failover holds the mails alone', async () => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  const runner = await sending.startRunner()
  await sending.addLeads(id, ['bob@lead.example'])
  await sending.waitForLedger(sentTo(1))
  await sending.untilAsleep()
  await loseMailTo('bob')
  await ctx.database.until(heldAs('mails_missing'))
  await expect(refuseWhileHeld(asOwn())).resolves.toBeUndefined()
  const shown = await previewRestore(ctx)
  expect((await holdAll(asService(ctx))).detail).toMatch(/lacks mails.* An operator held it, too/)
  expect(runner.holdsAll()).toBe(true)
  await expect(refuseWhileHeld(asOwn())).rejects.toMatchObject({ code: 'not_ready' })
  await expect(confirmRestore(ctx, shown?.seen)).rejects.toMatchObject({ code: 'not_ready' })
  await confirmRestore(ctx, (await previewRestore(ctx))?.seen)
  await sending.waitForMails(2)
})

test('nobody confirms a mail that turned up missing after the others were shown', async () => {
  const { ctx } = sending
  await failOver(before)
  const id = await activeCampaign()
  await sending.startRunner()
  await sending.addLeads(id, ['bob@lead.example'])
  await sending.waitForLedger(sentTo(1))
  await sending.untilAsleep()
  await loseMailTo('bob')
  await ctx.database.until(async () => (await findSendingHold(ctx.db))?.reason === 'mails_missing')
  const shown = await previewRestore(ctx)
  await run(`insert into missing_marks select workspace_id, lead_id, step_id, gen_random_uuid(),
    campaign_id, mailbox_id, timestamp_marked from missing_marks`)
  await expect(confirmRestore(ctx, shown?.seen)).rejects.toMatchObject({ code: 'not_ready' })
  expect(await findSendingHold(ctx.db)).toMatchObject({ reason: 'mails_missing' })
  await confirmRestore(ctx, (await previewRestore(ctx))?.seen)
})

test('a process that the new primary has never heard of is waited for if another one had', async () => {
  const { ctx } = sending
  await failOver(before)
  await activeCampaign()
  await sending.startRunner()
  const epoch = async () => {
    const { rows } = await run('select sending_epoch from instance')
    return Number((rows as { sending_epoch: string }[])[0]?.sending_epoch)
  }
  const [start, other] = [await epoch(), '00000000-0000-7000-8000-0000000000aa']
  await run(`insert into senders values ('${other}', '${before}', outrider_now())`)
  hintDue(ctx)
  await ctx.database.until(async () => (await epoch()) > start)
  // The standby has neither the last look nor the process.
  await run(`delete from senders where id = '${other}'`)
  await run(`update instance set sending_epoch = ${start}`)
  await promote()
  await run(`update instance set failover_since = failover_since - interval '30 s'`)
  await ctx.database.until(async () => (await findSendingHold(ctx.db))?.reason === 'sender_unasked')
})

test('a standby that lags by more than is remembered is held as one that was put back', async () => {
  const { ctx } = sending
  await failOver(before)
  const runner = await sending.startRunner()
  await run(`update instance set sending_epoch = sending_epoch - 1000`)
  await failOver(after)
  await runner.stop(1000)
  const { id } = await ctx.database.peek
    .selectFrom('instance')
    .select('id')
    .executeTakeFirstOrThrow()
  await sending.startRunner(ctx, { marker: memory({ id, epoch: 1, isCopy: false }) })
  expect(await findSendingHold(ctx.db)).toMatchObject({ reason: 'database_went_back' })
})
