import { startDeliveryRunner } from '../../../src/features/deliveries/index.ts'
import type { Seat } from '../engine/fleet.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { Life, Scenario } from '../engine/scenario.ts'
import type { World } from '../engine/world.ts'
import { clearUp } from './aftermath.ts'
import { Chronicle } from './chronicle.ts'
import { faults } from './faults.ts'
import { furniture, tenants } from './furniture.ts'
import { readHistory } from './history.ts'
import { judge } from './judge.ts'
import { Receivers } from './receivers.ts'
import { type DeliveryForecast, drawDeliveryForecast } from './weather.ts'
import { Workload } from './workload.ts'

/** Users emit events and change destinations; two runners deliver to receivers of all characters. */
export const deliveries: Scenario<DeliveryForecast> = {
  name: 'deliveries',
  furniture,
  faults,
  seeds: { tested: 100, replayed: 4, remembered: [] },
  drawForecast: drawDeliveryForecast,
  begin,
}

const usersPerApi = 3

async function begin(world: World, forecast: DeliveryForecast): Promise<Life> {
  const chronicle = new Chronicle(world)
  const receivers = new Receivers(world, forecast, chronicle)
  const workload = new Workload(world, forecast, chronicle, tenants)
  await chronicle.readDestinations()

  const deliver = async ({ ctx, listeners }: SimulatedProcess) =>
    startDeliveryRunner(ctx, {
      listen: async (onHint) => {
        listeners.set('outrider_due', onHint)
        return async () => undefined
      },
    })
  const serve = async (process: SimulatedProcess) => {
    if (process.label === 'A1.1') await workload.begin(process)
    const users = Array.from({ length: usersPerApi }, () => workload.use(process))
    await Promise.all(users)
    return undefined
  }
  const seats: Seat[] = [
    { role: 'runner', name: 'R1', start: deliver },
    { role: 'runner', name: 'R2', start: deliver },
    { role: 'api', name: 'A1', start: serve },
    { role: 'api', name: 'A2', start: serve },
  ]
  return {
    observer: chronicle,
    seats,
    surround: (process) => ({
      config: { webhookRetryDelaysMs: forecast.retryDelaysMs },
      context: {
        http: { post: (request) => receivers.post(process, request), close: async () => undefined },
      },
    }),
    isOver: () => workload.isOver,
    endWithinMs: 10_000,
    end: () => workload.end(),
    async clearUp(fleet) {
      receivers.heal()
      await clearUp(world, fleet)
    },
    async judge() {
      const history = await readHistory(world.admin)
      const violations = judge(history, chronicle, forecast)
      return { violations, history: { ...history, counts: [...history.counts] } }
    },
  }
}
