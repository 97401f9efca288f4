import { FairQueue } from '../../kernel/runner/fair-queue.ts'
import type { SlotPool } from '../../kernel/runner/slots.ts'
import type { DueDelivery } from './delivery.ts'
import type { Lane } from './lane.ts'
import { poolOf } from './lane-state.ts'

/** Bodies of deliveries that were read and are not answered yet, of all lanes. */
const bodyBytesMax = 16 * 1024 * 1024
/** Lanes of a pool that are read however much is kept, so that its slots are used. */
const readyMin = 64

export const pools = ['proven', 'trial', 'failing'] as const
/** Lanes that have nothing left to send wait to be read by their pools, the others to read ahead. */
type ReadQueue = SlotPool | 'ahead'
const readQueueOf = ({ state }: Lane): ReadQueue => (state.queued > 0 ? 'ahead' : poolOf(state))

/**
 * Which lane is read next and which sends next: in turn by workspace, then by lane. What was read and
 * is not answered is counted here, as too much of it keeps lanes from being read.
 */
export class LaneQueues {
  readonly #ready: Record<SlotPool, FairQueue<Lane>> = {
    proven: new FairQueue(),
    trial: new FairQueue(),
    failing: new FairQueue(),
  }
  readonly #toRead: Record<ReadQueue, FairQueue<Lane>> = {
    proven: new FairQueue(),
    trial: new FairQueue(),
    failing: new FairQueue(),
    ahead: new FairQueue(),
  }
  /** Whose turn to read is next comes first. */
  #readTurns: ReadQueue[] = [...pools, 'ahead']
  #bodyBytes = 0

  /** As much was read as is kept. */
  get isFull(): boolean {
    return this.#bodyBytes >= bodyBytesMax
  }

  add(lane: Lane, { sends, reads }: { sends: boolean; reads: boolean }) {
    if (sends) this.#ready[poolOf(lane.state)].add(lane.workspaceId, lane)
    if (reads) this.#toRead[readQueueOf(lane)].add(lane.workspaceId, lane)
  }

  delete(lane: Lane) {
    for (const queues of [this.#ready, this.#toRead]) {
      for (const queue of Object.values(queues)) queue.delete(lane.workspaceId, lane)
    }
  }

  takeReady(pool: SlotPool): Lane | undefined {
    return this.#ready[pool].take()
  }

  /** The queues take turns, so that one that never ends keeps no other from being read. */
  takeToRead(): Lane | undefined {
    for (const name of this.#readTurns) {
      const lane = this.#mayRead(name) ? this.#toRead[name].take() : undefined
      if (!lane) continue
      this.#readTurns = [...this.#readTurns.filter((other) => other !== name), name]
      return lane
    }
  }

  /** Counts rows that were read. */
  keep(rows: DueDelivery[]) {
    for (const row of rows) this.#bodyBytes += row.event.body.length
  }

  /** Rows that were answered, or forgotten. */
  letGo(rows: DueDelivery[]) {
    for (const row of rows) this.#bodyBytes -= row.event.body.length
  }

  /**
   * Whatever is kept for receivers that hang, a lane that has nothing left gets a row: else those that
   * hang together would hold up all others. Only while few of its pool are ready, so that what waits for
   * slots stays bounded, too.
   */
  #mayRead(name: ReadQueue): boolean {
    return !this.isFull || (name !== 'ahead' && this.#ready[name].size < readyMin)
  }
}
