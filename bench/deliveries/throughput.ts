import { Agent } from 'undici'
import { startDeliveryRunner } from '../../server/src/features/deliveries/index.ts'
import { signatureHeaders } from '../../server/src/features/deliveries/signature.ts'
import type { BenchReceiver } from '../receiver.ts'
import type { Figure } from '../run.ts'
import type { BenchService } from '../service.ts'
import { emitMany, sampleData, subscribe } from './load.ts'

const destinations = 32
const events = 60_000

/** Everything is queued first, so that only delivering is timed. */
export async function measureThroughput(
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
