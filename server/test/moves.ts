import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { ProcessContext } from '../src/kernel/context.ts'
import { findInstance, insertInstance } from '../src/kernel/db/instance.ts'
import { ShardsOf } from '../src/kernel/shards/shards.ts'
import { asService, type TestContext } from './context.ts'
import type { FreeDb, TestDatabase } from './database.ts'
import { patience } from './patience.ts'

/** What makes a database one of an installation; both of a move are sealed alike. */
export async function install({ db, now }: TestContext) {
  if (await findInstance(db)) return
  await insertInstance(db, {
    ...{ id: randomUUID(), secret_key_id: 'key', timestamp_created: now() },
  })
}

/** The shard a as a process has it that has opened b, or could not yet. */
export function ofShards(a: TestContext, b: TestContext | undefined): ProcessContext {
  const shardOf = (name: string, ctx: TestContext) => ({
    ...{ name, ctx: asService(ctx) },
    ...{ databaseUrl: ctx.database.url, directUrl: ctx.database.url },
  })
  const shards = new ShardsOf<ProcessContext>(shardOf('a', a), ['b'])
  if (b) shards.noteOpened(shardOf('b', b))
  return { ...asService(a), shards }
}

/** A transaction that has a lock on `leads`, until it is disposed of. */
export async function lockLeadsTable(
  { pool }: TestDatabase,
  mode: string,
): Promise<AsyncDisposable> {
  const client = await pool.connect()
  await client.query(`begin; lock table leads in ${mode} mode`)
  return {
    async [Symbol.asyncDispose]() {
      await client.query('rollback')
      client.release()
    },
  }
}

/** A mover that is killed with -9 as soon as it says that it comes to this step. */
export async function killMoverAt(
  step: string,
  source: TestContext,
  target: TestContext,
  workspaceId: string,
): Promise<void> {
  const path = fileURLToPath(new URL('./mover.ts', import.meta.url))
  const args = [path, source.database.url, target.database.url, workspaceId, step]
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const [, signal] = await once(child, 'exit')
  if (signal !== 'SIGKILL') throw new Error(`The mover did not come to ${step}: ${errors}`)
  // Its connections end when the server notices.
  for (const { database } of [source, target]) {
    await expect.poll(() => isMoving(database.peek, workspaceId), patience).toBe(false)
  }
}

/** Whether a mover holds the lock of the workspace. */
async function isMoving(db: FreeDb, workspaceId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ free: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('move ' || ${workspaceId}::text, 0)) as free`.execute(
      tx,
    )
    return rows[0]?.free !== true
  })
}
