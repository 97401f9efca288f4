import type { Random } from '../../random.ts'

import type { FailoverPlan } from './failover.ts'

/** What a simulated process does. */
export type Role = 'runner' | 'api'

/** How rough a simulation is, drawn from its seed. Times are virtual. */
export interface Conditions {
  /** No crash, stall, reset or lost lease. */
  calm: boolean
  leaseMs: number
  /** How far the clock of a process may be off the database's. */
  skewMaxMs: number
  latencyMs: [number, number]
  /** One statement in so many takes this long. */
  lagChance: number
  lagMs: [number, number]
  /** Of the transactions of the API; they commit long after their rows' due time. */
  lateCommitChance: number
  lateCommitMs: [number, number]
  /** Of a statement: its connection breaks, before or after it was executed. */
  resetChance: number
  hintLossChance: number
  crashes: number
  stalls: number
  restarts: number
  /** The whole machine sleeps for so long, once. */
  sleepMs: number
  /** The primary dies, one time after the other. */
  failovers: FailoverPlan[]
  /** The simulated clock starts here. */
  startMs: number
  /** Mishaps come within so long; after that latencies and failures last until the workload is over. */
  disturbedMs: number
}

const hourMs = 3_600_000

/** Every simulated clock starts on this Monday. */
const firstDay = new Date(Date.UTC(2026, 0, 5))

/** What any workload may meet; each adds what only it knows. */
export function drawConditions(random: Random): Conditions {
  const calm = random.chance(0.15)
  const rough = (value: number) => (calm ? 0 : value)
  return {
    calm,
    // Calm means no lost lease: whoever hangs at the other end must not outlast one.
    leaseMs: calm ? 30_000 : random.pick([2_000, 3_000, 6_000]),
    skewMaxMs: random.pick([0, 100, 400]),
    latencyMs: random.pick<[number, number]>([
      [0.2, 3],
      [0.2, 30],
      [5, 250],
    ]),
    lagChance: random.pick([0, 0.02, 0.1]),
    lagMs: [50, 1_500],
    lateCommitChance: random.pick([0, 0.15, 0.5]),
    lateCommitMs: [1_000, 7_000],
    resetChance: rough(random.pick([0, 0, 0.003, 0.015])),
    hintLossChance: random.pick([0, 0.2, 1]),
    crashes: rough(random.whole(0, 4)),
    stalls: rough(random.whole(0, 4)),
    restarts: random.whole(0, 1),
    sleepMs: rough(random.chance(0.1) ? random.pick([2, 30, 75, 150]) * hourMs : 0),
    failovers: [],
    startMs: firstDay.getTime() + drawTimeOfDayMs(random),
    disturbedMs: 18_000,
  }
}

/** Often just before midnight, where the counters change their date. */
function drawTimeOfDayMs(random: Random): number {
  if (random.chance(0.3)) return 24 * hourMs - random.whole(5, 25) * 1000
  return random.whole(2, 20) * hourMs
}

/** How long things take and what breaks by itself, until it is cleared. */
export class Environment {
  readonly conditions: Conditions
  readonly #random: Random
  #cleared = false

  constructor(conditions: Conditions, random: Random) {
    this.conditions = conditions
    this.#random = random
  }

  /** From now on everything is quick and nothing breaks. */
  clear() {
    this.#cleared = true
  }

  get isClear(): boolean {
    return this.#cleared
  }

  /** From sending a statement to its execution. */
  statementMs(role: Role, text: string): number {
    const { lateCommitChance, lateCommitMs } = this.conditions
    const isLate = role === 'api' && text === 'commit' && this.#happens(lateCommitChance)
    return isLate ? this.#random.between(...lateCommitMs) : this.latencyMs()
  }

  latencyMs(): number {
    const { latencyMs, lagChance, lagMs } = this.conditions
    if (this.#cleared) return this.#random.between(0.2, 3)
    return this.#random.between(...(this.#happens(lagChance) ? lagMs : latencyMs))
  }

  /** Whether the connection breaks with this statement, and on which side of its execution. */
  reset(): 'before' | 'after' | undefined {
    if (!this.#happens(this.conditions.resetChance)) return
    return this.#random.pick(['before', 'after'])
  }

  /** Undefined: the hint is lost. */
  hintMs(): number | undefined {
    return this.#happens(this.conditions.hintLossChance) ? undefined : this.latencyMs()
  }

  #happens(chance: number): boolean {
    return !this.#cleared && this.#random.chance(chance)
  }
}
