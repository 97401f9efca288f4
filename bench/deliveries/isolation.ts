import { setTimeout as wait } from 'node:timers/promises'
import { createWorkspace } from '../../server/src/features/workspaces/index.ts'
import { startRole } from '../child.ts'
import { type Figure, percentile } from '../figure.ts'
import type { BenchReceiver } from '../receiver.ts'
import type { BenchService } from '../service.ts'
import { emitMany, emitSteadily, subscribe } from './load.ts'

/** One healthy destination at 100 events/s, alone and beside 1,000 that hang. */
export async function measureIsolation(
  service: BenchService,
  receiver: BenchReceiver,
): Promise<Figure[]> {
  const { ctx, workspaceId } = service
  await subscribe(ctx, workspaceId, `${receiver.url}/timed`, 'lead.no_show')
  await using _runner = await startRole('runner', service)
  const alone = await timeHealthy(service, receiver)
  for (let w = 0; w < 10; w++) {
    const { id } = await createWorkspace(ctx, `hanging ${w}`)
    for (let i = 0; i < 100; i++) await subscribe(ctx, id, `${receiver.url}/hang`, 'lead.lost')
    await emitMany(ctx, id, 'lead.lost', 10)
  }
  const beside = await timeHealthy(service, receiver)
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

async function timeHealthy({ ctx, workspaceId }: BenchService, receiver: BenchReceiver) {
  receiver.reset()
  const load = { seconds: 10, perSecond: 100 }
  const committed = await emitSteadily(ctx, workspaceId, 'lead.no_show', load)
  await wait(1000)
  return percentile(await receiver.latencies(committed), 0.99)
}
