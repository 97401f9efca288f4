import { type DeliveryRunner, startDeliveryRunner } from '../../src/features/deliveries/index.ts'
import { SimulatedProcess } from './process.ts'
import type { Random } from './random.ts'
import type { Role } from './weather.ts'
import type { Workload } from './workload.ts'
import type { World } from './world.ts'

/** A place for one process after the other. */
interface Seat {
  role: Role
  name: string
  lives: number
  process: SimulatedProcess | undefined
  runner: DeliveryRunner | undefined
}

/** PostgreSQL ends a transaction that nobody continues (kernel/db/db.ts). */
const idleTransactionMs = 60_000
const usersPerApi = 3
/** Of a statement in a transaction, once a mishap is due. */
const temptation = 0.15

/** The processes: when they start, and what becomes of them. */
export class Fleet {
  readonly #world: World
  readonly #workload: Workload
  readonly #random: Random
  readonly #seats: Seat[]
  asleepUntilMs = 0

  constructor(world: World, workload: Workload) {
    this.#world = world
    this.#workload = workload
    this.#random = world.random.fork('fleet')
    const seat = (role: Role, name: string): Seat => ({
      ...{ role, name, lives: 0 },
      ...{ process: undefined, runner: undefined },
    })
    this.#seats = [seat('runner', 'R1'), seat('runner', 'R2'), seat('api', 'A1'), seat('api', 'A2')]
  }

  /** Everybody, not quite at once. */
  launch() {
    for (const seat of this.#seats)
      this.#at(this.#random.between(0, 1_000), () => this.#start(seat))
  }

  /**
   * What will happen to them within so long: a part at any time, which is mostly an idle one, and a
   * part in the middle of a transaction.
   */
  disturb(withinMs: number) {
    const { crashes, stalls, restarts, sleepMs } = this.#world.weather.forecast
    const times = (count: number, act: () => unknown) => {
      for (let done = 0; done < count; done++) this.#at(this.#random.between(0, withinMs), act)
    }
    const anyone = () => this.#random.pick(this.#seats).process
    times(crashes >> 1, () => this.#crash(anyone()))
    times(stalls >> 1, () => this.#stall(anyone()))
    times(restarts, () => this.#restart(this.#random.pick(this.#seats.slice(0, 2))))
    if (sleepMs > 0) times(1, () => this.sleep(sleepMs))

    const armed: ((process: SimulatedProcess) => unknown)[] = []
    times(crashes - (crashes >> 1), () => armed.push((process) => this.#crash(process)))
    times(stalls - (stalls >> 1), () => armed.push((process) => this.#stall(process)))
    this.#world.tempt = (process) => {
      if (armed.length === 0 || !this.#random.chance(temptation)) return
      const mishap = armed.pop()
      this.#at(0, () => mishap?.(process))
    }
    this.#at(withinMs, () => {
      this.#world.tempt = undefined
    })
  }

  /** The whole machine sleeps: no process goes on, and all clocks do. */
  sleep(ms: number) {
    this.#note(`the machine sleeps for ${ms / 1000} s`)
    this.asleepUntilMs = this.#world.scheduler.nowMs + ms
    for (const { process } of this.#seats) if (process?.alive) this.#freeze(process, ms)
  }

  /** Somebody's request is being answered. */
  get isUsed(): boolean {
    return this.#seats.some(
      ({ role, process }) => role === 'api' && process?.alive && process.pool.connections.size > 0,
    )
  }

  /** Whoever is dead is started. */
  revive() {
    for (const seat of this.#seats) if (!seat.process?.alive) this.#start(seat)
  }

  /** A clean stop of the runners, at the same time. */
  async stop() {
    const { scheduler } = this.#world
    let running = 0
    for (const { runner } of this.#seats) {
      if (!runner) continue
      running += 1
      void runner.stop().then(() => {
        running -= 1
      })
    }
    await scheduler.runUntil(scheduler.nowMs + 30_000, () => running === 0)
    return running === 0
  }

  async end() {
    for (const { process } of this.#seats) if (process?.alive) await this.#kill(process)
  }

  #start(seat: Seat) {
    seat.lives += 1
    const process = new SimulatedProcess(this.#world, seat.role, `${seat.name}.${seat.lives}`)
    process.stalledUntilMs = this.asleepUntilMs
    seat.process = process
    seat.runner = undefined
    this.#world.processes.add(process)
    this.#note(`${process.label} starts`)
    this.#watch(seat.role === 'api' ? this.#serve(process) : this.#deliver(seat, process))
  }

  async #serve(process: SimulatedProcess) {
    if (process.label === 'A1.1') await this.#workload.begin(process)
    const users = Array.from({ length: usersPerApi }, () => this.#workload.use(process))
    await Promise.all(users)
  }

  async #deliver(seat: Seat, process: SimulatedProcess) {
    const listen = async (onHint: () => void) => {
      process.onHint = onHint
      return async () => undefined
    }
    seat.runner = await startDeliveryRunner(process.ctx, { listen })
  }

  async #crash(process: SimulatedProcess | undefined) {
    const seat = this.#seats.find((one) => one.process === process)
    if (!seat || !process?.alive) return
    await this.#kill(process)
    this.#at(this.#random.between(100, 8_000), () => {
      if (!seat.process?.alive) this.#start(seat)
    })
  }

  async #kill(process: SimulatedProcess) {
    this.#note(`${process.label} dies`)
    process.alive = false
    this.#world.processes.delete(process)
    await process.pool.cut(() => this.#random.chance(0.5))
  }

  #stall(process: SimulatedProcess | undefined) {
    if (!process?.alive) return
    const ms = this.#random.between(0.2, 2) * this.#world.weather.forecast.leaseMs
    this.#note(`${process.label} stalls for ${Math.round(ms)} ms`)
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

  #restart(seat: Seat) {
    const { process, runner } = seat
    if (!process?.alive || !runner) return
    this.#note(`${process.label} is stopped`)
    seat.runner = undefined
    const startAgain = () =>
      this.#at(this.#random.between(100, 3_000), async () => {
        if (seat.process !== process || !process.alive) return
        await this.#kill(process)
        this.#start(seat)
      })
    // Without its connection it cannot give its leases back: they expire.
    void runner.stop(this.#random.pick([500, 7_000])).then(startAgain, startAgain)
  }

  #at(afterMs: number, act: () => unknown) {
    this.#world.scheduler.after(afterMs, null, async () => {
      await act()
    })
  }

  #watch(work: Promise<unknown>) {
    work.catch((error: Error) => this.#world.chronicle.violate(`a process met ${error.stack}`))
  }

  #note(what: string) {
    this.#world.trace.add(this.#world.scheduler.nowMs, '', what)
  }
}
