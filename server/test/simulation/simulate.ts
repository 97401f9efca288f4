import { clearUp } from './aftermath.ts'
import { Chronicle } from './chronicle.ts'
import { DatabaseServer } from './database-server.ts'
import type { Fault } from './faults.ts'
import { Fleet } from './fleet.ts'
import { readHistory } from './history.ts'
import { judge } from './judge.ts'
import type { Laboratory } from './laboratory.ts'
import { Random } from './random.ts'
import { Receivers } from './receivers.ts'
import { Scheduler } from './scheduler.ts'
import { Trace } from './trace.ts'
import { drawForecast, Weather } from './weather.ts'
import { Workload } from './workload.ts'
import type { World } from './world.ts'

export interface SimulationOptions {
  fault?: Fault | undefined
  print?: ((line: string, hidden: string) => void) | undefined
}

export interface Verdict {
  seed: number
  /** Equal for two runs that were the same, statement by statement. */
  digest: string
  /** Empty when every promise was kept. */
  violations: string[]
  steps: number
  virtualMs: number
  requests: number
  /** Statements that had to wait for a lock, and those of them that waited in a circle. */
  parkings: number
  deadlocks: number
}

const disturbedMs = 18_000
const endedWithinMs = 10_000

/** One life of a small installation, good weather at its end, and what became of its promises. */
export async function simulate(
  laboratory: Laboratory,
  seed: number,
  options: SimulationOptions = {},
): Promise<Verdict> {
  const world = createWorld(laboratory, seed, options)
  const { scheduler, weather, chronicle, server, trace } = world
  await laboratory.clear()
  const workload = new Workload(world, laboratory.tenants)
  const fleet = new Fleet(world, workload)

  await chronicle.readDestinations()
  fleet.launch()
  fleet.disturb(disturbedMs)
  await scheduler.runUntil(disturbedMs)
  await scheduler.runUntil(fleet.asleepUntilMs)
  await scheduler.runUntil(scheduler.nowMs + endedWithinMs, () => workload.isOver)
  workload.end()
  await clearUp(world, fleet, laboratory.admin)

  if (!(await fleet.stop())) chronicle.violate('a runner did not stop')
  const history = await readHistory(laboratory.admin)
  const violations = [...chronicle.violations, ...judge(history, chronicle, weather.forecast)]
  await fleet.end()
  trace.add(scheduler.nowMs, '', 'the end', JSON.stringify([history, violations]))
  return {
    ...{ seed, digest: trace.digest(), violations, steps: scheduler.steps },
    ...{ virtualMs: scheduler.nowMs, requests: chronicle.requests.length },
    ...{ parkings: server.parkings, deadlocks: server.deadlocks },
  }
}

function createWorld(
  { admin, backends }: Laboratory,
  seed: number,
  { fault, print }: SimulationOptions,
): World {
  const random = new Random(`seed ${seed}`)
  const forecast = { ...drawForecast(random.fork('forecast')), ...fault?.weather }
  const scheduler = new Scheduler()
  const time = () => new Date(forecast.startMs + scheduler.nowMs)
  const world: World = {
    ...{ scheduler, random, backends, trace: new Trace(print) },
    weather: new Weather(forecast, random.fork('weather')),
    server: new DatabaseServer(backends, time),
    receivers: new Receivers(() => world, random.fork('receivers')),
    chronicle: new Chronicle(() => world, admin),
    processes: new Set(),
    tempt: undefined,
    fault: fault?.create(),
  }
  if (print) print(JSON.stringify(forecast), '')
  return world
}
