import { setTimeout as wait } from 'node:timers/promises'
import type { BenchReceiver } from '../receiver.ts'
import type { Figure } from '../run.ts'
import { type BenchService, percentile } from '../service.ts'
import { emitSteadily, startRunner, subscribe } from './load.ts'

/** 1,000 events/s, one transaction each, timed from after the commit to the receiver's last byte. */
export async function measureLatency(
  service: BenchService,
  receiver: BenchReceiver,
): Promise<Figure[]> {
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
