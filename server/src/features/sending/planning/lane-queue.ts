import type { PlannedLane } from './planned-lane.ts'

/** Lanes by the instant they wake at: of those that wake together the one that sent least. */
export class LaneQueue {
  readonly #heap: PlannedLane[] = []

  push(lane: PlannedLane) {
    const heap = this.#heap
    let at = heap.push(lane) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!isBefore(lane, heap[above] as PlannedLane)) break
      heap[at] = heap[above] as PlannedLane
      at = above
    }
    heap[at] = lane
  }

  pop(): PlannedLane | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last || first === last) return first
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      if (
        below + 1 < heap.length &&
        isBefore(heap[below + 1] as PlannedLane, heap[below] as PlannedLane)
      )
        below++
      if (!isBefore(heap[below] as PlannedLane, last)) break
      heap[at] = heap[below] as PlannedLane
      at = below
    }
    heap[at] = last
    return first
  }
}

function isBefore(a: PlannedLane, b: PlannedLane): boolean {
  if (a.wakeMs !== b.wakeMs) return a.wakeMs < b.wakeMs
  const [sentByA, sentByB] = [sentThen(a), sentThen(b)]
  return sentByA !== sentByB ? sentByA < sentByB : a.rank < b.rank
}

/** On the day it wakes on. */
const sentThen = ({ wakeMs, dayEndMs, sent }: PlannedLane) => (wakeMs < dayEndMs ? sent : 0)
