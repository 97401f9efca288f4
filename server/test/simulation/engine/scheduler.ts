/** What belongs to a process dies with it, and waits while the process is stalled. */
export interface Owner {
  alive: boolean
  stalledUntilMs: number
}

/**
 * What a gate stands for: something that happens at its time, somebody who listens for that long, who
 * lets time pass before another try, the next beat of a heart, or the pause of a loop that looks
 * whether there is anything to do; one that polls looks at little, and often.
 */
export type Wait = 'event' | 'listening' | 'retrying' | 'beating' | 'routine' | 'polling'

/** Time in which nothing happens. */
export interface IdlePeriod {
  untilMs: number
  /** Those that do not open in it, but later by as much. */
  shifts: readonly Wait[]
  /** Nobody lives through it: clocks that tell durations stand still. */
  skips: boolean
}

interface Gate {
  atMs: number
  order: number
  wait: Wait
  /** Null: of the network, the database server or whoever is at the other end. */
  owner: Owner | null
  open: () => void | Promise<void>
}

/** So many looks at the clock without a pause between are a loop without an end. */
const looksMax = 1_000_000
/** So many gates that open at the same time are one, too. */
const gatesMax = 100_000
/** What comes within so long is waited for. */
const nearMs = 100

/**
 * Virtual time. Whatever the simulated processes wait for is a gate with a time; the gates open one
 * by one, and the next opens only when everything that followed from the last has come to rest.
 */
export class Scheduler {
  nowMs = 0
  steps = 0
  /** That time went on without anybody living through it. */
  skippedMs = 0
  /** No gate opens any more. */
  isOver = false
  /** Asked when no event is near: until when may time pass at once? */
  quiet: ((untilMs: number) => Promise<IdlePeriod | undefined>) | undefined
  /** The next one last. */
  readonly #gates: Gate[] = []
  #order = 0
  #looks = 0
  /** Gates that opened at this time. */
  #opened = 0

  after(delayMs: number, owner: Owner | null, open: Gate['open'], wait: Wait = 'event') {
    this.#insert({ atMs: this.nowMs + delayMs, order: this.#order++, owner, open, wait })
  }

  /** When the first of these waits is over; Infinity: there is none. */
  nextMs(...waits: Wait[]): number {
    const next = this.#gates.findLast(
      ({ wait, owner }) => waits.includes(wait) && owner?.alive !== false,
    )
    return next?.atMs ?? Number.POSITIVE_INFINITY
  }

  #pass({ untilMs, shifts, skips }: IdlePeriod) {
    const passedMs = untilMs - this.nowMs
    this.nowMs = untilMs
    if (skips) this.skippedMs += passedMs
    for (const gate of this.#gates) if (shifts.includes(gate.wait)) gate.atMs += passedMs
    this.#gates.sort((one, other) => (isLater(one, other) ? -1 : 1))
  }

  /**
   * Opens gates until the time, or until `done` says so.
   *
   * @throws HistoryOver when it was over before
   */
  async runUntil(untilMs: number, done: () => boolean = () => false) {
    if (this.isOver) throw new HistoryOver()
    // What was done before, outside any gate, has its consequences first.
    await rest()
    while (!done() && !this.isOver) {
      const gate = this.#gates.at(-1)
      if (!gate || gate.atMs > untilMs) {
        this.nowMs = Math.max(this.nowMs, untilMs)
        return
      }
      if (this.quiet && gate.wait !== 'event' && (await this.#skip(untilMs))) continue
      this.#gates.pop()
      await this.#open(gate)
    }
  }

  /** As the code under test reads it. Time stands still within a step: a loop that waits for it hangs. */
  look(): number {
    this.#looks += 1
    if (this.#looks > looksMax) throw new EndlessLoop()
    return this.nowMs
  }

  async #open(gate: Gate) {
    const { owner } = gate
    if (owner && !owner.alive) return
    if (owner && owner.stalledUntilMs > gate.atMs) {
      this.#insert({ ...gate, atMs: owner.stalledUntilMs, order: this.#order++ })
      return
    }
    this.#opened = gate.atMs > this.nowMs ? 0 : this.#opened + 1
    if (this.#opened > gatesMax) throw new EndlessLoop()
    this.nowMs = gate.atMs
    this.steps += 1
    this.#looks = 0
    await gate.open()
    await rest()
  }

  async #skip(untilMs: number): Promise<boolean> {
    const eventMs = Math.min(untilMs, this.nextMs('event'))
    if (eventMs - this.nowMs < nearMs) return false
    const idle = await this.quiet?.(eventMs)
    if (!idle || idle.untilMs - this.nowMs < nearMs) return false
    this.#pass(idle)
    return true
  }

  #insert(gate: Gate) {
    let low = 0
    let high = this.#gates.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isLater(this.#gates[middle] as Gate, gate)) low = middle + 1
      else high = middle
    }
    this.#gates.splice(low, 0, gate)
  }
}

/** Whoever waits for what no gate will bring any more waits for nothing. */
export class HistoryOver extends Error {
  override name = 'HistoryOver'
}

export class EndlessLoop extends Error {
  override name = 'EndlessLoop'
  constructor() {
    super('the code under test goes on for ever at one time')
  }
}

const isLater = (one: Gate, other: Gate) =>
  one.atMs > other.atMs || (one.atMs === other.atMs && one.order > other.order)

/** The code under test awaits nothing but gates, so after this turn all of it waits for one again. */
const rest = () => new Promise<void>((resolve) => setImmediate(resolve))
