import type { Lane } from './lane.ts'

/** Lanes by the instant they wake at: of those that wake together the one that sent least. */
export class LaneQueue {
  readonly #heap: Lane[] = []

  push(lane: Lane) {
    const heap = this.#heap
    let at = heap.push(lane) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!isBefore(lane, heap[above] as Lane)) break
      heap[at] = heap[above] as Lane
      at = above
    }
    heap[at] = lane
  }

  pop(): Lane | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last || first === last) return first
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Lane, heap[below] as Lane)) below++
      if (!isBefore(heap[below] as Lane, last)) break
      heap[at] = heap[below] as Lane
      at = below
    }
    heap[at] = last
    return first
  }
}

function isBefore(a: Lane, b: Lane): boolean {
  if (a.wakeMs !== b.wakeMs) return a.wakeMs < b.wakeMs
  const [sentByA, sentByB] = [sentThen(a), sentThen(b)]
  return sentByA !== sentByB ? sentByA < sentByB : a.rank < b.rank
}

/** On the day it wakes on. */
const sentThen = ({ wakeMs, dayEndMs, sent }: Lane) => (wakeMs < dayEndMs ? sent : 0)
