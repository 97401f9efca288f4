import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { buildApi } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createKeyAsOperator } from '../src/features/keys/index.ts'
import { createWorkspace } from '../src/features/workspaces/index.ts'
import { enterWorkspace, type ProcessContext, type Shards } from '../src/kernel/context.ts'
import type { Log } from '../src/kernel/log.ts'
import { openServer } from '../src/process/open.ts'
import { prepareShards } from '../src/process/register-shards.ts'
import { callOf, type TestApi } from './app.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { startTcpProxy } from './mail/tcp-proxy.ts'
import type { Settings } from './processes.ts'

export const silentLog = pino({ level: 'silent' }) as Log

/** Two databases of one installation, the second of which can be taken away. */
export interface ShardedDatabases extends AsyncDisposable {
  first: TestDatabase
  /** The shard b. */
  second: TestDatabase
  /** Registered with these. */
  settings: Settings
  /** Nothing comes through to the second one, as if its machine were gone. */
  takeAway: () => void
  bringBack: () => void
}

export async function shardedDatabases(): Promise<ShardedDatabases> {
  const [first, second] = [await testDatabase(), await testDatabase()]
  const url = new URL(second.url)
  const proxy = await startTcpProxy(Number(url.port))
  url.port = String(proxy.port)
  const settings = {
    ...{ DATABASE_URL: first.url, DATABASE_SHARDS: `b=${url.href}` },
    DATA_DIR: join(tmpdir(), 'outrider-no-data'),
    OUTRIDER_SECRET_KEY: randomBytes(32).toString('base64'),
  }
  await prepareShards(readConfig(settings), first.db, silentLog)
  return {
    ...{ first, second, settings },
    takeAway() {
      proxy.freezeAll()
      proxy.drop()
    },
    bringBack() {
      proxy.heal()
      proxy.drop()
    },
    async [Symbol.asyncDispose]() {
      proxy.drop()
      await proxy[Symbol.asyncDispose]()
      await Promise.all([first, second].map((each) => each[Symbol.asyncDispose]()))
    },
  }
}

export interface ShardedApi extends AsyncDisposable {
  api: Pick<TestApi, 'app' | 'call'> & { ctx: ProcessContext }
  shards: Shards
  /** A workspace there with a key of its own. */
  createOn: (shard: string, name: string) => Promise<{ id: string; key: string }>
}

/** A process that serves the API on both of them. */
export async function shardedApi({ settings }: ShardedDatabases): Promise<ShardedApi> {
  const opened = await openServer(readConfig(settings), { log: silentLog })
  const { ctx } = opened
  const { shards } = ctx
  if (!shards) throw new Error('There is one database.')
  const app = await buildApi(ctx)
  return {
    api: { app, ctx, call: callOf(app) },
    shards,
    async createOn(shard, name) {
      const { id } = await createWorkspace(shards.byName(shard).ctx, name)
      const own = await enterWorkspace(ctx, id)
      const { key } = await createKeyAsOperator(own, id, { name: 'test', scopes: ['all:*'] })
      return { id, key }
    },
    async [Symbol.asyncDispose]() {
      await app.close()
      await opened[Symbol.asyncDispose]()
    },
  }
}

/** What a database has of a workspace, by table. */
export async function rowsOf({ pool }: TestDatabase, workspaceId: string) {
  const { rows: tables } = await pool.query<{ name: string }>(`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace = 'public'::regnamespace`)
  const counts = await Promise.all(
    tables.map(async ({ name }) => {
      const text = `select count(*)::int as count from "${name}" where workspace_id = $1`
      const { rows } = await pool.query<{ count: number }>(text, [workspaceId])
      return [name, rows[0]?.count ?? 0] as const
    }),
  )
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}
