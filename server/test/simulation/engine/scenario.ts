import type { Random } from '../../random.ts'
import type { Conditions } from './conditions.ts'
import type { Fault } from './faults.ts'
import type { ProcessSetting, SimulatedProcess } from './process.ts'
import type { ProcessSlot, ProcessSlots } from './process-slots.ts'
import type { Observer, World } from './world.ts'

/**
 * A kind of workload: who lives in the database, what they do, what they meet outside it, and what
 * must be true in the end. Members are methods, so that a scenario with conditions of its own is one.
 */
export interface Scenario<F extends Conditions = Conditions> {
  name: string
  /** Statements that insert what a migrated database begins with, once. */
  seedRows: string
  faults: Fault<F>[]
  /**
   * How many of them a thorough `npm test` runs, and runs twice; and those that once found a promise
   * broken, which it always runs.
   */
  seeds: { tested: number; replayed: number; remembered: number[] }
  /** @param days that it shall last, where somebody says so */
  drawConditions(random: Random, days?: number): F
  begin(world: World, conditions: F): Promise<Life>
}

/** One simulation of a scenario. */
export interface Life {
  observer: Observer
  slots: ProcessSlot[]
  contextOf: (process: SimulatedProcess) => ProcessSetting
  /** Nobody has anything more to do: asked after the disturbed time. */
  isOver: () => boolean
  /** Longer than this it is not waited for. */
  endWithinMs: number
  /** Nobody begins anything more. */
  end: () => void
  /** Nothing breaks, everybody is alive: what can be done must be done now. */
  drain: (slots: ProcessSlots) => Promise<void>
  /** Whatever the history breaks; and the history itself, for the trace. */
  check: () => Promise<{ violations: string[]; history: unknown }>
}
