interface Waiting<Request, Answer> {
  request: Request
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

export interface MergedReadsOptions<Request, Answer> {
  /** Statements under way at once, each of another workspace. */
  underWayMax: number
  /** Requests in one statement. */
  most: number
  /** Answers in the order of the requests. */
  read: (workspaceId: string, requests: Request[]) => Promise<Answer[]>
}

/**
 * Reads of many lanes in few statements. One statement is under way for a workspace, and what is
 * asked for meanwhile forms its next: the busier the runner, the more share one. Nothing is answered
 * by a statement that began before it was asked for.
 */
export class MergedReads<Request, Answer> {
  readonly #options: MergedReadsOptions<Request, Answer>
  /** By workspace, in turn. */
  readonly #waiting = new Map<string, Waiting<Request, Answer>[]>()
  readonly #underWay = new Set<string>()

  constructor(options: MergedReadsOptions<Request, Answer>) {
    this.#options = options
  }

  ask(workspaceId: string, request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(workspaceId)
      if (waiting) waiting.push({ request, resolve, reject })
      else this.#waiting.set(workspaceId, [{ request, resolve, reject }])
      // After the lanes that are woken together have asked, too.
      queueMicrotask(() => this.#pump())
    })
  }

  #pump() {
    for (const [workspaceId, waiting] of this.#waiting) {
      if (this.#underWay.size >= this.#options.underWayMax) return
      if (this.#underWay.has(workspaceId)) continue
      this.#waiting.delete(workspaceId)
      const batch = waiting.splice(0, this.#options.most)
      if (waiting.length > 0) this.#waiting.set(workspaceId, waiting)
      void this.#read(workspaceId, batch)
    }
  }

  async #read(workspaceId: string, batch: Waiting<Request, Answer>[]) {
    this.#underWay.add(workspaceId)
    try {
      const requests = batch.map(({ request }) => request)
      const answers = await this.#options.read(workspaceId, requests)
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    this.#underWay.delete(workspaceId)
    this.#pump()
  }
}
