import { Random } from '../../random.ts'
import type { Fault } from './faults.ts'
import { Fleet } from './fleet.ts'
import type { Laboratory } from './laboratory.ts'
import type { Life, Scenario } from './scenario.ts'
import { EndlessLoop, HistoryOver } from './scheduler.ts'
import type { Print } from './trace.ts'
import { type Violation, World } from './world.ts'

export interface SimulationOptions {
  /** Undefined: as long as its forecast says. */
  days?: number | undefined
  fault?: Fault | undefined
  print?: Print | undefined
  /** It ends with so many. */
  violationsMax?: number
}

export interface Verdict {
  seed: number
  /** Equal for two runs that were the same, statement by statement. */
  digest: string
  /** Empty when every promise was kept. */
  violations: Violation[]
  steps: number
  statements: number
  virtualMs: number
  /** Statements that had to wait for a lock, and those of them that waited in a circle. */
  parkings: number
  deadlocks: number
}

const stopWithinMs = 30_000

/** One life of a small installation, good weather at its end, and what became of its promises. */
export async function simulate(
  laboratory: Laboratory,
  scenario: Scenario,
  seed: number,
  { days, fault, ...options }: SimulationOptions = {},
): Promise<Verdict> {
  await laboratory.clear()
  const random = new Random(`seed ${seed}`)
  const forecast = { ...scenario.drawForecast(random.fork('forecast'), days), ...fault?.weather }
  const world = new World(laboratory, random, forecast, options)
  world.note(JSON.stringify(forecast))
  world.fault = fault?.create()
  using _rejections = hearRejections(world)
  try {
    await live(world, scenario)
  } catch (error) {
    if (!(error instanceof EndlessLoop)) throw error
    world.violate(error.message)
  }
  const { scheduler, server, trace, violations } = world
  return {
    ...{ seed, digest: trace.digest(), violations },
    ...{ steps: scheduler.steps, statements: server.statements, virtualMs: scheduler.nowMs },
    ...{ parkings: server.parkings, deadlocks: server.deadlocks },
  }
}

/** Far more seeds than any fault needs (docs/reliability.md), and an end for one that is not caught. */
const searchedMax = 40

/** The first simulation that breaks a promise with this fault; the remembered seed is tried first. */
export async function catchFault(
  laboratory: Laboratory,
  scenario: Scenario,
  fault: Fault,
  remembered?: number,
): Promise<Verdict | undefined> {
  const searched = Array.from({ length: searchedMax }, (_, at) => at + 1)
  for (const seed of remembered === undefined ? searched : [remembered, ...searched]) {
    const verdict = await simulate(laboratory, scenario, seed, { fault, violationsMax: 1 })
    if (verdict.violations.length > 0) return verdict
  }
}

async function live(world: World, scenario: Scenario) {
  const life = await scenario.begin(world, world.weather.forecast)
  world.observer = life.observer
  const fleet = new Fleet(world, life.seats, life.surround)
  try {
    await liveToTheEnd(world, life, fleet)
  } catch (error) {
    if (!(error instanceof HistoryOver)) throw error
  }
  await fleet.end()
}

async function liveToTheEnd(world: World, life: Life, fleet: Fleet) {
  const { scheduler, weather } = world
  const { disturbedMs } = weather.forecast
  fleet.launch()
  fleet.disturb(disturbedMs)
  await scheduler.runUntil(disturbedMs)
  await scheduler.runUntil(fleet.asleepUntilMs)
  await scheduler.runUntil(scheduler.nowMs + life.endWithinMs, life.isOver)
  life.end()
  weather.clear()
  fleet.revive()
  await life.clearUp(fleet)

  if (!(await fleet.stop(stopWithinMs))) world.violate('a runner did not stop')
  const { violations, history } = await life.judge()
  for (const violation of violations) world.violate(violation)
  world.trace.add('', 'the end', JSON.stringify(history))
}

/** Nobody listens to what fails in the background: a real process would end here. */
function hearRejections(world: World): Disposable {
  const heard = (error: unknown) =>
    world.violate(`a rejection that nobody heard: ${error instanceof Error ? error.stack : error}`)
  process.on('unhandledRejection', heard)
  return { [Symbol.dispose]: () => process.off('unhandledRejection', heard) }
}
