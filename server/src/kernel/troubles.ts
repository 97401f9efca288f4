import { explainUnavailable, isStorageFull, isUnreachable } from './db/failure.ts'
import type { Log } from './log.ts'

/**
 * No room in the database's storage; secrets that cannot be opened; no room in DATA_DIR; commits wait for
 * a standby.
 */
type Trouble = 'storage' | 'secrets' | 'disk' | 'standby'

/** Loops and batches try again more often, so that a full storage is met again within this time. */
const storageMs = 15_000

/** A run may find that it has nothing to ask yet: of what is away it says nothing, however often it succeeds. */
export const overMs = 30_000

/** Whoever looks at the end of the log finds a long outage there, too. */
const outageAgainMs = 600_000

/** Why a process is not ready although it answers, by what found it; for a person. */
export class Troubles {
  readonly #log: Log
  readonly #monotonicMs: () => number
  readonly #sentences = new Map<Trouble, string>()
  #storageMetMs = Number.NEGATIVE_INFINITY
  #outage: { beganMs: number; toldMs: number; metMs: number } | undefined

  constructor({ log, monotonicMs }: { log: Log; monotonicMs: () => number }) {
    this.#log = log
    this.#monotonicMs = monotonicMs
  }

  /** @param sentence undefined: there is none, or no more */
  note(trouble: Trouble, sentence: string | undefined) {
    const told = this.#sentences.get(trouble)
    if (sentence === undefined) {
      if (this.#sentences.delete(trouble)) this.#log.info({ trouble }, 'this trouble is over')
      return
    }
    if (told !== sentence) this.#log.error({ trouble }, sentence)
    this.#sentences.set(trouble, sentence)
  }

  /** Of whatever was to be written: a storage is full for as long as somebody meets that. */
  noteFailure(error: unknown) {
    if (!isStorageFull(error)) return
    this.endStorage()
    this.#storageMetMs = this.#monotonicMs()
    this.note('storage', explainUnavailable(error)?.message)
  }

  /** Notes that the storage is full no more, once nobody has met that for a while. */
  endStorage() {
    if (!this.#isStorageMet) this.note('storage', undefined)
  }

  /**
   * Every loop of the process meets an outage of the database, which is told once, and then every ten minutes.
   *
   * @param described for the log
   * @returns whether `error` is of one
   */
  noteOutage(error: unknown, described: object): boolean {
    if (!isUnreachable(error)) return false
    const metMs = this.#monotonicMs()
    const { beganMs, toldMs } = this.#outage ?? { beganMs: metMs, toldMs: Number.NEGATIVE_INFINITY }
    const isToBeTold = metMs >= toldMs + outageAgainMs
    if (isToBeTold) {
      const seconds = secondsOf(metMs - beganMs)
      const message = 'the database is away, and runs are tried again until it is back'
      this.#log.error({ ...described, seconds }, message)
    }
    this.#outage = { beganMs, toldMs: isToBeTold ? metMs : toldMs, metMs }
    return true
  }

  /** Tells that the database is back, once no run has failed for a while. */
  endOutage() {
    if (!this.#outage || this.#monotonicMs() < this.#outage.metMs + overMs) return
    const { beganMs, metMs } = this.#outage
    this.#outage = undefined
    this.#log.info({ seconds: secondsOf(metMs - beganMs) }, 'the database is back')
  }

  get sentences(): string[] {
    const current = [...this.#sentences].filter(
      ([trouble]) => trouble !== 'storage' || this.#isStorageMet,
    )
    return current.map(([, sentence]) => sentence)
  }

  get #isStorageMet(): boolean {
    return this.#monotonicMs() < this.#storageMetMs + storageMs
  }
}

const secondsOf = (ms: number) => Math.round(ms / 1000)
