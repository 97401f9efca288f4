import type { Pool } from '../../../src/kernel/db/db.ts'
import type { Backend } from './backends.ts'
import { Connection, type Task } from './connection.ts'
import type { SimulatedProcess } from './process.ts'
import { ConnectionLost } from './statement.ts'
import type { World } from './world.ts'

const connectionsMax = 6

/**
 * A process's pool. Each handle shares its connections and names what they work for. One that nobody
 * uses is a number: whoever takes it gets any that is at rest, as they are all the same.
 */
export class SimulatedPool {
  readonly connections = new Set<Connection>()
  readonly #world: World
  readonly #process: SimulatedProcess
  #idle = 0
  readonly #waiting: PromiseWithResolvers<Backend>[] = []
  #count = 0

  constructor(world: World, process: SimulatedProcess) {
    this.#world = world
    this.#process = process
  }

  handle(task?: Task): Pool {
    const connect = async () => {
      const connection = new Connection(this.#world, this.#process, await this.#take(), task)
      this.connections.add(connection)
      return Object.assign(connection, {
        release: (broken?: boolean) => this.#release(connection, broken === true),
      })
    }
    const query = async (text: string, values: unknown[]) => {
      const connection = await connect()
      try {
        return await connection.query(text, values)
      } finally {
        connection.release(connection.backend.broken)
      }
    }
    const pool = { connect, query, end: async () => undefined }
    return { ...pool, totalCount: 0, idleCount: 0, waitingCount: 0 } as unknown as Pool
  }

  /** A connection that is not counted, for faults that work beside a transaction. */
  async aside<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const backend = await this.#opened()
    const connection = new Connection(this.#world, this.#process, backend)
    this.connections.add(connection)
    const result = await work(connection)
    this.connections.delete(connection)
    this.#world.backends.keep(backend)
    this.#idle += 1
    this.#count += 1
    return result
  }

  /** Ends every connection, as the death of the process does. */
  async cut(reachesServer: () => boolean) {
    for (const connection of this.connections) await connection.cut(reachesServer())
    for (const { backend } of this.connections) await this.#world.server.terminate(backend)
    this.connections.clear()
    this.#world.backends.forget(this.#idle)
    this.#idle = 0
  }

  /** The server died: every connection breaks. */
  async lose(reachesServer: () => boolean) {
    for (const connection of [...this.connections]) await connection.lose(reachesServer())
    this.#world.backends.forget(this.#idle)
    this.#count -= this.#idle
    this.#idle = 0
  }

  async #take(): Promise<Backend> {
    if (this.#idle > 0) {
      this.#idle -= 1
      return this.#world.backends.take()
    }
    if (this.#count < connectionsMax) {
      this.#count += 1
      return this.#opened(() => this.#closed())
    }
    const waiting = Promise.withResolvers<Backend>()
    this.#waiting.push(waiting)
    return waiting.promise
  }

  /** @throws ConnectionLost when no server answers */
  #opened(refused: () => void = () => undefined): Promise<Backend> {
    const { scheduler, environment, backends } = this.#world
    return new Promise((resolve, reject) => {
      scheduler.after(environment.latencyMs(), this.#process, async () => {
        if (!this.#world.isDown) return resolve(await backends.open())
        refused()
        reject(new ConnectionLost())
      })
    })
  }

  /** There is one less: whoever waits for one may open another. */
  #closed() {
    this.#count -= 1
    const next = this.#waiting.shift()
    if (next) void this.#take().then(next.resolve, next.reject)
  }

  #release(connection: Connection, broken: boolean) {
    this.connections.delete(connection)
    const { backend } = connection
    if (broken || backend.broken) {
      this.#world.scheduler.after(0, null, () => this.#world.server.terminate(backend))
      this.#closed()
      return
    }
    const next = this.#waiting.shift()
    if (next) return next.resolve(backend)
    this.#world.backends.keep(backend)
    this.#idle += 1
  }
}
