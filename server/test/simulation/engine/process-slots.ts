import type { Random } from '../../random.ts'
import type { Role } from './conditions.ts'
import { type ProcessSetting, SimulatedProcess } from './process.ts'
import { ConnectionLost } from './statement.ts'
import type { World } from './world.ts'

/** Of a process that can be asked to end. */
interface Stoppable {
  stop: (withinMs?: number) => Promise<void>
}

/** A place for one process after the other. */
export interface ProcessSlot {
  role: Role
  name: string
  /**
   * What a process does in its life. A runner's resolves once it runs, to what stops it; an API's
   * resolves when nobody uses it any more.
   */
  start: (process: SimulatedProcess) => Promise<Stoppable | undefined>
}

interface Occupied extends ProcessSlot {
  lives: number
  process: SimulatedProcess | undefined
  running: Stoppable | undefined
}

/** PostgreSQL ends a transaction that nobody continues (kernel/db/db.ts). */
const idleTransactionMs = 60_000
/** Of a statement in a transaction, once a mishap is due. */
const mishapChance = 0.15

/** The processes: when they start, and what becomes of them. */
export class ProcessSlots {
  readonly #world: World
  readonly #contextOf: (process: SimulatedProcess) => ProcessSetting
  readonly #random: Random
  readonly #slots: Occupied[]
  asleepUntilMs = 0

  constructor(
    world: World,
    slots: ProcessSlot[],
    contextOf: (process: SimulatedProcess) => ProcessSetting,
  ) {
    this.#world = world
    this.#contextOf = contextOf
    this.#random = world.random.fork('fleet')
    this.#slots = slots.map((slot) => ({
      ...slot,
      ...{ lives: 0, process: undefined, running: undefined },
    }))
  }

  /** Everybody, not quite at once. */
  launch() {
    for (const slot of this.#slots)
      this.#at(this.#random.between(0, 1_000), () => this.#start(slot))
  }

  /**
   * What will happen to them within so long: a part at any time, which is mostly an idle one, and a
   * part in the middle of a transaction.
   */
  disturb(withinMs: number) {
    const { crashes, stalls, restarts, sleepMs } = this.#world.environment.conditions
    const times = (count: number, act: () => unknown) => {
      for (let done = 0; done < count; done++) this.#at(this.#random.between(0, withinMs), act)
    }
    const anyone = () => this.#random.pick(this.#slots).process
    const runners = this.#slots.filter(({ role }) => role === 'runner')
    times(crashes >> 1, () => this.#crash(anyone()))
    times(stalls >> 1, () => this.#stall(anyone()))
    times(restarts, () => this.#restart(this.#random.pick(runners)))
    if (sleepMs > 0) times(1, () => this.sleep(sleepMs))

    const armed: ((process: SimulatedProcess) => unknown)[] = []
    times(crashes - (crashes >> 1), () => armed.push((process) => this.#crash(process)))
    times(stalls - (stalls >> 1), () => armed.push((process) => this.#stall(process)))
    this.#world.afterStatement = (process) => {
      if (armed.length === 0 || !this.#random.chance(mishapChance)) return
      const mishap = armed.pop()
      this.#at(0, () => mishap?.(process))
    }
    this.#at(withinMs, () => {
      this.#world.afterStatement = undefined
    })
  }

  /** The whole machine sleeps: no process goes on, and all clocks do. */
  sleep(ms: number) {
    this.#world.note(`the machine sleeps for ${ms / 1000} s`)
    this.asleepUntilMs = this.#world.scheduler.nowMs + ms
    for (const { process } of this.#slots) if (process?.alive) this.#freeze(process, ms)
  }

  /** Somebody's request is being answered. */
  get isUsed(): boolean {
    return this.#slots.some(
      ({ role, process }) => role === 'api' && process?.alive && process.pool.connections.size > 0,
    )
  }

  /** Any of those that live. */
  async crashRunner() {
    const alive = this.#slots.filter(({ role, process }) => role === 'runner' && process?.alive)
    if (alive.length > 0) await this.#crash(this.#random.pick(alive).process)
  }

  /** Whoever is dead is started. */
  revive() {
    for (const slot of this.#slots) if (!slot.process?.alive) this.#start(slot)
  }

  /** A clean stop of the runners, at the same time. */
  async stop(withinMs: number): Promise<boolean> {
    const { scheduler } = this.#world
    let count = 0
    for (const { running } of this.#slots) {
      if (!running) continue
      count += 1
      void running.stop().then(() => {
        count -= 1
      })
    }
    await scheduler.runUntil(scheduler.nowMs + withinMs, () => count === 0)
    return count === 0
  }

  async end() {
    for (const { process } of this.#slots) if (process?.alive) await this.#kill(process)
  }

  #start(slot: Occupied) {
    slot.lives += 1
    const label = `${slot.name}.${slot.lives}`
    const process = new SimulatedProcess(this.#world, slot.role, label, this.#contextOf)
    process.stalledUntilMs = this.asleepUntilMs
    slot.process = process
    slot.running = undefined
    this.#world.processes.add(process)
    this.#world.note(`${label} starts`)
    slot.start(process).then(
      (running) => {
        if (slot.process === process) slot.running = running
      },
      (error: Error) => {
        // Without its database a process does not start: whoever watches it tries again.
        if (error instanceof ConnectionLost) this.#at(0, () => this.#crash(process))
        else this.#world.violate(`${label} met ${error.stack}`)
      },
    )
  }

  async #crash(process: SimulatedProcess | undefined) {
    const slot = this.#slots.find((one) => one.process === process)
    if (!slot || !process?.alive) return
    await this.#kill(process)
    this.#at(this.#random.between(100, 8_000), () => {
      if (!slot.process?.alive) this.#start(slot)
    })
  }

  async #kill(process: SimulatedProcess) {
    this.#world.note(`${process.label} dies`)
    process.alive = false
    if (process.role === 'runner') this.#world.runnerEndedMs = this.#world.scheduler.nowMs
    this.#world.processes.delete(process)
    await process.pool.cut(() => this.#random.chance(0.5))
  }

  #stall(process: SimulatedProcess | undefined) {
    if (!process?.alive) return
    const ms = this.#random.between(0.2, 2) * this.#world.environment.conditions.leaseMs
    this.#world.note(`${process.label} stalls for ${Math.round(ms)} ms`)
    this.#freeze(process, ms)
  }

  #freeze(process: SimulatedProcess, ms: number) {
    const { scheduler, server } = this.#world
    process.stalledUntilMs = Math.max(process.stalledUntilMs, scheduler.nowMs + ms)
    if (ms <= idleTransactionMs) return
    scheduler.after(idleTransactionMs, null, async () => {
      for (const { backend } of process.pool.connections) {
        if (backend.inTransaction && !server.isParked(backend)) await server.terminate(backend)
      }
    })
  }

  #restart(slot: Occupied) {
    const { process, running } = slot
    if (!process?.alive || !running) return
    this.#world.note(`${process.label} is stopped`)
    slot.running = undefined
    const startAgain = () =>
      this.#at(this.#random.between(100, 3_000), async () => {
        if (slot.process !== process || !process.alive) return
        await this.#kill(process)
        this.#start(slot)
      })
    // Without its connection it cannot give its leases back: they expire.
    const picked = this.#random.pick([500, 7_000])
    // In calm conditions a stop has the time that the slowest answer takes, and then statements that lag.
    const withinMs = this.#world.environment.conditions.calm ? 30_000 : picked
    process.drainsUntilMs = this.#world.scheduler.nowMs + withinMs
    void running.stop(withinMs).then(startAgain, startAgain)
  }

  #at(afterMs: number, act: () => unknown) {
    this.#world.scheduler.after(afterMs, null, async () => {
      await act()
    })
  }
}
