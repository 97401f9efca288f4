import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { createApiClient } from '../server/src/demo/api-client.ts'
import { startPgBouncer, throughPooler } from '../server/test/pgbouncer.ts'
import { prepareChanges } from './changes.ts'
import { type Child, startRole } from './child.ts'
import { subscribe } from './deliveries/load.ts'
import { type EachPart, type Figure, shown } from './figure.ts'
import { startBenchReceiver } from './receiver.ts'
import { type BenchService, openService } from './service.ts'

const destinations = 3
const leads = 500
const updatesPerSecond = 88
const loadMs = 15_000
const connectionsMax = 150

interface Size {
  runners: number
  apis: number
  isPooled: boolean
}

export const parts: Record<string, Size> = {
  some: { runners: 6, apis: 3, isPooled: false },
  many: { runners: 20, apis: 10, isPooled: true },
}

/** What many processes ask the database to find their work, and how many connections they hold. */
export function bench(eachPart: EachPart<Size>): Promise<Figure[]> {
  return eachPart(measure)
}

async function measure({ runners, apis, isPooled }: Size): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const service = stack.use(await openService())
  const receiver = stack.use(await startBenchReceiver())
  const folder = await mkdtemp(join(tmpdir(), 'outrider-bench-counts-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const pooler = isPooled ? stack.use(await startPgBouncer(service.databaseUrl)) : undefined
  const env = {
    STATEMENT_COUNTS: folder,
    NODE_OPTIONS: `--import ${new URL('count-statements.ts', import.meta.url)}`,
    ...(pooler ? throughPooler(pooler, service.databaseUrl) : {}),
  }
  for (let n = 0; n < destinations; n++) {
    await subscribe(service.ctx, service.workspaceId, `${receiver.url}/ok?${n}`, 'lead.interested')
  }
  const fromSources = { fromSources: true }
  const started: Child[] = []
  for (let n = 0; n < runners; n++) {
    started.push(stack.use(await startRole('runner', service, env, fromSources)))
  }
  for (let n = 0; n < apis; n++)
    started.push(stack.use(await startRole('api', service, env, fromSources)))
  const addresses = started.slice(runners).map(({ address }) => address)
  await settled(service)
  const idle = await rates(folder, 10_000)
  const [loaded, connections, refused] = await Promise.all([
    rates(folder, loadMs),
    watchConnections(service, loadMs),
    load(service, addresses),
  ])
  console.log('statements that look for work, by table, a second')
  console.table({ idle: idle.discovery, loaded: loaded.discovery })
  const name = `${runners} runners and ${apis} APIs${isPooled ? ' through PgBouncer' : ''}`
  return [
    {
      name: `${name}: statements that look for work, at ${updatesPerSecond} updates/s`,
      ...{ value: sum(loaded.discovery), unit: '/s', target: '≤ 15' },
      met: sum(loaded.discovery) <= 15,
    },
    shown(`${name}: the same, idle`, sum(idle.discovery), '/s'),
    shown(`${name}: all statements, idle`, idle.all, '/s'),
    shown(`${name}: hints, at the updates`, loaded.hints, '/s'),
    {
      name: `${name}: connections to PostgreSQL`,
      ...{ value: connections, unit: '', target: `≤ ${connectionsMax}` },
      met: connections <= connectionsMax,
    },
    shown(`${name}: updates refused`, refused, ''),
  ]
}

/** Leases are shared out, and whoever looks for all is known. */
async function settled({ ctx }: BenchService) {
  const count = sql<{ owners: number }>`
    select count(distinct runner_id)::int as owners from bucket_leases where kind = 'deliveries'`
  for (let last = -1; ; ) {
    await wait(11_000)
    const owners = (await count.execute(ctx.db)).rows[0]?.owners ?? 0
    if (owners === last) return
    last = owners
  }
}

interface Counts {
  all: number
  hints: number
  /** By table. */
  discovery: Record<string, number>
}

const sum = (counts: Record<string, number>) =>
  Object.values(counts).reduce((total, count) => total + count, 0)

/** Of all processes together. */
async function rates(folder: string, duringMs: number): Promise<Counts> {
  const before = await readCounts(folder)
  const beganMs = performance.now()
  await wait(duringMs)
  const after = await readCounts(folder)
  const seconds = (performance.now() - beganMs) / 1000
  const rate = (to: number, from = 0) => (to - from) / seconds
  return {
    all: rate(after.all, before.all),
    hints: rate(after.hints, before.hints),
    discovery: Object.fromEntries(
      Object.entries(after.discovery).map(([table, count]) => [
        table,
        rate(count, before.discovery[table]),
      ]),
    ),
  }
}

async function readCounts(folder: string): Promise<Counts> {
  const total: Counts = { all: 0, hints: 0, discovery: {} }
  for (const file of await readdir(folder)) {
    if (file.endsWith('.new')) continue
    const counts = JSON.parse(await readFile(join(folder, file), 'utf8')) as Counts
    total.all += counts.all
    total.hints += counts.hints
    for (const [table, count] of Object.entries(counts.discovery)) {
      total.discovery[table] = (total.discovery[table] ?? 0) + count
    }
  }
  return total
}

/** @returns the most there were at once, this bench's own left out */
async function watchConnections({ ctx }: BenchService, duringMs: number): Promise<number> {
  let most = 0
  for (let passedMs = 0; passedMs < duringMs; passedMs += 500) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name like 'outrider%'`.execute(ctx.db)
    most = Math.max(most, rows[0]?.count ?? 0)
    await wait(500)
  }
  return most - 1
}

/**
 * Changes leads through all APIs in turn, each change an event for all destinations.
 *
 * @returns how many were refused
 */
async function load({ ctx, workspaceId, key }: BenchService, addresses: string[]) {
  const clients = addresses.map((address) => createApiClient(address, key))
  const id = await prepareChanges(ctx, workspaceId, 'bench', leads)
  let refused = 0
  const total = (updatesPerSecond * loadMs) / 1000
  const beganMs = performance.now()
  const open: (Promise<unknown> | undefined)[] = []
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, ((performance.now() - beganMs) / 1000) * updatesPerSecond)
    for (; sent < due; sent++) {
      const email = `lead${sent % leads}@example.com`
      const new_status = Math.floor(sent / leads) % 2 === 0 ? 'interested' : 'not_interested'
      const change = { campaign_id: id, email, new_status }
      // A machine that cannot hold them all refuses some.
      const client = clients[sent % clients.length]
      const posted = client?.post('/api/v2/lead/update/status', change).catch(() => {
        refused += 1
      })
      open.push(posted)
    }
    await wait(5)
  }
  await Promise.all(open)
  return refused
}
