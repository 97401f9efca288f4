import { sql } from 'kysely'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { startReceiver } from '../../test/receiver.ts'
import { type Sending, testSending } from '../../test/sending.ts'
import { operator } from '../features/audit/index.ts'
import { emit, type NewEvent } from '../features/events/index.ts'
import { pauseMailbox } from '../features/mailboxes/index.ts'
import { connect } from '../kernel/db/db.ts'
import { transaction } from '../kernel/db/transaction.ts'
import { createMetrics } from '../kernel/metrics.ts'
import { startRunner } from '../loops.ts'
import { gaugeConnections, setGauges } from './gauges.ts'

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
  expect(before).toMatchObject({ 'mails_total{outcome="sent"}': 0 })

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

test('/metrics counts the destinations that have failed for an hour', async () => {
  const { peek } = sending.ctx.database
  const failing = async () => {
    const { body } = await sending.app.inject({ url: '/metrics' })
    return /^outrider_webhooks_failing (\S+)$/m.exec(body)?.[1]
  }
  const { workspaceId: workspace_id } = sending
  const id = sending.ctx.newId()
  const at = sending.ctx.now()
  await peek
    .insertInto('webhooks')
    .values({
      ...{ workspace_id, id, name: 'w', target_hook_url: 'http://127.0.0.1/' },
      ...{ event_type: 'all_events', secret: Buffer.from('sealed') },
      ...{ timestamp_created: at, timestamp_updated: at },
    })
    .execute()
  const ids = { workspace_id, webhook_id: id }
  const failing_since = new Date(sending.ctx.now().getTime() - 3_500_000)
  await peek
    .insertInto('webhook_lanes')
    .values({ ...ids, failing_since })
    .execute()
  expect(await failing()).toBe('0')
  failing_since.setMinutes(failing_since.getMinutes() - 2)
  await peek.updateTable('webhook_lanes').set({ failing_since }).execute()
  expect(await failing()).toBe('1')
})

test('/metrics counts the moves that were left', async () => {
  const left = async () => {
    const { body } = await sending.app.inject({ url: '/metrics' })
    return /^outrider_moves_left (\S+)$/m.exec(body)?.[1]
  }
  expect(await left()).toBe('0')
  await sending.ctx.database.peek.updateTable('workspaces').set({ moving_to: 'b' }).execute()
  expect(await left()).toBe('1')
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

test('/metrics tells how many destinations a runner works for, and results that the database refused', async () => {
  const { ctx, workspaceId, call } = sending
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await using receiver = await startReceiver(async (_received, response) => {
    await released
    response.end()
  })
  const body = { name: 'all', target_hook_url: receiver.url, event_type: 'all_events' }
  expect((await call('POST', '/api/v2/webhooks', { body })).status).toBe(201)
  const event = { type: 'lead.interested', campaign: null, leadEmail: 'a@lead.example', data: {} }
  const runner = await startRunner(ctx)
  const gauges = async () => {
    const samples = (await ctx.metrics.text()).matchAll(
      /^outrider_(lanes_leased|results_refused) (\d+)$/gm,
    )
    return Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)]))
  }
  expect(await gauges()).toEqual({ lanes_leased: 0, results_refused: 0 })
  await transaction(ctx, (tx) => emit(tx, workspaceId, [event as NewEvent]))
  await receiver.waitFor(1)
  expect(await gauges()).toEqual({ lanes_leased: 1, results_refused: 0 })

  const { db, until } = ctx.database
  await sql`alter table webhook_events add constraint refusing check (false) not valid`.execute(db)
  release()
  await until(async () => (await gauges()).results_refused === 1)
  await sql`alter table webhook_events drop constraint refusing`.execute(db)
  await runner.stop()
})

test('every scrape tells the connections of each pool that the process has', async () => {
  const { ctx } = sending
  const pools = [connect(ctx.database.url, 1), connect(ctx.database.url, 1)]
  onTestFinished(async () => void (await Promise.all(pools.map(({ db }) => db.destroy()))))
  await Promise.all(pools.map(({ pool }) => pool.query('select 1')))
  const metrics = createMetrics()
  const dbs = pools.map(({ db }) => db)
  setGauges({ ...ctx, db: dbs[0] ?? ctx.db, metrics })
  gaugeConnections({ ...ctx, metrics }, dbs)
  // The questions of the scrape itself are not among them.
  for (const state of ['busy', 'waiting']) {
    expect(await metrics.text()).toContain(`outrider_database_connections{state="${state}"} 0\n`)
  }
  expect(await metrics.text()).toMatch(/^outrider_database_connections\{state="idle"\} 2$/m)
})
