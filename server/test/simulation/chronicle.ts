import type pg from 'pg'
import type { PostRequest } from '../../src/kernel/outbound/index.ts'
import { bucketOf } from '../../src/kernel/runner/leases.ts'
import type { Result } from './database-server.ts'
import type { Connection, Task } from './pool.ts'
import type { SimulatedProcess } from './process.ts'
import type { World } from './world.ts'

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
  answered: boolean
}

/** Events that one transaction emitted, or was about to. */
export interface Emission extends Task {
  action: number
  count: number
  /** True: it was committed, false: it was not. Undefined: whoever did it never learned. */
  stored: boolean | undefined
}

interface Lease {
  runnerId: string
  untilMs: number
}

/** How long a runner may trust what it read of a destination (docs/reliability.md). */
const graceMs = 1_000
const inFlightMax = 16

/**
 * What really happened, seen from outside: the database after each commit, and every request. What
 * must never happen, not even for a moment, is noticed here.
 */
export class Chronicle {
  readonly states: State[] = []
  readonly requests: Request[] = []
  readonly emissions = new Map<number, Emission>()
  /** Destinations for which a replay was asked for. */
  readonly replayed = new Set<string>()
  /** Which process wrote an attempt, by the attempt's id. */
  readonly recorders = new Map<string, SimulatedProcess>()
  readonly violations: string[] = []
  readonly #world: () => World
  readonly #admin: pg.Client
  readonly #changing = new WeakSet<Connection>()
  readonly #webhookIds = new Map<string, string>()
  readonly #inFlight = new Map<string, number>()
  #leases = new Map<number, Lease>()
  #order = 0

  constructor(world: () => World, admin: pg.Client) {
    this.#world = world
    this.#admin = admin
  }

  violate(what: string) {
    if (this.violations.length < 20) this.violations.push(what)
  }

  /** After each statement that was executed, before anyone hears of it. */
  async executed(
    process: SimulatedProcess,
    connection: Connection,
    text: string,
    values: readonly unknown[],
    result: Result,
  ) {
    this.#order += 1
    const { task, backend } = connection
    if (task && text === 'begin') task.beganAt = this.#order
    if (task && text === 'commit' && result.command === 'COMMIT') task.committedAt = this.#order
    if (/insert into runners/.test(text)) process.runnerId = String(values[0])
    if (/update bucket_leases/.test(text)) await this.#readLeases()
    if (/(insert into|update|delete from) "?(webhooks|workspaces)\b/.test(text)) {
      this.#changing.add(connection)
    }
    if (!backend.inTransaction && this.#changing.delete(connection)) await this.readDestinations()
    if (/insert into webhook_events/.test(text)) {
      for (const id of values[1] as string[]) this.recorders.set(id, process)
    }
    if (text.includes('pg_notify')) this.#hint()
  }

  async readDestinations() {
    const { rows } = await this.#admin.query<{ id: string } & Destination>(
      `select w.id, w.workspace_id as "workspaceId", w.status = 'active' and p.plan_webhooks as active,
         w.event_type as "eventType", w.campaign, w.target_hook_url as url
       from webhooks w join workspaces p on p.id = w.workspace_id`,
    )
    const destinations = new Map(rows.map(({ id, ...destination }) => [id, destination]))
    for (const { id, url } of rows) this.#webhookIds.set(new URL(url).pathname, id)
    this.states.push({ order: this.#order, atMs: this.#world().scheduler.nowMs, destinations })
  }

  sent(process: SimulatedProcess, { url, body }: PostRequest): Request {
    const destination = new URL(url).pathname
    const payload = JSON.parse(String(body)) as { id: string; workspace_id: string; test?: true }
    const { scheduler } = this.#world()
    const webhookId = this.#webhookIds.get(destination) ?? 'unknown'
    const request: Request = {
      ...{ atMs: scheduler.nowMs, process, destination, webhookId },
      ...{ eventId: payload.id, test: payload.test === true, answered: false },
    }
    this.requests.push(request)
    this.#count(request, 1)
    if (!request.test) this.#judge(request, payload.workspace_id)
    return request
  }

  answered(request: Request) {
    request.answered = true
    this.#count(request, -1)
  }

  logged(process: SimulatedProcess, { error, code }: Record<string, unknown>) {
    const isExpected = code !== undefined || error === 'ConnectionLost' || error === undefined
    if (!isExpected) this.violate(`${process.label} met a ${error}`)
  }

  #judge(request: Request, workspaceId: string) {
    const { process, webhookId, destination, atMs } = request
    const what = `${process.label} → ${destination} at ${Math.round(atMs)} ms`
    const known = this.#recentStates(atMs).flatMap((state) => {
      const found = state.destinations.get(webhookId)
      return found ? [found] : []
    })
    if (!known.some((one) => one.active)) this.violate(`${what}: sent after disable or delete`)
    if (known.some((one) => one.workspaceId !== workspaceId)) {
      this.violate(`${what}: an event of another workspace`)
    }
    const lease = this.#leases.get(bucketOf(webhookId))
    if (lease?.runnerId !== process.runnerId || lease === undefined || lease.untilMs <= atMs) {
      this.violate(`${what}: sent without the lease`)
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
    if (count > inFlightMax) this.violate(`${key}: ${count} requests at once`)
  }

  async #readLeases() {
    const { rows } = await this.#admin.query<{ runner_id: string; until: Date; buckets: number[] }>(
      `select runner_id, leased_until as until, array_agg(bucket) as buckets
       from bucket_leases where runner_id is not null group by runner_id, leased_until`,
    )
    const { startMs } = this.#world().weather.forecast
    this.#leases = new Map(
      rows.flatMap(({ runner_id: runnerId, until, buckets }) =>
        buckets.map((bucket): [number, Lease] => [
          bucket,
          { runnerId, untilMs: until.getTime() - startMs },
        ]),
      ),
    )
  }

  /** NOTIFY, as far as it gets. */
  #hint() {
    const { scheduler, weather, processes } = this.#world()
    for (const process of processes) {
      const hintMs = weather.hintMs()
      if (hintMs === undefined || !process.onHint) continue
      scheduler.after(hintMs, process, () => process.onHint?.())
    }
  }
}
