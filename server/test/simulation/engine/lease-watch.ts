import { bucketOf } from '../../../src/kernel/runner/leases.ts'
import type { SimulatedProcess } from './process.ts'
import type { Executed, World } from './world.ts'

interface Lease {
  runnerId: string
  untilMs: number
}

/** The longest that no database answers in a failover. */
const trustMs = 8_000

/** Who holds which buckets of a kind, by the database. */
export class LeaseWatch {
  readonly #world: World
  readonly #kind: string
  #leases = new Map<number, Lease>()
  #distrustedUntilMs = Number.NEGATIVE_INFINITY

  constructor(world: World, kind: string) {
    this.#world = world
    this.#kind = kind
  }

  /** A standby took over that may know of other holders: each is one for as long as it believes so. */
  distrust() {
    const { scheduler, environment } = this.#world
    this.#distrustedUntilMs = scheduler.nowMs + trustMs + environment.conditions.leaseMs
  }

  /** Whether what a process knew of its rows and buckets then is what the database knows. */
  isTrusted(atMs: number): boolean {
    return atMs > this.#distrustedUntilMs
  }

  async executed({ process, text, values }: Executed) {
    if (/insert into runners/.test(text) && values[1] === this.#kind) {
      process.runnerId = String(values[0])
    }
    if (/update bucket_leases/.test(text)) await this.#read()
  }

  /** Whether the process may do something for the lane now. */
  isHeldBy(process: SimulatedProcess, laneId: string): boolean {
    if (!this.isTrusted(this.#world.scheduler.nowMs)) return true
    const lease = this.#leases.get(bucketOf(laneId))
    if (!lease || lease.untilMs <= this.#world.scheduler.nowMs) return false
    return lease.runnerId === process.runnerId
  }

  async #read() {
    const { admin, environment } = this.#world
    const { rows } = await admin.query<{ runner_id: string; until: Date; buckets: number[] }>({
      name: 'read_leases',
      text: `select runner_id, leased_until as until, array_agg(bucket) as buckets
         from bucket_leases where kind = $1 and runner_id is not null
         group by runner_id, leased_until`,
      values: [this.#kind],
    })
    const { startMs } = environment.conditions
    this.#leases = new Map(
      rows.flatMap(({ runner_id: runnerId, until, buckets }) =>
        buckets.map((bucket): [number, Lease] => [
          bucket,
          { runnerId, untilMs: until.getTime() - startMs },
        ]),
      ),
    )
  }
}
