import { setTimeout as wait } from 'node:timers/promises'
import { createWorkspace } from '../../server/src/features/workspaces/index.ts'
import type { Context } from '../../server/src/kernel/context.ts'
import type { BenchReceiver } from '../receiver.ts'
import type { Figure } from '../run.ts'
import { type BenchService, percentile } from '../service.ts'
import { emitMany, emitSteadily, startRunner, subscribe } from './load.ts'

/** One healthy destination at 100 events/s, alone and beside 1,000 that hang. */
export async function measureIsolation(
  service: BenchService,
  receiver: BenchReceiver,
): Promise<Figure[]> {
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
