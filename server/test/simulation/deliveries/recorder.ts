import type { PostRequest } from '../../../src/kernel/outbound/index.ts'
import type { Connection, Task } from '../engine/connection.ts'
import { LeaseWatch } from '../engine/lease-watch.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { Executed, Observer, World } from '../engine/world.ts'

/** A destination as it was committed. */
export interface Destination {
  workspaceId: string
  active: boolean
  eventType: string
  campaign: string | null
  url: string
}

/** Every destination from this point on. */
export interface State {
  order: number
  atMs: number
  destinations: Map<string, Destination>
}

export interface Request {
  atMs: number
  process: SimulatedProcess
  /** `/<workspace>/<number>`, which receivers go by. */
  destination: string
  webhookId: string
  eventId: string
  test: boolean
  /** While the process was there to record it. */
  answered: boolean
}

/** Events that one transaction emitted, or was about to. */
export interface Emission extends Task {
  action: number
  count: number
  /** True: it was committed, false: it was not. Undefined: whoever did it never learned. */
  stored: boolean | undefined
}

/** How long a runner may trust what it read of a destination (docs/reliability.md). */
const graceMs = 1_000
const inFlightMax = 16

/**
 * What really happened, seen from outside: the database after each commit, and every request. What
 * must never happen, not even for a moment, is noticed here.
 */
export class Recorder implements Observer {
  readonly states: State[] = []
  readonly requests: Request[] = []
  readonly emissions = new Map<number, Emission>()
  /** Destinations for which a replay was asked for. */
  readonly replayed = new Set<string>()
  /** Which process wrote an attempt, by the attempt's id. */
  readonly recorders = new Map<string, SimulatedProcess>()
  readonly #world: World
  readonly #leases: LeaseWatch
  readonly #changing = new WeakSet<Connection>()
  readonly #webhookIds = new Map<string, string>()
  readonly #inFlight = new Map<string, number>()
  #order = 0

  constructor(world: World) {
    this.#world = world
    this.#leases = new LeaseWatch(world, 'deliveries')
  }

  async executed(statement: Executed) {
    const { process, connection, text, values, result } = statement
    const { task, backend } = connection
    this.#order += 1
    if (task && text === 'begin') task.beganAt = this.#order
    if (task && text === 'commit' && result.command === 'COMMIT') task.committedAt = this.#order
    await this.#leases.executed(statement)
    if (/(insert into|update|delete from) "?(webhooks|workspaces)\b/.test(text)) {
      this.#changing.add(connection)
    }
    if (!backend.inTransaction && this.#changing.delete(connection)) await this.readDestinations()
    if (/insert into webhook_events/.test(text)) {
      for (const id of values[1] as string[]) this.recorders.set(id, process)
    }
  }

  /** What was committed from now on is forgotten; requests that were made are not. */
  remember() {
    const order = this.#order
    return async () => {
      for (const emission of this.emissions.values()) {
        if ((emission.committedAt ?? 0) <= order) continue
        delete emission.committedAt
      }
      for (const request of this.requests) request.answered = false
      this.#leases.distrust()
      await this.readDestinations()
    }
  }

  /** Whether who made a request then knew what the database knows now. */
  isTrusted(epochMs: number): boolean {
    return this.#leases.isTrusted(epochMs - this.#world.environment.conditions.startMs)
  }

  logged(process: SimulatedProcess, { error, code }: Record<string, unknown>) {
    if (error === undefined || isTransient(String(error), code)) return
    this.#world.violate(`${process.label} met a ${error} ${code ?? ''}`)
  }

  async readDestinations() {
    const { rows } = await this.#world.admin.query<{ id: string } & Destination>(
      `select w.id, w.workspace_id as "workspaceId", w.status = 'active' and p.plan_webhooks as active,
         w.event_type as "eventType", w.campaign, w.target_hook_url as url
       from webhooks w join workspaces p on p.id = w.workspace_id order by w.id`,
    )
    const destinations = new Map(rows.map(({ id, ...destination }) => [id, destination]))
    for (const { id, url } of rows) this.#webhookIds.set(new URL(url).pathname, id)
    this.states.push({ order: this.#order, atMs: this.#world.scheduler.nowMs, destinations })
  }

  sent(process: SimulatedProcess, { url, body }: PostRequest): Request {
    const destination = new URL(url).pathname
    const payload = JSON.parse(String(body)) as { id: string; workspace_id: string; test?: true }
    const webhookId = this.#webhookIds.get(destination) ?? 'unknown'
    const request: Request = {
      ...{ atMs: this.#world.scheduler.nowMs, process, destination, webhookId },
      ...{ eventId: payload.id, test: payload.test === true, answered: false },
    }
    this.requests.push(request)
    this.#world.failovers?.notable()
    this.#count(request, 1)
    if (!request.test) this.#check(request, payload.workspace_id)
    return request
  }

  answered(request: Request) {
    const isThere = this.#world.scheduler.nowMs <= request.process.drainsUntilMs
    // What a standby lacks cannot be recorded in it.
    request.answered = isThere && this.#leases.isTrusted(request.atMs)
    this.#count(request, -1)
  }

  #check(request: Request, workspaceId: string) {
    const { process, webhookId, destination, atMs } = request
    const what = `${process.label} → ${destination} at ${Math.round(atMs)} ms`
    const known = this.#recentStates(atMs).flatMap((state) => {
      const found = state.destinations.get(webhookId)
      return found ? [found] : []
    })
    if (!known.some((one) => one.active)) {
      this.#world.violate(`${what}: sent after disable or delete`)
    }
    if (known.some((one) => one.workspaceId !== workspaceId)) {
      this.#world.violate(`${what}: an event of another workspace`)
    }
    if (!this.#leases.isHeldBy(process, webhookId)) {
      this.#world.violate(`${what}: sent without the lease`)
    }
  }

  /** The state of now, and those that were true within the grace. */
  #recentStates(atMs: number): State[] {
    const ended = this.states.findLastIndex((state) => state.atMs < atMs - graceMs)
    return this.states.slice(Math.max(0, ended))
  }

  #count({ process, destination, test }: Request, change: 1 | -1) {
    if (test) return
    const key = `${process.label} ${destination}`
    const count = (this.#inFlight.get(key) ?? 0) + change
    this.#inFlight.set(key, count)
    if (count > inFlightMax) this.#world.violate(`${key}: ${count} requests at once`)
  }
}

/** A lost connection, or a deadlock: whoever meets one tries again. */
export const isTransient = (error: string, code: unknown) =>
  error === 'ConnectionLost' || code === '40P01'
