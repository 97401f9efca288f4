import { Random } from '../../random.ts'
import type { SimulationDatabase } from './database.ts'
import { Failovers } from './failover.ts'
import type { Fault } from './faults.ts'
import { ProcessSlots } from './process-slots.ts'
import type { Life, Scenario } from './scenario.ts'
import { EndlessLoop, HistoryOver } from './scheduler.ts'
import type { Print } from './trace.ts'
import { type Violation, World } from './world.ts'

export interface SimulationOptions {
  /** Undefined: as long as its conditions say. */
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
/** Longer than any standby takes. */
const promotedWithinMs = 30_000

/** One life of a small installation, undisturbed at its end, and what became of its promises. */
export async function simulate(
  database: SimulationDatabase,
  scenario: Scenario,
  seed: number,
  { days, fault, ...options }: SimulationOptions = {},
): Promise<Verdict> {
  await database.clear()
  const random = new Random(`seed ${seed}`)
  const conditions = {
    ...scenario.drawConditions(random.fork('forecast'), days),
    ...fault?.conditions,
  }
  const world = new World(database, random, conditions, options)
  world.note(JSON.stringify(conditions))
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

/** The first simulation that breaks a promise with this fault; the remembered seeds are tried first. */
export async function catchFault(
  database: SimulationDatabase,
  scenario: Scenario,
  fault: Fault,
  remembered: number[] = [],
  options: Pick<SimulationOptions, 'violationsMax'> = { violationsMax: 1 },
): Promise<Verdict | undefined> {
  const searched = Array.from({ length: searchedMax }, (_, at) => at + 1)
  for (const seed of new Set([...remembered, ...searched])) {
    const verdict = await simulate(database, scenario, seed, { fault, ...options })
    if (verdict.violations.length > 0) return verdict
  }
}

/** Seeds of which those with the shortest histories are worth remembering: a fault is looked for in each CI run. */
const comparedMax = 12
/** A change of the code that makes one of them another history seldom does so to all. */
const rememberedMax = 3

/** Of the first seeds that catch the fault, those that do so soonest, the soonest first. */
export async function findCatching(
  database: SimulationDatabase,
  scenario: Scenario,
  fault: Fault,
): Promise<number[]> {
  const caught: Verdict[] = []
  for (let seed = 1; seed <= searchedMax && (seed <= comparedMax || caught.length === 0); seed++) {
    const verdict = await simulate(database, scenario, seed, { fault, violationsMax: 1 })
    if (verdict.violations.length > 0) caught.push(verdict)
  }
  const soonest = caught.toSorted((one, other) => one.steps - other.steps)
  return soonest.slice(0, rememberedMax).map(({ seed }) => seed)
}

async function live(world: World, scenario: Scenario) {
  const life = await scenario.begin(world, world.environment.conditions)
  world.observer = life.observer
  const slots = new ProcessSlots(world, life.slots, life.contextOf)
  world.failovers = new Failovers(world, slots)
  try {
    await liveToTheEnd(world, life, slots)
  } catch (error) {
    if (!(error instanceof HistoryOver)) throw error
  }
  await slots.end()
}

async function liveToTheEnd(world: World, life: Life, slots: ProcessSlots) {
  const { scheduler, environment } = world
  const { disturbedMs } = environment.conditions
  slots.launch()
  slots.disturb(disturbedMs)
  world.failovers?.begin()
  await scheduler.runUntil(disturbedMs)
  await scheduler.runUntil(slots.asleepUntilMs)
  await scheduler.runUntil(scheduler.nowMs + life.endWithinMs, life.isOver)
  life.end()
  environment.clear()
  await scheduler.runUntil(scheduler.nowMs + promotedWithinMs, () => !world.isDown)
  slots.revive()
  await life.drain(slots)

  if (!(await slots.stop(stopWithinMs))) world.violate('a runner did not stop')
  const { violations, history } = await life.check()
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
