import type { Backend, Backends } from './backends.ts'

export interface Result {
  rows: Record<string, unknown>[]
  rowCount: number | null
  command: string
}

/** A statement on its way through the database. */
export interface Statement {
  backend: Backend
  text: string
  values: readonly unknown[]
  /** Called once, when it was executed or failed, with nothing else running. */
  executed: (outcome: Outcome) => Promise<void>
  failed?: boolean
}

export type Outcome = { result: Result; error?: never } | { result?: never; error: Error }

export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
  constructor() {
    super('the connection was lost')
  }
}

interface Running {
  statement: Statement
  done: Promise<void>
  outcome: Outcome | undefined
}

interface Parked {
  statement: Statement
  /** Undefined: it was taken back from the server, and will be sent again. */
  waiting: Running | undefined
  /** Of one that was taken back. */
  blockers: Backend[]
}

/** How long a statement may be silent before the server is asked whether it waits for a lock. */
const askAfterMs = 3

/**
 * The one real database. One statement runs at a time; one that has to wait for a lock is parked,
 * and goes on when whoever holds the lock has ended.
 *
 * Two things the server would decide by chance are decided here. Of those that wait, one really
 * waits; the others are taken back and sent again later, since several that wait for one row start
 * all at once. And waiting in a circle is ended as soon as it begins.
 */
export class DatabaseServer {
  parkings = 0
  deadlocks = 0
  readonly #backends: Backends
  readonly #time: () => Date
  readonly #open = new Set<Backend>()
  readonly #parked: Parked[] = []

  constructor(backends: Backends, time: () => Date) {
    this.#backends = backends
    this.#time = time
  }

  /** Resolves when the statement was executed, or is parked. */
  async execute(statement: Statement) {
    const parked = await this.#try(statement)
    if (parked) {
      this.parkings += 1
      this.#parked.push(parked)
      return
    }
    if (mayFreeLocks(statement)) await this.#resume()
  }

  isParked(backend: Backend): boolean {
    return this.#parked.some(({ statement }) => statement.backend === backend)
  }

  /** Ends a connection and whatever runs on it. */
  async terminate(backend: Backend) {
    const at = this.#parked.findIndex(({ statement }) => statement.backend === backend)
    if (at >= 0) this.#parked.splice(at, 1)
    this.#open.delete(backend)
    await this.#backends.terminate(backend)
    await this.#resume()
  }

  /** Executes it, unless it has to wait for a lock: then it comes back to be parked. */
  async #try(statement: Statement): Promise<Parked | undefined> {
    const { backend } = statement
    const isCrowded = this.#parked.some(({ waiting }) => waiting)
    const canTakeBack = isCrowded && backend.inTransaction && !isControl(statement)
    if (canTakeBack) await quietly(backend, 'savepoint simulation')
    const running = this.#start(statement)
    if (await this.#comesToRest(running, askAfterMs)) {
      if (canTakeBack) await quietly(backend, 'release savepoint simulation')
      await this.#finish(running)
      return
    }
    const blockers = await this.#backends.listBlockers(backend)
    if (await this.#waitsForItself(backend)) {
      this.deadlocks += 1
      await this.#cancel(running)
      running.outcome = { error: deadlockDetected() }
      await this.#finish(running)
      return
    }
    if (!isCrowded) return { statement, waiting: running, blockers: [] }
    await this.#cancel(running)
    if (running.outcome?.result) {
      await this.#finish(running)
      return
    }
    if (canTakeBack) await quietly(backend, 'rollback to savepoint simulation')
    return { statement, waiting: undefined, blockers }
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

  async #cancel({ statement, done }: Running) {
    await this.#backends.cancel(statement.backend)
    await done
  }

  async #run({ backend, text, values }: Statement): Promise<Result> {
    if (backend.broken) throw new ConnectionLost()
    if (text.includes('outrider_now')) await this.#setClock(backend)
    return (await backend.client.query(text, [...values])) as Result
  }

  /** Read by the simulated `outrider_now()`. In an aborted transaction the statement fails anyway. */
  async #setClock({ client }: Backend) {
    const setting = client.query(`select set_config('outrider.now', $1, false)`, [
      this.#time().toISOString(),
    ])
    await setting.catch(() => undefined)
  }

  /** False when it waits for a lock that another statement or transaction holds. */
  async #comesToRest(running: Running, silenceMs: number): Promise<boolean> {
    const { backend } = running.statement
    const mayWait = this.#parked.length > 0 || this.#open.size > (this.#open.has(backend) ? 1 : 0)
    if (!mayWait) await running.done
    for (let waitMs = silenceMs; !running.outcome; waitMs = askAfterMs) {
      await Promise.race([running.done, pause(waitMs)])
      if (running.outcome) return true
      const blockers = await this.#backends.listBlockers(backend)
      if (blockers.length > 0 && !running.outcome) return false
    }
    return true
  }

  async #finish({ statement, outcome }: Running) {
    if (!outcome) throw new Error('a statement at rest has an outcome')
    const { backend, text } = statement
    statement.failed = outcome.error !== undefined
    if (outcome.result && /^\s*(begin|start transaction)\b/i.test(text)) this.#enter(backend)
    if (outcome.result && /^\s*(commit|rollback)\b/i.test(text)) this.#leave(backend)
    await statement.executed(outcome)
  }

  #enter(backend: Backend) {
    backend.inTransaction = true
    this.#open.add(backend)
  }

  #leave(backend: Backend) {
    backend.inTransaction = false
    this.#open.delete(backend)
  }

  /** Until no parked statement moves any more. */
  async #resume() {
    for (let moved = true; moved; ) {
      moved = false
      for (const parked of [...this.#parked]) {
        const at = this.#parked.indexOf(parked)
        if (at < 0 || !(await this.#leaves(parked, at))) continue
        moved = true
      }
    }
  }

  async #leaves({ statement, waiting }: Parked, at: number): Promise<boolean> {
    if (waiting) {
      if (!(await this.#comesToRest(waiting, 0))) return false
      this.#parked.splice(at, 1)
      await this.#finish(waiting)
      return true
    }
    const [before] = this.#parked.splice(at, 1)
    const again = await this.#try(statement)
    if (!again) return true
    if (before) this.#parked.splice(at, 0, again)
    return false
  }

  async #waitsForItself(backend: Backend): Promise<boolean> {
    const seen = new Set<Backend>()
    const toAsk = [backend]
    for (let next = toAsk.pop(); next; next = toAsk.pop()) {
      for (const blocker of await this.#listBlockers(next)) {
        if (blocker === backend) return true
        if (seen.has(blocker)) continue
        seen.add(blocker)
        toAsk.push(blocker)
      }
    }
    return false
  }

  async #listBlockers(backend: Backend): Promise<Backend[]> {
    const parked = this.#parked.find(({ statement }) => statement.backend === backend)
    if (parked && !parked.waiting) return parked.blockers
    return this.#backends.listBlockers(backend)
  }
}

const isControl = ({ text }: Statement) => /^\s*(begin|start|commit|rollback)\b/i.test(text)

/** Locks are given back at the end of a transaction, and by an error within one. */
const mayFreeLocks = ({ backend, text, failed }: Statement) =>
  failed === true || (!backend.inTransaction && !/^\s*(\/\*.*?\*\/\s*)?select\b/.test(text))

/** Beside the statements of the code under test; in an aborted transaction it has nothing to do. */
const quietly = (backend: Backend, text: string) =>
  backend.client.query(text).catch(() => undefined)

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    if (ms === 0) setImmediate(resolve)
    else setTimeout(resolve, ms)
  })

/** What the server itself answers then. */
const deadlockDetected = () => Object.assign(new Error('deadlock detected'), { code: '40P01' })
