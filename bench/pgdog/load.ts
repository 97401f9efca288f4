import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { migrate } from '../../server/src/kernel/db/migrate.ts'
import { ask, type PostgresProcess, startOwnPostgres } from '../../server/test/postgres-process.ts'
import type { PgDog } from './proxy.ts'

const clients = 16
const workspacesOfShard = 4

/** How a transaction gets to the server of its workspace. */
export interface ShardAccess extends AsyncDisposable {
  transaction: (
    workspace: Workspace,
    work: (client: pg.PoolClient) => Promise<void>,
  ) => Promise<void>
}

export interface Workspace {
  id: string
  shard: number
}

export async function startShards(count: number, settings: string[] = []) {
  const servers = await Promise.all(Array.from({ length: count }, () => startOwnPostgres(settings)))
  for (const { url } of servers) await migrate(url)
  return {
    servers,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
    },
  }
}

/** Through PgDog, pinned by the workspace. */
export function throughPgDog(pgDog: PgDog, cluster = 'outrider'): ShardAccess {
  const pool = openPool(pgDog.urlOf(cluster))
  return {
    async transaction(workspace, work) {
      await inTransaction(pool, work, `set local pgdog.sharding_key to '${workspace.id}'`)
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/** A pool for each server, chosen by the workspace. */
export function poolForEach(servers: PostgresProcess[]): ShardAccess {
  const pools = servers.map(({ url }) => openPool(url))
  return {
    async transaction(workspace, work) {
      await inTransaction(pools[workspace.shard] as pg.Pool, work)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}

function openPool(connectionString: string) {
  const pool = new pg.Pool({ connectionString, max: clients, connectionTimeoutMillis: 5000 })
  pool.on('error', () => undefined)
  // A connection that breaks while a transaction has it fails that transaction's statements.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

async function inTransaction(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<void>,
  pin?: string,
) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    if (pin) await client.query(pin)
    await work(client)
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(error as Error)
    throw error
  }
}

/** So many for each server, each where PgDog's hash of its id lies: rows go where PgDog leads them. */
export async function createWorkspaces(servers: PostgresProcess[], pgDog: PgDog) {
  await using access = throughPgDog(pgDog)
  const workspaces: Workspace[] = []
  const wanted = servers.length * workspacesOfShard
  while (workspaces.length < wanted) {
    const id = randomUUID()
    await access.transaction({ id, shard: -1 }, async (client) => {
      await client.query(
        `insert into workspaces (id, name, handle, plan_rate, timestamp_created, timestamp_updated)
         values ($1, $1::uuid::text, $1::uuid::text, 0, now(), now())`,
        [id],
      )
    })
    const found = await Promise.all(
      servers.map(
        async ({ url }) => (await ask(url, `select from workspaces where id = '${id}'`)).length,
      ),
    )
    const shard = found.indexOf(1)
    if (found.reduce((sum, each) => sum + each, 0) !== 1) throw new Error(`${id}: ${found}`)
    const ofShard = workspaces.filter((each) => each.shard === shard)
    if (ofShard.length < workspacesOfShard) workspaces.push({ id, shard })
    else await ask(servers[shard]?.url ?? '', `delete from workspaces where id = '${id}'`)
  }
  return workspaces
}

export interface Change {
  workspace: Workspace
  id: string
}

/**
 * A row that is new and a row that is counted up, in one transaction.
 *
 * @param openMs how long it stays open between the two
 */
export async function change(
  access: ShardAccess,
  workspace: Workspace,
  openMs = 0,
): Promise<Change> {
  const id = randomUUID()
  await access.transaction(workspace, async (client) => {
    await client.query({
      name: 'insert_label',
      text: `insert into labels (workspace_id, id, name, name_folded, value, effect, sentiment,
          timestamp_created, timestamp_updated)
        values ($1, $2, $2::uuid::text, $2::uuid::text, $2::uuid::text, 'none', 'neutral', now(), now())`,
      values: [workspace.id, id],
    })
    if (openMs > 0) await wait(openMs)
    const { rowCount } = await client.query({
      name: 'count_up',
      text: 'update workspaces set plan_rate = plan_rate + 1 where id = $1',
      values: [workspace.id],
    })
    if (rowCount !== 1) throw Object.assign(new Error('no such workspace'), { code: 'elsewhere' })
  })
  return { workspace, id }
}

/** What clients that change without a pause were told. */
export function startLoad(access: ShardAccess, workspaces: Workspace[], openMs = 0) {
  const acknowledged: Change[] = []
  const failures: { shard: number; code: string }[] = []
  /** Of each shard, in ms: the longest time without an acknowledged change. */
  const longestPauses = new Map<number, number>()
  const lastMs = new Map<number, number>()
  let isOver = false
  const note = (shard: number) => {
    const now = performance.now()
    const pause = now - (lastMs.get(shard) ?? now)
    longestPauses.set(shard, Math.max(pause, longestPauses.get(shard) ?? 0))
    lastMs.set(shard, now)
  }
  // Half of the clients for each shard, so that those of one do not wait for the other.
  const run = async (n: number) => {
    const own = workspaces.filter(({ shard }) => shard === n % 2)
    for (let turn = 0; !isOver; turn++) {
      const workspace = own[(n + turn) % own.length] as Workspace
      try {
        acknowledged.push(await change(access, workspace, openMs * Math.random()))
        note(workspace.shard)
      } catch (error) {
        const { code, message } = error as { code?: string; message: string }
        failures.push({ shard: workspace.shard, code: code ?? message })
        await wait(20)
      }
    }
  }
  const running = Array.from({ length: clients }, (_, n) => run(n))
  return {
    acknowledged,
    failures,
    longestPauses,
    async stop() {
      isOver = true
      await Promise.all(running)
    },
  }
}

/** Compares what was acknowledged with what the servers hold. */
export async function compare(
  servers: PostgresProcess[],
  acknowledged: Change[],
  shardOf = ({ shard }: Workspace) => shard,
) {
  const held = await Promise.all(
    servers.map(async ({ url }) => ({
      labels: new Map(
        (await ask(url, 'select id, workspace_id from labels')).map((row) => [
          row.id,
          row.workspace_id,
        ]),
      ),
      counts: await ask(
        url,
        `select w.id, w.plan_rate, count(l.id)::int as labels
         from workspaces w left join labels l on l.workspace_id = w.id group by w.id`,
      ),
    })),
  )
  const at = ({ workspace, id }: Change, shard: number) =>
    held[shard]?.labels.get(id) === workspace.id
  return {
    lost: acknowledged.filter((each) => !held.some((_, shard) => at(each, shard))),
    elsewhere: acknowledged.filter(
      (each) => !at(each, shardOf(each.workspace)) && held.some((_, shard) => at(each, shard)),
    ).length,
    /** Workspaces of which one half of a transaction is there and the other is not. */
    torn: held.flatMap(({ counts }) => counts).filter((row) => row.plan_rate !== row.labels).length,
  }
}
