import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { FairSemaphore } from './runner/fair-semaphore.ts'

/**
 * A thread for what would keep the process from answering, one piece after the other, the workspaces in
 * turn. It is started with the first of them; what takes too long, or too much memory, ends it, and the next starts another.
 */
export class WorkerThread<Asked, Answer> {
  readonly #script: URL
  readonly #memoryMb: number
  readonly #turns = new FairSemaphore(1)
  #worker: Worker | undefined

  /** @param script posts one answer for each message */
  constructor(script: URL, { memoryMb }: { memoryMb: number }) {
    this.#script = script
    this.#memoryMb = memoryMb
  }

  /**
   * How many wait at once is limited by who asks.
   *
   * @param timeMs real time, also where the clock is a simulation's: it bounds what a processor does
   */
  ask(workspaceId: string, asked: Asked, timeMs: number): Promise<Answer> {
    return this.#turns.run(workspaceId, () => this.#run(asked, timeMs))
  }

  async #run(asked: Asked, timeMs: number): Promise<Answer> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    // The process stays for an answer, and not for a thread that waits to be asked.
    worker.ref()
    try {
      worker.postMessage(asked)
      const [answer] = await once(worker, 'message', { signal: AbortSignal.timeout(timeMs) })
      return answer as Answer
    } catch (error) {
      this.#worker = undefined
      await worker.terminate()
      throw error
    } finally {
      worker.unref()
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#script, {
      // A thread may not have the flags of a process.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#memoryMb },
    })
    // One that dies while nobody waits for an answer fails nobody; unheard, the event would end the process.
    worker.on('error', () => undefined)
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    return worker
  }
}
