import { setTimeout as wait } from 'node:timers/promises'
import { createWorkspace } from '../../server/src/features/workspaces/index.ts'
import { peakMegabytes } from '../../server/test/memory.ts'
import { startRole } from '../child.ts'
import type { Figure } from '../figure.ts'
import type { BenchReceiver } from '../receiver.ts'
import type { BenchService } from '../service.ts'
import { insertPending, subscribe } from './load.ts'

const pending = 1_000_000
const destinations = 100
const drainedMs = 20_000
const type = 'lead.neutral'

/** A runner and an API as processes of their own, while a million deliveries are pending. */
export async function measureMemory(
  service: BenchService,
  receiver: BenchReceiver,
): Promise<Figure[]> {
  const { ctx } = service
  const { id: workspaceId } = await createWorkspace(ctx, 'pending')
  for (let i = 0; i < destinations; i++) {
    await subscribe(ctx, workspaceId, `${receiver.url}/ok`, type)
  }
  await insertPending(ctx, workspaceId, type, { events: pending / destinations, dueInMs: 0 })
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
