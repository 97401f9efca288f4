import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { Agent } from 'undici'
import { signatureHeaders } from '../../server/src/features/deliveries/signature.ts'
import { hintDue } from '../../server/src/kernel/runner/hint.ts'
import type { FreeContext } from '../../server/test/context.ts'
import { startRole } from '../child.ts'
import { type Figure, percentile } from '../figure.ts'
import type { BenchReceiver } from '../receiver.ts'
import type { BenchService } from '../service.ts'
import { type EventType, insertPending, sampleData, subscribe } from './load.ts'

export const destinations = 32
const warmUpEvents = 500
const events = 1_000
/** The machine's speed comes and goes: client and runner take turns, and the middle one counts. */
const rounds = 5
/** Long enough to write them all. */
const dueInMs = 3_000
const type: EventType = 'lead.interested'

/**
 * A runner as an operator starts it. Everything is queued before it falls due, so that only
 * delivering is timed; before that it delivers some of the same, and so does the client of the limit.
 */
export async function measureThroughput(
  service: BenchService,
  receiver: BenchReceiver,
): Promise<Figure[]> {
  const { ctx, workspaceId } = service
  for (let i = 0; i < destinations; i++) {
    await subscribe(ctx, workspaceId, `${receiver.url}/ok?${i}`, type)
  }
  const measureLimit = (events: number) =>
    measureClient(`${receiver.url}/ok`, events * destinations)
  await measureLimit(warmUpEvents)
  await using _runner = await startRole('runner', service)
  await measureRunner(ctx, workspaceId, type, warmUpEvents)
  const limits: number[] = []
  const values: number[] = []
  for (let round = 0; round < rounds; round++) {
    limits.push(await measureLimit(events))
    values.push(await measureRunner(ctx, workspaceId, type, events))
  }
  const limit = percentile(limits, 0.5)
  const value = percentile(values, 0.5)
  return [
    {
      name: 'end-to-end deliveries',
      value,
      unit: '/s',
      limit: { name: 'undici dispatch of the same signed bytes, no database', value: limit },
      target: '≥ 45 % of the limit, ≥ 8,000/s',
      met: value >= 0.45 * limit && value >= 8000,
    },
  ]
}

/** From the time they fall due to the commit that settles the last. */
export async function measureRunner(
  ctx: FreeContext,
  workspaceId: string,
  type: EventType,
  events: number,
): Promise<number> {
  const total = events * destinations
  const before = await countSettled(ctx, workspaceId)
  const due = await insertPending(ctx, workspaceId, type, { events, dueInMs })
  const restMs = due.getTime() - ctx.now().getTime()
  if (restMs < 0) throw new Error('the machine took too long to write what is to be delivered')
  await wait(restMs)
  hintDue(ctx)
  while ((await countSettled(ctx, workspaceId)) < before + total) await wait(25)
  return total / ((ctx.now().getTime() - due.getTime()) / 1000)
}

export async function countSettled({ db }: FreeContext, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ settled: number }>`
    select coalesce(sum(succeeded), 0)::int as settled
    from webhook_event_counts
    where workspace_id = ${workspaceId}::uuid`.execute(db)
  return rows[0]?.settled ?? 0
}

const alwaysSent = { 'content-type': 'application/json', 'user-agent': 'Outrider-Webhooks/1.0.0' }

/** What the HTTP client alone can do: it sends the signed request, with as many in flight as serve it best. */
async function measureClient(url: string, total: number): Promise<number> {
  const agent = new Agent({ connections: destinations * 4, pipelining: 1 })
  const { origin, pathname } = new URL(url)
  const body = JSON.stringify({ type, data: sampleData })
  const secret = Buffer.alloc(32, 1)
  const id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
  let started = 0
  let finished = 0
  const done = Promise.withResolvers<void>()
  const next = () => {
    if (started === total) return
    started += 1
    const headers = { ...alwaysSent, ...signatureHeaders(id, new Date(), body, [secret]) }
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
