import { type Context, inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { openDestination } from '../webhooks/index.ts'
import { pendingMax } from './backlog.ts'
import { type Closer, closeBacklog, closeDeleted, closeExpired, closeSuspect } from './close.ts'
import type { DueDelivery } from './delivery.ts'
import { beforeAllRows, type Lane } from './lane.ts'
import type { LaneHealth } from './lane-queries.ts'
import { poolOf, sendsOneByOne } from './lane-state.ts'
import { createWorkspaceReads, type ReadDestination } from './workspace-reads.ts'

const restMs = 5_000

export interface FoundRows {
  rows: DueDelivery[]
  /** There may be due rows beyond them. */
  hasMore: boolean
}

/** When a read of the destination began, and which one it is. */
interface Asked {
  ms: number
  read: number
}

interface LaneReaderOptions {
  /** Forgets what was read of a lane. */
  forgetRows: (lane: Lane) => void
  /** Whether as much was read as is kept. */
  isFull: () => boolean
}

const nothing: FoundRows = { rows: [], hasMore: false }

/**
 * Reads what a lane needs before it sends: its health, its destination and its due deliveries, all in
 * one statement. Closes the deliveries that will never be sent.
 */
export class LaneReader {
  readonly #ctx: ProcessContext
  readonly #closer: Closer
  readonly #forgetRows: (lane: Lane) => void
  readonly #read: ReturnType<typeof createWorkspaceReads>

  constructor(ctx: ProcessContext, closer: Closer, { forgetRows, isFull }: LaneReaderOptions) {
    this.#ctx = ctx
    this.#closer = closer
    this.#forgetRows = forgetRows
    this.#read = createWorkspaceReads(ctx, isFull)
  }

  /**
   * Reads the due deliveries that are not in memory: none when the destination is deleted, disabled, or
   * not in the plan. Closes those that have expired.
   */
  async readDue(lane: Lane): Promise<FoundRows> {
    const { now, monotonicMs } = this.#ctx
    const asked = { ms: monotonicMs(), read: lane.beginRead() }
    const { sends, version } = lane.state
    if (lane.isTimeTo('start', asked.ms)) lane.setPosition(beforeAllRows)
    const { fresh, orphans, position, hasMore, destination, health } = await this.#read.due(lane)
    lane.apply({ kind: lane.state.healthLoaded ? 'health seen' : 'health loaded', health })
    // Read with the rows: no delivery is sent by a destination that was changed before it was made.
    if (!(await this.#adopt(lane, destination, asked, sends))) return nothing
    // What was read of the older version is forgotten, and comes with the next read.
    if (version > 0 && lane.state.version !== version) return this.#fromStart(lane)
    lane.setPosition(position, fresh.length)
    if (await this.#closeSuspect(lane)) return this.#fromStart(lane)
    if (this.#mayHoldMany(lane, hasMore) && lane.isTimeTo('backlog', monotonicMs())) {
      if (await this.closeBacklog(lane)) return this.#fromStart(lane)
    }
    const nowMs = now().getTime()
    const rows = fresh.filter((row) => row.expires_ms > nowMs)
    const isExpired = rows.length < fresh.length || orphans.some((row) => row.expires_ms <= nowMs)
    if (!isExpired) return { rows, hasMore }
    await closeExpired(this.#ctxOf(lane), lane, 'expired', this.#closer)
    return { rows, hasMore: true }
  }

  /** The stored health of the lane; undefined: it never failed. */
  readHealth = (lane: Lane): Promise<LaneHealth | undefined> => this.#read.health(lane)

  /** Reads the destination of a lane that sends, without further rows. */
  async refreshDestination(lane: Lane) {
    const asked = { ms: this.#ctx.monotonicMs(), read: lane.beginRead() }
    const { sends } = lane.state
    await this.#adopt(lane, await this.#read.destination(lane), asked, sends)
  }

  /**
   * Closes what a lane holds beyond the limit; of very many a part, and then it is time to go on.
   *
   * @returns whether any ended
   */
  async closeBacklog(lane: Lane): Promise<boolean> {
    const excess = (await this.#read.pending(lane)) - pendingMax
    if (excess <= 0) return false
    const ended = await closeBacklog(this.#ctxOf(lane), lane, excess, this.#closer)
    if (ended > 0 && ended < excess) lane.makeDue('backlog')
    return ended > 0
  }

  /** @returns false when nothing is to be sent: the destination is gone, disabled, or not in the plan */
  async #adopt(lane: Lane, row: ReadDestination | undefined, asked: Asked, sends: number) {
    // Two reads may overlap, and the older one be answered last. Else a lower version is that of a
    // standby which took over without the last changes.
    const isOlder = row !== undefined && row.version < lane.state.version
    if (isOlder && !lane.isNewer(asked.read)) return lane.destination !== undefined
    lane.noteAdoption()
    const askedMs = asked.ms
    if (row && 'isUnchanged' in row) {
      // A later read has seen that it is closed.
      if (!lane.destination) return false
      lane.apply({ kind: 'destination read', version: row.version, askedMs, sends })
      return true
    }
    if (row?.may_receive) {
      // Events that were read before may be about a person who was erased since.
      if (lane.state.queued > 0 && lane.state.version !== row.version) this.#forgetRows(lane)
      // Decrypting its secrets for each read is expensive.
      if (lane.versionAt(this.#ctx.now()) !== row.version) {
        lane.setDestination(openDestination(this.#ctx, row))
      }
      lane.apply({ kind: 'destination read', version: row.version, askedMs, sends })
      return true
    }
    const url = lane.destination?.url ?? row?.target_hook_url
    lane.setDestination(undefined)
    this.#forgetRows(lane)
    lane.apply({ kind: 'destination closed', version: row?.version ?? lane.state.version })
    if (row) await this.#rest(lane, url)
    else if (await closeDeleted(this.#ctxOf(lane), lane, url, this.#closer)) this.#wake(lane)
    return false
  }

  /** Disabled: the rows stay until they expire, or a person resumes the destination. */
  async #rest(lane: Lane, url: string | undefined) {
    const nowMs = this.#ctx.monotonicMs()
    lane.apply({ kind: 'rests', untilMs: nowMs + restMs })
    if (lane.isTimeTo('expiry', nowMs)) {
      await closeExpired(this.#ctxOf(lane), lane, 'destination_disabled', this.#closer, url)
    }
    if (lane.isTimeTo('backlog', nowMs)) await this.closeBacklog(lane)
  }

  #ctxOf = (lane: Lane): Context => inWorkspace(this.#ctx, lane.workspaceId)

  #wake(lane: Lane) {
    lane.apply({ kind: 'woken', nowMs: this.#ctx.monotonicMs() })
  }

  /** Rows that were closed may be among those that were read. */
  #fromStart(lane: Lane): FoundRows {
    lane.setPosition(beforeAllRows)
    return { rows: [], hasMore: true }
  }

  async #closeSuspect(lane: Lane): Promise<boolean> {
    const { inFlightAtCrash } = lane.state
    if (!sendsOneByOne(lane.state) || !inFlightAtCrash) return false
    await closeSuspect(this.#ctxOf(lane), lane, inFlightAtCrash, this.#closer)
    lane.apply({ kind: 'suspect closed' })
    return true
  }

  /** A lane gathers deliveries when some fail, or when it gets more than it can send. */
  #mayHoldMany({ state }: Lane, hasMore: boolean): boolean {
    return state.hasHealthRow || (hasMore && poolOf(state) === 'proven')
  }
}
