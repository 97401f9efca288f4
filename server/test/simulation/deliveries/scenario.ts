import { startDeliveryRunner } from '../../../src/features/deliveries/index.ts'
import { startLeader } from '../../../src/kernel/runner/leader.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { ProcessSlot } from '../engine/process-slots.ts'
import type { Life, Scenario } from '../engine/scenario.ts'
import type { World } from '../engine/world.ts'
import { type DeliveryConditions, drawDeliveryConditions } from './conditions.ts'
import { drain } from './drain.ts'
import { faults } from './faults.ts'
import { checkHistory } from './final-checks.ts'
import { readHistory } from './history.ts'
import { Receivers } from './receivers.ts'
import { Recorder } from './recorder.ts'
import { seedRows, tenants } from './seed-rows.ts'
import { Workload } from './workload.ts'

/** Users emit events and change destinations; two runners deliver to receivers of all characters. */
export const deliveries: Scenario<DeliveryConditions> = {
  name: 'deliveries',
  seedRows,
  faults,
  seeds: { tested: 40, replayed: 4, remembered: [120_835, 120_899, 200_271] },
  drawConditions: drawDeliveryConditions,
  begin,
}

const usersPerApi = 3

async function begin(world: World, conditions: DeliveryConditions): Promise<Life> {
  const recorder = new Recorder(world)
  const receivers = new Receivers(world, conditions, recorder)
  const workload = new Workload(world, conditions, recorder, tenants)
  await recorder.readDestinations()

  const deliver = async ({ ctx, listen }: SimulatedProcess) => {
    const leader = await startLeader(ctx, listen)
    const runner = await startDeliveryRunner(ctx, { listen, scope: leader.scope })
    return {
      ...runner,
      async stop(withinMs?: number) {
        await Promise.all([runner.stop(withinMs), leader.stop()])
      },
    }
  }
  const serve = async (process: SimulatedProcess) => {
    if (process.label === 'A1.1') await workload.begin(process)
    const users = Array.from({ length: usersPerApi }, () => workload.use(process))
    await Promise.all(users)
    return undefined
  }
  const slots: ProcessSlot[] = [
    { role: 'runner', name: 'R1', start: deliver },
    { role: 'runner', name: 'R2', start: deliver },
    { role: 'api', name: 'A1', start: serve },
    { role: 'api', name: 'A2', start: serve },
  ]
  return {
    observer: recorder,
    slots,
    contextOf: (process) => ({
      config: { webhookRetryDelaysMs: conditions.retryDelaysMs },
      context: {
        http: { post: (request) => receivers.post(process, request), close: async () => undefined },
      },
    }),
    isOver: () => workload.isOver,
    endWithinMs: 10_000,
    end: () => workload.end(),
    async drain(slots) {
      receivers.heal()
      await drain(world, slots)
    },
    async check() {
      const history = await readHistory(world.admin)
      const violations = checkHistory(history, recorder, conditions)
      return { violations, history: { ...history, counts: [...history.counts] } }
    },
  }
}
