import type { Backend, Backends, Result } from './backends.ts'
import {
  begins,
  ConnectionLost,
  deadlockDetected,
  ends,
  type Outcome,
  type Statement,
} from './statement.ts'

/** A statement that the server has, and its answer once it is there. */
interface Running {
  statement: Statement
  done: Promise<void>
  outcome: Outcome | undefined
}

interface Parked {
  statement: Statement
  /** Undefined: it was taken back from the server, and will be sent again. */
  running: Running | undefined
  blockers: Backend[]
}

/** The database's clock, as the code under test asks for it: it gets the simulated time instead. */
const clock = 'outrider_now()'

/** How long a statement may be silent before the server is asked whether it waits for a lock. */
const askAfterMs = 5

/**
 * The one real database. One statement runs at a time, until it was answered or has to wait for a
 * lock; then it is parked, and goes on when whoever holds the lock gives it back.
 *
 * Which of the two it is does not depend on time. All other sessions are at rest, so a lock that one
 * of them holds stays held until the simulation moves it, and one that nobody here holds is free in
 * a moment: the server is asked until there is an answer, or a holder among the sessions.
 *
 * Two things the server would decide by chance are decided here. Of those that wait, one really
 * waits; the others are taken back and sent again later, since several that wait for one row start
 * all at once. And waiting in a circle is ended as soon as it begins.
 */
export class DatabaseServer {
  statements = 0
  parkings = 0
  deadlocks = 0
  readonly #backends: Backends
  readonly #time: () => Date
  readonly #inTransaction = new Set<Backend>()
  readonly #parked: Parked[] = []
  /** May have given locks back since the parked were last looked at. */
  readonly #moved: Backend[] = []
  #resuming = false

  constructor(backends: Backends, time: () => Date) {
    this.#backends = backends
    this.#time = time
  }

  /** Resolves when the statement was executed, or is parked. */
  async execute(statement: Statement) {
    this.statements += 1
    const parked = await this.#try(statement)
    if (parked) {
      this.parkings += 1
      this.#parked.push(parked)
    }
    await this.#resume()
  }

  isParked(backend: Backend): boolean {
    return this.#parked.some(({ statement }) => statement.backend === backend)
  }

  /** Ends a connection and whatever runs on it. */
  async terminate(backend: Backend) {
    const at = this.#parked.findIndex(({ statement }) => statement.backend === backend)
    if (at >= 0) this.#parked.splice(at, 1)
    this.#inTransaction.delete(backend)
    await this.#backends.terminate(backend)
    this.#moved.push(backend)
    await this.#resume()
  }

  /** The same, and whoever waits for a lock hears that the connection broke. */
  async lose(backend: Backend) {
    const parked = this.#parked.find(({ statement }) => statement.backend === backend)
    await this.terminate(backend)
    await parked?.statement.executed({ error: new ConnectionLost() })
  }

  /** Executes it, unless it has to wait for a lock: then it comes back to be parked. */
  async #try(statement: Statement): Promise<Parked | undefined> {
    const { backend } = statement
    const isCrowded = this.#parked.some(({ running }) => running)
    const canUndo = isCrowded && backend.inTransaction && !ends(statement)
    if (canUndo) await quietly(backend, 'savepoint simulation')
    const running = this.#start(statement)
    const blockers = await this.#comeToRest(running)
    const isCircle = this.#isCircle(backend, blockers)
    if (isCircle) await this.#endCircle(running)
    if (blockers.length === 0 || isCircle) {
      if (canUndo) await this.#forgetSavepoint(running)
      await this.#finish(running)
      return
    }
    if (!isCrowded) return { statement, running, blockers }
    await this.#cancel(running)
    if (canUndo) await quietly(backend, 'rollback to savepoint simulation')
    return { statement, running: undefined, blockers }
  }

  /** As if it had never been: without it, an error ends the whole transaction and frees its locks. */
  async #forgetSavepoint({ statement: { backend }, outcome }: Running) {
    const failed = ['rollback', 'begin', 'select 1 / 0']
    const texts = outcome?.error ? failed : ['release savepoint simulation']
    for (const text of texts) await quietly(backend, text)
  }

  #start(statement: Statement): Running {
    const running: Running = { statement, done: Promise.resolve(), outcome: undefined }
    running.done = this.#run(statement).then(
      (result) => {
        running.outcome = { result }
      },
      (error: Error) => {
        running.outcome = { error }
      },
    )
    return running
  }

  async #run(statement: Statement): Promise<Result> {
    const { backend, text, values } = statement
    if (backend.broken) throw new ConnectionLost()
    if (begins(statement)) return backend.begin(text)
    if (!text.includes(clock)) return backend.run(text, values)
    const timed = text.replaceAll(clock, `$${values.length + 1}::timestamptz`)
    return backend.run(timed, [...values, this.#time()])
  }

  /** @returns who must move first; nobody when the statement is over */
  async #comeToRest(running: Running): Promise<Backend[]> {
    const { backend } = running.statement
    const others = this.#inTransaction.size - (this.#inTransaction.has(backend) ? 1 : 0)
    if (others === 0 && this.#parked.length === 0) await running.done
    for (let waitMs = askAfterMs; !running.outcome; waitMs *= 1.5) {
      await Promise.race([running.done, pause(waitMs)])
      if (running.outcome) break
      const blockers = await this.#backends.listBlockers(backend)
      if (blockers.length > 0) return blockers
    }
    return []
  }

  async #finish({ statement, outcome }: Running, waited = false) {
    if (!outcome) throw new Error('a statement at rest has an outcome')
    const { backend } = statement
    if (outcome.result && begins(statement)) this.#enter(backend)
    if (outcome.result && ends(statement)) this.#leave(backend)
    // Locks are given back at the end of a transaction and by an error within it; a place in the
    // queue for a row, when the wait is over.
    if (waited || outcome.error || !backend.inTransaction) this.#moved.push(backend)
    await statement.executed(outcome)
  }

  #enter(backend: Backend) {
    backend.inTransaction = true
    this.#inTransaction.add(backend)
  }

  #leave(backend: Backend) {
    backend.inTransaction = false
    this.#inTransaction.delete(backend)
  }

  /** Until no parked statement can move. */
  async #resume() {
    if (this.#resuming) return
    this.#resuming = true
    for (let moved = this.#moved.shift(); moved; moved = this.#moved.shift()) {
      for (const parked of [...this.#parked]) {
        if (parked.blockers.includes(moved) && this.#parked.includes(parked)) {
          await this.#goOn(parked)
        }
      }
    }
    this.#resuming = false
  }

  async #goOn(parked: Parked) {
    const { statement, running } = parked
    if (!running) {
      const at = this.#parked.indexOf(parked)
      this.#parked.splice(at, 1)
      const again = await this.#try(statement)
      if (again) this.#parked.splice(at, 0, again)
      return
    }
    parked.blockers = await this.#comeToRest(running)
    const isOver = parked.blockers.length === 0
    if (!isOver && !this.#isCircle(statement.backend, parked.blockers)) return
    this.#parked.splice(this.#parked.indexOf(parked), 1)
    if (!isOver) await this.#endCircle(running)
    await this.#finish(running, true)
  }

  #isCircle(backend: Backend, blockers: Backend[]): boolean {
    const seen = new Set(blockers)
    for (const blocker of seen) {
      const parked = this.#parked.find(({ statement }) => statement.backend === blocker)
      for (const next of parked?.blockers ?? []) seen.add(next)
    }
    return seen.has(backend)
  }

  async #endCircle(running: Running) {
    this.deadlocks += 1
    await this.#cancel(running)
    running.outcome = { error: deadlockDetected() }
  }

  async #cancel({ statement, done }: Running) {
    await this.#backends.cancel(statement.backend)
    await done
  }
}

/** Beside the statements of the code under test; in an aborted transaction it has nothing to do. */
const quietly = (backend: Backend, text: string) => backend.run(text).catch(() => undefined)

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
