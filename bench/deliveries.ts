import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { Agent } from 'undici'
import { operator } from '../server/src/features/audit/index.ts'
import { hintChannel, startDeliveryRunner } from '../server/src/features/deliveries/index.ts'
import { signatureHeaders } from '../server/src/features/deliveries/signature.ts'
import { emit } from '../server/src/features/events/index.ts'
import { createWebhook } from '../server/src/features/webhooks/webhooks.ts'
import { createWorkspace } from '../server/src/features/workspaces/index.ts'
import type { Context } from '../server/src/kernel/context.ts'
import { listen } from '../server/src/kernel/db/listen.ts'
import { transaction } from '../server/src/kernel/db/transaction.ts'
import { startRole } from './child.ts'
import { type BenchReceiver, startBenchReceiver } from './receiver.ts'
import type { Figure } from './run.ts'
import { type BenchService, openService, percentile } from './service.ts'

const destinations = 32
const events = 60_000

export async function bench(): Promise<Figure[]> {
  await using service = await openService()
  using receiver = await startBenchReceiver()
  const throughput = await measureThroughput(service, receiver)
  const latency = await measureLatency(service, receiver)
  const isolation = await measureIsolation(service, receiver)
  const memory = await measureMemory(service, receiver)
  return [...throughput, ...latency, ...isolation, ...memory]
}

/** Everything is queued first, so that only delivering is timed. */
async function measureThroughput(
  service: BenchService,
  receiver: BenchReceiver,
): Promise<Figure[]> {
  const { ctx, workspaceId } = service
  for (let i = 0; i < destinations; i++) {
    await subscribe(ctx, workspaceId, `${receiver.url}/ok?${i}`, 'lead.interested')
  }
  for (let done = 0; done < events / destinations; done += 50) {
    await emitMany(ctx, workspaceId, 'lead.interested', 50)
  }
  const total = Math.ceil(events / destinations / 50) * 50 * destinations
  const limit = await measureClient(`${receiver.url}/ok`, total)
  receiver.reset()
  let settled = 0
  const done = Promise.withResolvers<void>()
  const startedMs = performance.now()
  const runner = await startDeliveryRunner(ctx, {
    onAttempt: () => {
      settled += 1
      if (settled === total) done.resolve()
    },
  })
  await done.promise
  const perSecond = total / ((performance.now() - startedMs) / 1000)
  await runner.stop()
  return [
    {
      name: 'end-to-end deliveries',
      value: perSecond,
      unit: '/s',
      limit: { name: 'undici dispatch of the same signed bytes, no database', value: limit },
      target: '≥ 40 % of the limit, ≥ 8,000/s',
      met: perSecond >= 0.4 * limit && perSecond >= 8000,
    },
  ]
}

/** The same HTTP client sending the same signed bytes with as many in flight. */
async function measureClient(url: string, total: number): Promise<number> {
  const agent = new Agent({ connections: destinations * 4, pipelining: 1 })
  const { origin, pathname } = new URL(url)
  const body = JSON.stringify({ type: 'lead.interested', data: sampleData })
  const secret = Buffer.alloc(32, 1)
  const id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
  let started = 0
  let finished = 0
  const done = Promise.withResolvers<void>()
  const next = () => {
    if (started === total) return
    started += 1
    const headers = signatureHeaders(id, new Date(), body, [secret])
    agent.dispatch(
      { origin, path: pathname, method: 'POST', body, headers },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd() {
          finished += 1
          if (finished === total) done.resolve()
          else next()
        },
        onResponseError(_controller, error) {
          done.reject(error)
        },
      },
    )
  }
  const startedMs = performance.now()
  for (let i = 0; i < destinations * 4; i++) next()
  await done.promise
  const perSecond = total / ((performance.now() - startedMs) / 1000)
  await agent.close()
  return perSecond
}

/** 1,000 events/s, one transaction each, timed from after the commit to the receiver's last byte. */
async function measureLatency(service: BenchService, receiver: BenchReceiver): Promise<Figure[]> {
  const { ctx, workspaceId } = service
  await subscribe(ctx, workspaceId, `${receiver.url}/timed`, 'lead.closed')
  const runner = await startRunner(service)
  await emitSteadily(ctx, workspaceId, 'lead.closed', 2, 1000)
  receiver.reset()
  await emitSteadily(ctx, workspaceId, 'lead.closed', 10, 1000)
  await wait(1000)
  const { latencies } = await receiver.report()
  await runner.stop()
  const p99 = percentile(latencies, 0.99)
  return [
    {
      name: `commit to receiver at 1,000 events/s, p99 (p50 ${percentile(latencies, 0.5).toFixed(0)} ms, n ${latencies.length})`,
      value: p99,
      unit: 'ms',
      target: '< 100 ms',
      met: p99 < 100,
    },
  ]
}

/** One healthy destination at 100 events/s, alone and beside 1,000 that hang. */
async function measureIsolation(service: BenchService, receiver: BenchReceiver): Promise<Figure[]> {
  const { ctx, workspaceId } = service
  await subscribe(ctx, workspaceId, `${receiver.url}/timed`, 'lead.no_show')
  const runner = await startRunner(service)
  const alone = await timeHealthy(ctx, workspaceId, receiver)
  for (let w = 0; w < 10; w++) {
    const { id } = await createWorkspace(ctx, `hanging ${w}`)
    for (let i = 0; i < 100; i++) await subscribe(ctx, id, `${receiver.url}/hang`, 'lead.lost')
    await emitMany(ctx, id, 'lead.lost', 10)
  }
  const beside = await timeHealthy(ctx, workspaceId, receiver)
  await runner.stop(100)
  return [
    {
      name: 'healthy p99 with 1,000 hanging destinations',
      value: beside,
      unit: 'ms',
      limit: { name: 'alone', value: alone },
      target: '≤ 2× of alone',
      met: beside <= 2 * alone,
    },
  ]
}

async function timeHealthy(ctx: Context, workspaceId: string, receiver: BenchReceiver) {
  receiver.reset()
  await emitSteadily(ctx, workspaceId, 'lead.no_show', 10, 100)
  await wait(1000)
  return percentile((await receiver.report()).latencies, 0.99)
}

const pending = 1_000_000
const pendingDestinations = 100
const drainedMs = 20_000

/** A runner and an API as processes of their own, while a million deliveries are pending. */
async function measureMemory(service: BenchService, receiver: BenchReceiver): Promise<Figure[]> {
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

const startRunner = ({ ctx, databaseUrl }: BenchService) =>
  startDeliveryRunner(ctx, {
    listen: (onHint) => listen(databaseUrl, hintChannel, onHint, ctx.log),
  })

async function subscribe(ctx: Context, workspaceId: string, url: string, type: string) {
  const input = { name: 'bench', target_hook_url: url, event_type: type }
  await createWebhook(ctx, workspaceId, input, { actor: operator })
}

const sampleData = { lead: { email: 'ada@example.com', note: 'x'.repeat(700) } }

const emitMany = (
  ctx: Context,
  workspaceId: string,
  type: 'lead.interested' | 'lead.lost',
  count: number,
) =>
  transaction(ctx, (tx) =>
    emit(
      tx,
      workspaceId,
      Array.from({ length: count }, () => ({
        type,
        campaign: null,
        leadEmail: 'ada@example.com',
        data: sampleData,
      })),
    ),
  )

/** Event by event, each with the time its transaction began to commit. */
async function emitSteadily(
  ctx: Context,
  workspaceId: string,
  type: 'lead.closed' | 'lead.no_show',
  seconds: number,
  perSecond: number,
) {
  const total = seconds * perSecond
  const startedMs = performance.now()
  const open: Promise<unknown>[] = []
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, ((performance.now() - startedMs) / 1000) * perSecond)
    for (; sent < due; sent++) {
      const committed_at = performance.timeOrigin + performance.now()
      const event = {
        type,
        campaign: null,
        leadEmail: 'ada@example.com',
        data: { committed_at },
      }
      open.push(transaction(ctx, (tx) => emit(tx, workspaceId, [event])))
    }
    await wait(1)
  }
  await Promise.all(open)
}
