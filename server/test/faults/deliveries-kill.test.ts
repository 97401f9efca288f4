import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createKeyAsOperator } from '../../src/features/keys/index.ts'
import { ensureDefaultWorkspace } from '../../src/features/workspaces/index.ts'
import { type TestContext, testContext } from '../context.ts'
import { startPgBouncer, throughPooler, whyNoPgBouncer } from '../pgbouncer.ts'
import { makeDataDir, type ServiceProcess, startService } from '../processes.ts'
import { startReceiver } from '../receiver.ts'
import { createSignal } from '../signal.ts'
import { isThorough } from '../thoroughness.ts'

const clients = 3
/** An odd number for each client: with each turn a lead gets the other status. */
const leads = 5 * clients

/**
 * Two APIs and two runners on one database. One of each is killed, in a thorough run both in turn, and
 * started again, while clients go on changing leads. What the API acknowledged must have been delivered
 * or recorded as failed; what the history says must agree with itself. A runner leads when it is killed,
 * and the other takes over.
 */
test('kill -9 of runners and APIs in turn under load loses no event and no record', () =>
  killUnderLoad())

test.skipIf(whyNoPgBouncer)(
  'kill -9 of PgBouncer under load loses no event and no record, and everybody goes on by themselves',
  () => killUnderLoad('pooler'),
)

async function killUnderLoad(victim?: 'pooler') {
  await using ctx = await testContext()
  const { url } = ctx.database
  await using pooler = victim && (await startPgBouncer(url))
  const workspace = await ensureDefaultWorkspace(ctx)
  const { key } = await createKeyAsOperator(ctx, workspace.id, { name: 'load', scopes: ['all:*'] })
  await using receiver = await startReceiver()
  const settings = {
    ...(pooler ? throughPooler(pooler, url) : { DATABASE_URL: url }),
    DATA_DIR: await makeDataDir(),
    OUTRIDER_SECRET_KEY: randomBytes(32).toString('base64'),
    LEASE_MS: '1500',
    WEBHOOK_RETRY_SCHEDULE: '0.2,0.2,0.2,1,1,1,1',
    LOG_LEVEL: 'info',
  }
  const apis = [await start('api', settings), await start('api', settings)]
  await ctx.database.hear('bucket_leases')
  const runners = [await start('runner', settings)]
  await ctx.database.until(async () => (await leader(ctx)) !== null)
  runners.push(await start('runner', settings))

  let refusals = 0
  const refused = createSignal()
  const call = client(apis, key, () => {
    refusals += 1
    refused.raise()
  })
  const webhook = { name: 'all', target_hook_url: receiver.url, event_type: 'all_events' }
  await call('/api/v2/webhooks', webhook)
  const campaign = await call('/api/v2/campaigns', { name: 'load' })
  await call('/api/v2/lead/add', {
    campaign_id: campaign.id,
    leads: Array.from({ length: leads }, (_, i) => ({ email: `lead${i}@example.com` })),
  })

  let isLoading = true
  let starting: Promise<unknown> = Promise.resolve()
  let changes = 0
  const changed = createSignal()
  const load = Array.from({ length: clients }, async (_, worker) => {
    for (let round = 0; isLoading; round++) {
      // One goes on; all of them would leave a process that starts no time.
      if (worker > 0) await starting
      const email = `lead${worker + clients * (round % (leads / clients))}@example.com`
      const new_status = round % 2 === 0 ? 'interested' : 'not_interested'
      await call('/api/v2/lead/update/status', { campaign_id: campaign.id, email, new_status })
      changes += 1
      changed.raise()
      // Load without a pause leaves a process that starts no time.
      await wait(20)
    }
  })
  /** Resolves when there is so much more load behind it: changes acknowledged, and events received. */
  const loaded = (more: number) => {
    const enough = changes + more
    return Promise.all([
      receiver.waitFor(receiver.requests.length + more),
      changed.until(() => changes >= enough),
    ])
  }
  for (let kills = 0; pooler && kills < (isThorough ? 3 : 1); kills++) {
    await loaded(20)
    const before = refusals
    await pooler.kill()
    await refused.until(() => refusals > before)
    await pooler.start()
  }
  for (const [processes, role] of [
    [runners, 'runner'],
    [apis, 'api'],
  ] as const) {
    for (const index of pooler ? [] : isThorough ? [0, 1] : [0]) {
      await loaded(20)
      const before = await leader(ctx)
      processes[index]?.kill('SIGKILL')
      await processes[index]?.exited
      // The first one led; the other takes over.
      if (role === 'runner') await ctx.database.until(async () => (await leader(ctx)) !== before)
      await loaded(20)
      const again = start(role, settings)
      starting = again
      processes[index] = await again
    }
  }
  await loaded(20)
  isLoading = false
  await Promise.all(load)

  const { peek } = ctx.database
  await ctx.database.hear('deliveries')
  await ctx.database.until(
    async () => (await peek.selectFrom('deliveries').select('id').execute()).length === 0,
  )

  const events = await peek.selectFrom('events').select(['id', 'type']).execute()
  const attempts = await peek.selectFrom('webhook_events').selectAll().orderBy('id').execute()
  const statuses = events.filter((event) => /lead\.(not_)?interested/.test(event.type))
  // A change may have been made whose client was never told, but never one less.
  expect(statuses.length).toBeGreaterThanOrEqual(changes)

  const arrived = new Set(receiver.requests.map((request) => request.headers['webhook-id']))
  expect(events.filter((event) => !arrived.has(event.id))).toEqual([])
  const ended = new Set(attempts.filter((a) => !a.will_retry).map((a) => a.event_id))
  expect(events.filter((event) => !ended.has(event.id))).toEqual([])

  const groups = Map.groupBy(attempts, (attempt) => attempt.retry_group_id)
  for (const group of groups.values()) {
    const numbers = group.map((attempt) => attempt.retry_count).sort((a, b) => a - b)
    expect(numbers).toEqual(numbers.map((_, index) => index))
    expect(group.filter((attempt) => attempt.success).length).toBeLessThanOrEqual(1)
  }
  const counts = await peek.selectFrom('webhook_event_counts').selectAll().execute()
  const sum = (name: 'succeeded' | 'failed') =>
    counts.reduce((total, count) => total + Number(count[name]), 0)
  expect(sum('succeeded')).toBe(attempts.filter((attempt) => attempt.success).length)
  expect(sum('failed')).toBe(attempts.filter((attempt) => !attempt.success).length)
}

/** The runner that looks for what is due for all of them. */
async function leader({ database }: TestContext): Promise<string | null> {
  const query = database.peek.selectFrom('bucket_leases').select('runner_id')
  return (await query.where('kind', '=', 'leader').executeTakeFirstOrThrow()).runner_id
}

async function start(role: 'api' | 'runner', settings: Record<string, string>) {
  const service = startService(role, settings)
  onTestFinished(() => service[Symbol.asyncDispose]())
  await service.logged('started')
  return service
}

/** Asks one API after the other until one answers; the same key makes asking again safe. */
function client(apis: ServiceProcess[], key: string, onRefusal: () => void) {
  let turn = 0
  return async (path: string, body: object): Promise<{ id: string }> => {
    const idempotencyKey = randomBytes(16).toString('hex')
    for (let tries = 0; tries < 5000; tries++) {
      const api = apis[turn++ % apis.length]
      try {
        const response = await fetch(`${await api?.address()}${path}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            'idempotency-key': idempotencyKey,
          },
          body: JSON.stringify(body),
        })
        if (response.ok) return (await response.json()) as { id: string }
        if (response.status !== 409 && response.status < 500) {
          throw new Error(`${path}: ${response.status} ${await response.text()}`)
        }
        await response.body?.cancel()
        onRefusal()
      } catch (error) {
        // A killed process: the other one answers.
        if (!(error instanceof TypeError) && !String(error).includes('ended without')) throw error
      }
      await wait(20)
    }
    throw new Error(`${path} was never answered`)
  }
}
