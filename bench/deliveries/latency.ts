import { setTimeout as wait } from 'node:timers/promises'
import { startRole } from '../child.ts'
import { type Figure, percentile } from '../figure.ts'
import type { BenchReceiver } from '../receiver.ts'
import type { BenchService } from '../service.ts'
import { emitSteadily, subscribe } from './load.ts'

/** 1,000 events/s, one transaction each, timed from its COMMIT to the receiver's last byte. */
export async function measureLatency(
  service: BenchService,
  receiver: BenchReceiver,
): Promise<Figure[]> {
  const { ctx, workspaceId } = service
  const type = 'lead.closed'
  await subscribe(ctx, workspaceId, `${receiver.url}/timed`, type)
  await using _runner = await startRole('runner', service)
  await emitSteadily(ctx, workspaceId, type, { seconds: 2, perSecond: 1000 })
  receiver.reset()
  const committed = await emitSteadily(ctx, workspaceId, type, { seconds: 10, perSecond: 1000 })
  await wait(1000)
  const latencies = await receiver.latencies(committed)
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(latencies, share))
  return [
    {
      name: `commit to receiver at 1,000 events/s, p99 (p50 ${p50?.toFixed(0)} ms, n ${latencies.length})`,
      value: p99 ?? Number.NaN,
      unit: 'ms',
      target: '< 100 ms',
      met: p99 !== undefined && p99 < 100,
    },
  ]
}
