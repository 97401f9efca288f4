import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { createWorkspace } from '../../server/src/features/workspaces/index.ts'
import type { Context } from '../../server/src/kernel/context.ts'
import { startRole } from '../child.ts'
import type { BenchReceiver } from '../receiver.ts'
import type { Figure } from '../run.ts'
import type { BenchService } from '../service.ts'
import { sampleData, subscribe } from './load.ts'

const pending = 1_000_000
const pendingDestinations = 100
const drainedMs = 20_000

/** A runner and an API as processes of their own, while a million deliveries are pending. */
export async function measureMemory(
  service: BenchService,
  receiver: BenchReceiver,
): Promise<Figure[]> {
  const { ctx } = service
  const { id: workspaceId } = await createWorkspace(ctx, 'pending')
  for (let i = 0; i < pendingDestinations; i++) {
    await subscribe(ctx, workspaceId, `${receiver.url}/ok`, 'lead.neutral')
  }
  await insertPending(ctx, workspaceId)
  await using api = await startRole('api', service)
  await using runner = await startRole('runner', service)
  await wait(drainedMs)
  const peaks = await Promise.all([peakMegabytes(api.pid), peakMegabytes(runner.pid)])
  return ['API', 'runner'].map((name, index) => ({
    name: `peak memory of the ${name} with 1,000,000 pending`,
    value: peaks[index] ?? Number.NaN,
    unit: 'MB',
    target: '< 300 MB',
    met: (peaks[index] ?? Number.NaN) < 300,
  }))
}

/** Straight into the tables: writing them one by one is not what is measured. */
async function insertPending(ctx: Context, workspaceId: string) {
  const body = JSON.stringify({ type: 'lead.neutral', data: sampleData })
  const due = ctx.now()
  const expires = new Date(due.getTime() + 72 * 3_600_000)
  const prefix = ctx.newId().slice(0, 14)
  const eventId = sql`(${`${prefix}7000-8000-`}::text || lpad(to_hex(n), 12, '0'))::uuid`
  await sql`
    insert into events (workspace_id, id, type, body)
    select ${workspaceId}::uuid, ${eventId}, 'lead.neutral', ${body}
    from generate_series(1, ${pending / pendingDestinations}::int) n`.execute(ctx.db)
  await sql`
    insert into deliveries (workspace_id, id, bucket, webhook_id, event_id, due_at, expires_at)
    select ${workspaceId}::uuid, gen_random_uuid(), get_byte(uuid_send(w.id), 15), w.id, ${eventId},
      ${due}::timestamptz, ${expires}::timestamptz
    from generate_series(1, ${pending / pendingDestinations}::int) n, webhooks w
    where w.workspace_id = ${workspaceId}::uuid`.execute(ctx.db)
}

/** The most memory a process ever had resident (proc(5), VmHWM). */
async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}
