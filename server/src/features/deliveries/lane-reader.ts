import type { Context } from '../../kernel/context.ts'
import { type Destination, openDestination } from '../webhooks/index.ts'
import { closeBacklog, closeDeleted, closeExpired, closeSuspect, pendingMax } from './close.ts'
import type { DueDelivery } from './delivery.ts'
import { type Lane, start } from './lane.ts'
import type { LaneHealth } from './lane-queries.ts'
import { poolOf, sendsOneByOne } from './lane-state.ts'
import { createWorkspaceReads } from './workspace-reads.ts'

const restMs = 5_000

export interface FoundRows {
  rows: DueDelivery[]
  /** There may be due rows beyond them. */
  hasMore: boolean
}

const nothing: FoundRows = { rows: [], hasMore: false }

/**
 * What a lane has to know before it sends: how it stands, where it leads, what is due, all of one
 * read. Deliveries that will never be sent are closed on the way.
 */
export class LaneReader {
  readonly #ctx: Context
  readonly #slot: number
  readonly #forgetRows: (lane: Lane) => void
  readonly #read: ReturnType<typeof createWorkspaceReads>

  /** @param forgetRows forgets what was read of a lane */
  constructor(ctx: Context, slot: number, forgetRows: (lane: Lane) => void) {
    this.#ctx = ctx
    this.#slot = slot
    this.#forgetRows = forgetRows
    this.#read = createWorkspaceReads(ctx)
  }

  /**
   * What fell due and is neither sent nor being sent: nothing when the destination is gone, disabled,
   * or not in the plan. What has expired meanwhile is closed.
   */
  async readDue(lane: Lane): Promise<FoundRows> {
    const { now, monotonicMs } = this.#ctx
    const askedMs = monotonicMs()
    const { sends } = lane.state
    if (lane.isTimeTo('start', askedMs)) lane.setPosition(start)
    const { fresh, position, hasMore, destination, health } = await this.#read.due(lane)
    if (!lane.state.healthLoaded) lane.apply({ kind: 'health loaded', health })
    // Of the same moment as the rows: none is sent by a destination that is older than itself.
    if (!(await this.#adopt(lane, destination, askedMs, sends))) return nothing
    lane.setPosition(position)
    if (await this.#closeSuspect(lane)) return this.#fromStart(lane)
    if (await this.#closeBacklog(lane)) return this.#fromStart(lane)
    const nowMs = now().getTime()
    const rows = fresh.filter((row) => row.expires_ms > nowMs)
    if (rows.length === fresh.length) return { rows, hasMore }
    await closeExpired(this.#ctx, lane, 'expired', this.#slot)
    return { rows, hasMore: true }
  }

  /** How the lane stands in the database; undefined: nothing ever failed. */
  readHealth = (lane: Lane): Promise<LaneHealth | undefined> => this.#read.health(lane)

  /** Reads where a lane in full flow leads, ahead of its next rows. */
  async refreshDestination(lane: Lane) {
    const askedMs = this.#ctx.monotonicMs()
    const { sends } = lane.state
    await this.#adopt(lane, await this.#read.destination(lane), askedMs, sends)
  }

  /** @returns false when nothing is to be sent: the destination is gone, disabled, or not in the plan */
  async #adopt(lane: Lane, row: Destination | undefined, askedMs: number, sends: number) {
    // Of two reads under way the one that began first may be answered last.
    if (row && row.version < lane.state.version) return lane.destination !== undefined
    if (row?.status === 'active' && row.plan_webhooks) {
      if (!this.#isOpen(lane, row)) lane.setDestination(openDestination(this.#ctx, row))
      lane.apply({ kind: 'destination read', version: row.version, askedMs, sends })
      return true
    }
    const url = lane.destination?.url ?? row?.target_hook_url
    lane.setDestination(undefined)
    this.#forgetRows(lane)
    lane.apply({ kind: 'destination closed', version: row?.version ?? lane.state.version })
    if (row) await this.#rest(lane, url)
    else if (await closeDeleted(this.#ctx, lane, url, this.#slot)) this.#wake(lane)
    return false
  }

  /** Every read of rows brings the destination along: to open its secrets again each time is dear. */
  #isOpen({ destination, state }: Lane, row: Destination): boolean {
    if (!destination || row.version !== state.version) return false
    return destination.until === null || destination.until > this.#ctx.now()
  }

  /** Disabled: the rows stay until they expire, or a person resumes the destination. */
  async #rest(lane: Lane, url: string | undefined) {
    const nowMs = this.#ctx.monotonicMs()
    lane.apply({ kind: 'rests', untilMs: nowMs + restMs })
    if (lane.isTimeTo('expiry', nowMs)) {
      await closeExpired(this.#ctx, lane, 'destination_disabled', this.#slot, url)
    }
    await this.#closeBacklog(lane)
  }

  #wake(lane: Lane) {
    lane.apply({ kind: 'woken', nowMs: this.#ctx.monotonicMs() })
  }

  /** What was closed may be among what was read. */
  #fromStart(lane: Lane): FoundRows {
    lane.setPosition(start)
    return { rows: [], hasMore: true }
  }

  async #closeSuspect(lane: Lane): Promise<boolean> {
    const { inFlightAtCrash } = lane.state
    if (!sendsOneByOne(lane.state) || !inFlightAtCrash) return false
    await closeSuspect(this.#ctx, lane, inFlightAtCrash, this.#slot)
    lane.apply({ kind: 'suspect closed' })
    return true
  }

  /** Only a lane that does not deliver piles up: one that is just met has not failed yet. */
  async #closeBacklog(lane: Lane): Promise<boolean> {
    const { destination, state } = lane
    if (destination && (poolOf(state) === 'proven' || !state.hasHealthRow)) return false
    if (!lane.isTimeTo('backlog', this.#ctx.monotonicMs())) return false
    const excess = (await this.#read.pending(lane)) - pendingMax
    if (excess > 0) await closeBacklog(this.#ctx, lane, excess, this.#slot)
    return excess > 0
  }
}
