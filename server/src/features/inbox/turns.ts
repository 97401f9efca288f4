import { FairQueue } from '../../kernel/runner/fair-queue.ts'

/**
 * So many at a time do what costs memory; the others wait for their turn, the workspaces one after
 * another. Servers that hang while they are read hold no more than the turns of their own workspace.
 */
export class Turns {
  #free: number
  readonly #workspaceMax: number
  readonly #takenBy = new Map<string, number>()
  readonly #waiting = new FairQueue<() => void>()

  /** @param workspaceMax of them that one workspace may have */
  constructor(max: number, workspaceMax = max) {
    this.#free = max
    this.#workspaceMax = workspaceMax
  }

  async take<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#waiting.add(workspaceId, () => {
        this.#count(workspaceId, 1)
        resolve()
      })
      this.#start()
    })
    try {
      return await work()
    } finally {
      this.#count(workspaceId, -1)
      this.#start()
    }
  }

  #start() {
    while (this.#free > 0) {
      const next = this.#waiting.take((id) => (this.#takenBy.get(id) ?? 0) < this.#workspaceMax)
      if (!next) return
      next()
    }
  }

  #count(workspaceId: string, by: 1 | -1) {
    this.#free -= by
    const taken = (this.#takenBy.get(workspaceId) ?? 0) + by
    if (taken > 0) this.#takenBy.set(workspaceId, taken)
    else this.#takenBy.delete(workspaceId)
  }
}
