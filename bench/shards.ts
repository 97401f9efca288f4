import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readConfig } from '../server/src/config.ts'
import { createKeyAsOperator } from '../server/src/features/keys/index.ts'
import { createWorkspace, setPlan } from '../server/src/features/workspaces/index.ts'
import { createLog } from '../server/src/kernel/log.ts'
import { hintDue } from '../server/src/kernel/runner/hint.ts'
import { openServer } from '../server/src/process/open.ts'
import type { FreeContext } from '../server/test/context.ts'
import { type PostgresProcess, startOwnPostgres } from '../server/test/postgres-process.ts'
import { loadAndCount } from './api.ts'
import { changeIn, prepareChanges } from './changes.ts'
import { type Child, startRole } from './child.ts'
import { type EventType, insertPending, subscribe } from './deliveries/load.ts'
import { countSettled } from './deliveries/throughput.ts'
import { type EachPart, type Figure, medianOf } from './figure.ts'
import { readServerTime, readTime } from './processor-time.ts'
import { startBenchReceiver } from './receiver.ts'

const rounds = 3
const workspaces = 8
const destinations = 4
const events = 150
const dueInMs = 2000
const type: EventType = 'lead.lost'

/** Each runs as often as the other, in turns; the middle one of its rounds counts. */
export const parts: Record<string, Part> = {
  deliveries: { role: 'runner', act: deliver },
  updates: { role: 'api', act: update },
  reads: { role: 'api', act: read },
}

interface Part {
  role: 'api' | 'runner'
  /** @returns how many were done */
  act: (installation: Installation, process: Child) => Promise<number>
}

/**
 * Processor time of Node and PostgreSQL together, on one database and on two with half of the
 * workspaces each.
 */
export async function bench(eachPart: EachPart<Part>): Promise<Figure[]> {
  using receiver = await startBenchReceiver()
  await using one = await openInstallation(1, receiver.url)
  await using two = await openInstallation(2, receiver.url)
  return await eachPart(async (part, name) => {
    const ofOne: Cost[] = []
    const ofTwo: Cost[] = []
    for (let round = 0; round < rounds; round++) {
      ofOne.push(await measure(one, part))
      ofTwo.push(await measure(two, part))
    }
    return (['all', 'node', 'postgres'] as const).map((each) => {
      const [limit, value] = [ofOne, ofTwo].map((costs) =>
        medianOf(costs, (cost) => cost[each]),
      ) as [number, number]
      const what = { all: 'all parts', node: 'Node', postgres: 'PostgreSQL' }[each]
      const isTarget = each === 'all' && name !== 'reads'
      return {
        name: `${name} on two databases, ${what}`,
        ...{ value, unit: 'µs', limit: { name: 'one database', value: limit } },
        target: isTarget ? '≤ 160 %' : 'shown',
        met: !isTarget || value <= 1.6 * limit,
      }
    })
  })
}

interface Tenant {
  ctx: FreeContext
  workspaceId: string
  key: string
  campaignId: string
}

interface Installation extends AsyncDisposable {
  databaseUrl: string
  dataDir: string
  env: Record<string, string>
  servers: PostgresProcess[]
  tenants: Tenant[]
}

async function openInstallation(databases: 1 | 2, receiverUrl: string): Promise<Installation> {
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'outrider-bench-shards-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const servers: PostgresProcess[] = []
  for (let n = 0; n < databases; n++) servers.push(stack.use(await startOwnPostgres(['fsync=on'])))
  const databaseUrl = servers[0]?.url ?? ''
  const env: Record<string, string> = {
    OUTRIDER_SECRET_KEY: randomBytes(32).toString('base64'),
    ...(servers[1] ? { DATABASE_SHARDS: `b=${servers[1].url}` } : {}),
  }
  const settings = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, LOG_LEVEL: 'error', ...env }
  const program = fileURLToPath(new URL('../server/bin/outrider.mjs', import.meta.url))
  if (databases > 1) {
    await promisify(execFile)(process.execPath, [program, 'migrate', '--shards'], {
      env: { PATH: process.env.PATH, ...settings },
    })
  }
  const opened = stack.use(
    await openServer({ ...readConfig(settings), dataDir }, { log: createLog('error') }),
  )
  const contexts = opened.ctx.shards?.opened.map(({ ctx }) => ctx) ?? [opened.ctx]
  const tenants: Tenant[] = []
  for (let n = 0; n < workspaces; n++) {
    const ctx = contexts[n % contexts.length] as FreeContext
    tenants.push(await createTenant(ctx, `bench ${n}`, receiverUrl))
  }
  const owned = stack.move()
  return {
    ...{ databaseUrl, dataDir, env, servers, tenants },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function createTenant(ctx: FreeContext, name: string, receiverUrl: string): Promise<Tenant> {
  const { id: workspaceId } = await createWorkspace(ctx, name)
  await setPlan(ctx, workspaceId, { rate: 0 })
  const { key } = await createKeyAsOperator(ctx, workspaceId, { name, scopes: ['all:*'] })
  for (let n = 0; n < destinations; n++) {
    await subscribe(ctx, workspaceId, `${receiverUrl}/ok?${name.slice(-1)}${n}`, type)
  }
  const campaignId = await prepareChanges(ctx, workspaceId, name)
  return { ctx, workspaceId, key, campaignId }
}

/** Microseconds of one. */
interface Cost {
  node: number
  postgres: number
  all: number
}

/** A process as an operator starts it; the first time goes to connections and plans. */
async function measure(installation: Installation, { role, act }: Part): Promise<Cost> {
  await using child = await startRole(role, installation, installation.env)
  const read = async () => {
    const [node = 0, ...postgres] = await Promise.all([
      readTime(child.pid),
      ...installation.servers.map(({ pid }) => readServerTime(pid)),
    ])
    return { node, postgres: postgres.reduce((sum, each) => sum + each, 0) }
  }
  await act(installation, child)
  const before = await read()
  const count = await act(installation, child)
  const after = await read()
  const node = (after.node - before.node) / count
  const postgres = (after.postgres - before.postgres) / count
  return { node, postgres, all: node + postgres }
}

/** Everything is queued before it falls due; writing the queue is PostgreSQL's time, too, on both alike. */
async function deliver({ tenants }: Installation): Promise<number> {
  const count = async () => {
    const counts = tenants.map(({ ctx, workspaceId }) => countSettled(ctx, workspaceId))
    return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0)
  }
  const before = await count()
  for (const { ctx, workspaceId } of tenants) {
    await insertPending(ctx, workspaceId, type, { events, dueInMs })
  }
  await wait(dueInMs)
  for (const ctx of new Set(tenants.map((tenant) => tenant.ctx))) hintDue(ctx)
  const total = tenants.length * destinations * events
  while ((await count()) < before + total) await wait(50)
  return total
}

function update(installation: Installation, api: Child) {
  return loadAll(installation, api, ({ campaignId }) => ({
    path: 'lead/update/status',
    body: changeIn(campaignId),
  }))
}

function read(installation: Installation, api: Child) {
  return loadAll(installation, api, ({ campaignId }) => ({ path: `campaigns/${campaignId}` }))
}

/** From one client for each of four workspaces, two of each database. */
async function loadAll(
  { tenants }: Installation,
  { address }: Child,
  request: (tenant: Tenant) => { path: string; body?: object },
): Promise<number> {
  const loads = tenants.slice(0, 4).map((tenant) => {
    const { path, body } = request(tenant)
    return loadAndCount(`${address}/api/v2/${path}`, tenant.key, body && JSON.stringify(body))
  })
  return (await Promise.all(loads)).reduce((sum, { answeredInTotal }) => sum + answeredInTotal, 0)
}
