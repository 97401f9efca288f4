import { FairQueue } from './fair-queue.ts'

/**
 * Limits how many works run at a time, and how many of one workspace. The others wait, the workspaces
 * in turn: works that hang, because their server does, hold no more than the share of their workspace.
 */
export class FairSemaphore {
  #free: number
  readonly #workspaceMax: number
  readonly #takenBy = new Map<string, number>()
  readonly #waiting = new FairQueue<() => void>()

  /** @param workspaceMax of them that one workspace may have */
  constructor(max: number, workspaceMax = max) {
    this.#free = max
    this.#workspaceMax = workspaceMax
  }

  async run<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
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
