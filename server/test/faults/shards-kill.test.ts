import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startSmtpServer } from '../../src/demo/mail-server/index.ts'
import { operator } from '../../src/features/audit/index.ts'
import { createCampaign } from '../../src/features/campaigns/campaigns.ts'
import { updateCampaign } from '../../src/features/campaigns/update-campaign.ts'
import { createKeyAsOperator } from '../../src/features/keys/index.ts'
import { addLeads } from '../../src/features/leads/index.ts'
import { addMailbox } from '../../src/features/mailboxes/index.ts'
import { createWebhook } from '../../src/features/webhooks/webhooks.ts'
import { createWorkspace } from '../../src/features/workspaces/index.ts'
import { createSecretBox } from '../../src/kernel/crypto.ts'
import { connect } from '../../src/kernel/db/db.ts'
import { createIdGenerator } from '../../src/kernel/ids.ts'
import { ensurePartitions } from '../../src/partitions.ts'
import { type FreeContext, testContext } from '../context.ts'
import { freeHandle } from '../database.ts'
import { gate } from '../gate.ts'
import { createOutbox } from '../mail/outbox.ts'
import { patience } from '../patience.ts'
import { startPgBouncer, whyNoPreparedNames } from '../pgbouncer.ts'
import { ask, type PostgresProcess, startOwnPostgres } from '../postgres-process.ts'
import { makeDataDir, runOperator, type ServiceProcess, startService } from '../processes.ts'
import { Random } from '../random.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { alwaysOpen } from '../sending.ts'
import { createSignal } from '../signal.ts'

// Ten of each, with a table: KILLS=10
const { KILLS } = process.env
const kills = Number(KILLS ?? 1)
const timeout = KILLS ? 3_600_000 : 300_000

const mailboxesOfWorkspace = 2
const changedLeads = 20
const leads = 40 * kills
const password = 'correct horse'

type Victim = 'api' | 'runner' | 'pooler' | 'shard'
const withPooler: Victim[] = whyNoPreparedNames ? [] : ['pooler']
// Those that need no second database have tests of their own beside this one.
const victims: Victim[] = KILLS ? ['api', 'runner', ...withPooler, 'shard'] : ['shard']

test.each(victims)(
  'kill -9 of one %s under load, workspaces on two databases: nothing is lost or sent twice, and the other database goes on',
  (victim) => killUnderLoad(victim),
  timeout,
)

/**
 * Two APIs and two runners, each on a data directory of its own, as on machines of their own, and two
 * workspaces on each of two databases. In each of them leads are changed and mails are sent while one
 * part is killed at a random instant and started again, so many times. The pooler stands before the
 * second database, and that is the database that is killed.
 */
async function killUnderLoad(victim: Victim) {
  await using first = await startOwnPostgres()
  await using second = await startOwnPostgres()
  await using pooler =
    victim === 'pooler' ? await startPgBouncer(second.url, 'auth_type = trust') : undefined
  const secretKey = randomBytes(32)
  const settings = {
    DATABASE_URL: first.url,
    DATABASE_SHARDS: `b=${pooler?.url ?? second.url}`,
    ...(pooler ? { DATABASE_DIRECT_SHARDS: `b=${second.url}` } : {}),
    OUTRIDER_SECRET_KEY: secretKey.toString('base64'),
    OUTBOUND_POLICY: 'any',
    WEBHOOK_RETRY_SCHEDULE: '0.2,0.2,0.2,1,1,1,1',
    LOG_LEVEL: 'info',
  }
  const DATA_DIR = await makeDataDir()
  expect(await runOperator(['migrate', '--shards'], { ...settings, DATA_DIR })).toMatchObject({
    code: 0,
  })
  await using receiver = await startReceiver()
  const server = gate()
  const { store, mails: outbox, waitFor: took } = createOutbox()
  await using smtp = await startSmtpServer(store, {
    onRcptTo: (_address, _session, callback) => server.pass(callback),
  })
  const world = { receiver, store, smtpPort: smtp.port }
  const tenants: Tenant[] = []
  for (const [shard, { url }] of [first, second].entries()) {
    const ctx = await openDatabase(url, secretKey)
    for (const n of [0, 1]) tenants.push(await createTenant(world, ctx, { shard, url, n }))
  }
  const roles = ['api', 'api', 'runner', 'runner'] as const
  const homes = await Promise.all(roles.map(async () => ({ DATA_DIR: await makeDataDir() })))
  const processes = await Promise.all(
    roles.map((role, n) => start(role, { ...settings, ...homes[n] })),
  )
  const apis = () => processes.slice(0, 2)
  const load = startLoad(apis, tenants, receiver)

  const random = new Random(`kills of the ${victim}`)
  const recoveries: number[] = []
  for (let round = 1; round <= kills; round++) {
    server.letPass(40 * round)
    const before = outbox.length
    await Promise.all([load.changed(random.whole(20, 200)), took(before + random.whole(1, 20))])
    const index = round % 2
    const answering = await {
      api: () => replace(index),
      runner: () => replace(2 + index),
      pooler: () => outage(pooler as Killable),
      shard: () => outage(second),
    }[victim]()
    const backAt = performance.now()
    await Promise.all(tenants.map((tenant) => load.probe(tenant, round, answering)))
    recoveries.push(performance.now() - backAt)
  }

  /** Of the part itself: killed and started by whoever watches over processes, at once. */
  async function replace(n: number): Promise<() => ServiceProcess[]> {
    const role = roles[n] as 'api' | 'runner'
    processes[n]?.kill('SIGKILL')
    await processes[n]?.exited
    processes[n] = startService(role, { ...settings, ...homes[n] })
    const again = processes[n] as ServiceProcess
    onTestFinished(() => again[Symbol.asyncDispose]())
    // A client of the one that was killed, and not of the other one.
    return role === 'api' ? () => [again] : apis
  }

  async function outage(killed: Killable): Promise<() => ServiceProcess[]> {
    const refused = load.refused(2)
    await killed.kill()
    await refused
    await killed.start()
    return apis
  }

  server.letPass(Number.POSITIVE_INFINITY)
  await load.stop()
  const ends = await Promise.all(tenants.map((tenant) => readEnd(tenant, receiver)))
  const changes = load.acknowledged()
  const arrived = new Set(outbox.map(({ to }) => to))
  const sum = (read: (end: (typeof ends)[number], n: number) => number) =>
    ends.reduce((total, end, n) => total + read(end, n), 0)
  const found = {
    changes: changes.reduce((total, each) => total + each, 0),
    // A change may have been made whose client was never told, but never one less.
    lostChanges: sum(({ events }, n) => Math.max(0, (changes[n] ?? 0) - events.length)),
    lostDeliveries: sum(({ undelivered }) => undelivered),
    mails: outbox.length,
    lostMails: sum(({ sent }) => sent.filter((to) => !arrived.has(to)).length),
    doubledMails: outbox.length - arrived.size,
    uncertainMails: sum(({ uncertain }) => uncertain),
    harmedOthers: load.failures.filter((shard) => shard === 0).length,
    longestOfOthersMs: Math.round(load.longestMs(0)),
  }
  if (KILLS) console.log(victim, { ...found, recoveryMs: range(recoveries) })
  expect(found).toMatchObject({
    ...{ lostChanges: 0, lostDeliveries: 0, lostMails: 0, doubledMails: 0 },
    // A process is everybody's, and a client asks another one.
    ...(victim === 'shard' || victim === 'pooler' ? { harmedOthers: 0 } : {}),
  })
}

type Killable = Pick<PostgresProcess, 'kill' | 'start'>

const range = (values: number[]) => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  return { min: at(0), median: at(0.5), max: at(1) }
}

interface World {
  receiver: Receiver
  store: ReturnType<typeof createOutbox>['store']
  smtpPort: number
}

interface Tenant {
  name: string
  shard: number
  url: string
  key: string
  workspaceId: string
  campaignId: string
}

async function openDatabase(url: string, secretKey: Buffer): Promise<FreeContext> {
  const base = await testContext()
  onTestFinished(() => base[Symbol.asyncDispose]())
  const { db } = connect(url, 2)
  onTestFinished(() => db.destroy())
  const now = () => new Date()
  const ctx: FreeContext = {
    ...base,
    db: freeHandle(db),
    secrets: createSecretBox([secretKey]),
    now,
    newId: createIdGenerator(now),
  }
  await ensurePartitions(ctx)
  return ctx
}

/** A workspace with an active campaign, another one whose leads are changed, and a destination for all events. */
async function createTenant(
  world: World,
  ctx: FreeContext,
  { shard, url, n }: { shard: number; url: string; n: number },
): Promise<Tenant> {
  const name = `tenant${shard}${n}`
  const { id: workspaceId } = await createWorkspace(ctx, name)
  const by = operator
  const { key } = await createKeyAsOperator(ctx, workspaceId, { name, scopes: ['all:*'] })
  await createWebhook(
    ctx,
    workspaceId,
    { name, target_hook_url: `${world.receiver.url}/${name}`, event_type: 'all_events' },
    by,
  )
  const senders = Array.from({ length: mailboxesOfWorkspace }, (_, m) => `${name}-${m}@example.com`)
  for (const address of senders) {
    world.store.addAccount({ address, password })
    const login = { host: '127.0.0.1', security: 'none', username: address, password }
    const servers = { smtp: { ...login, port: world.smtpPort }, imap: { ...login, port: 1 } }
    const mailbox = { address, daily_limit: 10_000, save_sent: 'off', ...servers }
    await addMailbox(ctx, workspaceId, mailbox, operator)
  }
  const { id: activeId } = await createCampaign(ctx, workspaceId, {
    ...{ name, campaign_schedule: alwaysOpen, email_list: senders },
    ...{ email_gap: 0, random_wait_max: 0 },
    sequences: [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }],
  })
  await add(activeId, 'lead', leads)
  await updateCampaign(ctx, workspaceId, activeId, { status: 'active' })
  // Of a campaign that sends nothing: an answer would stop a mail that is counted above.
  const { id: campaignId } = await createCampaign(ctx, workspaceId, { name: 'changed' })
  await add(campaignId, 'changed', changedLeads)
  await add(campaignId, 'probe', kills + 1)
  return { name, shard, url, key, workspaceId, campaignId }

  async function add(campaign_id: string, kind: string, count: number) {
    await addLeads(ctx, workspaceId, {
      ...{ campaign_id, skip_if_in_workspace: false, overwrite: false },
      leads: Array.from({ length: count }, (_, m) => ({ email: `${kind}${m}@${name}.example` })),
    })
  }
}

/** Clients that change leads of each workspace without a pause. */
function startLoad(apis: () => ServiceProcess[], tenants: Tenant[], receiver: Receiver) {
  const acknowledged = tenants.map(() => 0)
  const failures: number[] = []
  const longest = [0, 0]
  const changed = createSignal()
  const refused = createSignal()
  let isOver = false
  let turn = 0

  /** Asks one API after the other until one answers; the same key makes asking again safe. */
  async function change(tenant: Tenant, email: string, new_status: string, ask = apis) {
    const idempotencyKey = randomBytes(16).toString('hex')
    const began = performance.now()
    for (;;) {
      const some = ask()
      const api = some[turn++ % some.length] as ServiceProcess
      const body = { campaign_id: tenant.campaignId, email, new_status }
      const answer = await post(api, tenant.key, idempotencyKey, body).catch(() => undefined)
      if (answer?.ok) break
      // A process that was killed answers nothing, and is no fault of a database.
      if (answer) failures.push(tenant.shard)
      if (answer && answer.status !== 409 && answer.status < 500) {
        throw new Error(`${tenant.name}: ${answer.status}`)
      }
      refused.raise()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const ms = performance.now() - began
    longest[tenant.shard] = Math.max(ms, longest[tenant.shard] ?? 0)
    acknowledged[tenants.indexOf(tenant)] = (acknowledged[tenants.indexOf(tenant)] ?? 0) + 1
    changed.raise()
  }

  const running = tenants.map(async (tenant) => {
    for (let round = 0; !isOver; round++) {
      const email = `changed${round % changedLeads}@${tenant.name}.example`
      const isOdd = Math.floor(round / changedLeads) % 2
      await change(tenant, email, isOdd ? 'not_interested' : 'interested')
    }
  })
  const count = () => acknowledged.reduce((sum, each) => sum + each, 0)
  return {
    failures,
    acknowledged: () => acknowledged,
    longestMs: (shard: number) => longest[shard] ?? 0,
    changed(more: number) {
      const enough = count() + more
      return changed.until(() => count() >= enough)
    },
    /** Resolves after so many more answers that were none. */
    refused(more: number) {
      const enough = failures.length + more
      return refused.until(() => failures.length >= enough)
    },
    /** Resolves once a change that was asked for from now on is answered and told. */
    async probe(tenant: Tenant, round: number, ask: () => ServiceProcess[]) {
      const email = `probe${round}@${tenant.name}.example`
      await change(tenant, email, 'interested', ask)
      const isIt = (request: Receiver['requests'][number]) =>
        request.url === `/${tenant.name}` && request.body.includes(email)
      await vi.waitFor(() => expect(receiver.requests.some(isIt)).toBe(true), patience)
    },
    async stop() {
      isOver = true
      await Promise.all(running)
    },
  }
}

async function post(api: ServiceProcess, key: string, idempotencyKey: string, body: object) {
  const answer = await fetch(`${await api.address()}/api/v2/lead/update/status`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify(body),
  })
  await answer.arrayBuffer()
  return answer
}

/** What the database of a workspace holds once everything is over. */
async function readEnd({ url, workspaceId }: Tenant, receiver: Receiver) {
  const read = (text: string) => ask(url, text.replaceAll('$1', `'${workspaceId}'`))
  await vi.waitFor(async () => {
    const [open] = await read(`select
      (select count(*)::int from deliveries where workspace_id = $1) as deliveries,
      (select count(*)::int from sends
       where workspace_id = $1 and state in ('sent', 'uncertain')) as ended`)
    expect(open).toEqual({ deliveries: 0, ended: leads })
  }, patience)
  const all = await read('select id, type from events where workspace_id = $1')
  const arrived = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))
  const sends = await read(`select s.state, l.email from sends s
    join leads l on l.workspace_id = s.workspace_id and l.id = s.lead_id where s.workspace_id = $1`)
  return {
    events: all.filter(({ type }) => /lead\.(not_)?interested/.test(String(type))),
    undelivered: all.filter(({ id }) => !arrived.has(String(id))).length,
    sent: sends.filter(({ state }) => state === 'sent').map(({ email }) => String(email)),
    uncertain: sends.filter(({ state }) => state === 'uncertain').length,
  }
}

async function start(role: 'api' | 'runner', settings: Record<string, string>) {
  const service = startService(role, settings)
  onTestFinished(() => service[Symbol.asyncDispose]())
  await service.logged('started')
  return service
}
