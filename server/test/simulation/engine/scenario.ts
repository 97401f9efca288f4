import type { Random } from '../../random.ts'
import type { Fault } from './faults.ts'
import type { Fleet, Seat } from './fleet.ts'
import type { SimulatedProcess, Surroundings } from './process.ts'
import type { Forecast } from './weather.ts'
import type { Observer, World } from './world.ts'

/**
 * A kind of workload: who lives in the database, what they do, what they meet outside it, and what
 * must be true in the end. Members are methods, so that a scenario with a forecast of its own is one.
 */
export interface Scenario<F extends Forecast = Forecast> {
  name: string
  /** Statements that furnish a migrated database, once. */
  furniture: string
  faults: Fault<F>[]
  /**
   * How many of them a thorough `npm test` runs, and runs twice; and those that once found a promise
   * broken, which it always runs.
   */
  seeds: { tested: number; replayed: number; remembered: number[] }
  /** @param days that it shall last, where somebody says so */
  drawForecast(random: Random, days?: number): F
  begin(world: World, forecast: F): Promise<Life>
}

/** One simulation of a scenario. */
export interface Life {
  observer: Observer
  seats: Seat[]
  surround: (process: SimulatedProcess) => Surroundings
  /** Nobody has anything more to do: asked after the disturbed time. */
  isOver: () => boolean
  /** Longer than this it is not waited for. */
  endWithinMs: number
  /** Nobody begins anything more. */
  end: () => void
  /** Good weather, everybody alive: what can be done must be done now. */
  clearUp: (fleet: Fleet) => Promise<void>
  /** Whatever the history breaks; and the history itself, for the trace. */
  judge: () => Promise<{ violations: string[]; history: unknown }>
}
