const firstPauseMs = 100
const pauseMaxMs = 2_000

/**
 * How long to wait before connecting again. Growing, so that a database that comes back is not met
 * by a crowd; jittered, so that processes which lost it together do not return together.
 *
 * @param failures attempts that failed in a row, from 1
 * @returns milliseconds
 */
export function pauseAfter(failures: number, random: () => number = Math.random): number {
  const longestMs = Math.min(pauseMaxMs, firstPauseMs * 2 ** (failures - 1))
  return (longestMs / 2) * (1 + random())
}

/**
 * Lets connections be made freely while that succeeds. After a failure one is tried at a time, with
 * pauses between; everybody else gets the last failure at once instead of an attempt of their own.
 */
export class ReconnectGate {
  readonly #monotonicMs: () => number
  #failures = 0
  #lastError: unknown
  #nextAttemptMs = 0
  #isRetrying = false

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs
  }

  /** @throws what `connect` throws, or what it threw last */
  async pass<T>(connect: () => Promise<T>): Promise<T> {
    const failuresBefore = this.#failures
    if (failuresBefore > 0) {
      if (this.#isRetrying || this.#monotonicMs() < this.#nextAttemptMs) throw this.#lastError
      this.#isRetrying = true
    }
    try {
      const connection = await connect()
      this.#failures = 0
      return connection
    } catch (error) {
      // Attempts that began together and fail together are one failure.
      if (this.#failures === failuresBefore) this.#note(error)
      throw error
    } finally {
      if (failuresBefore > 0) this.#isRetrying = false
    }
  }

  #note(error: unknown) {
    this.#failures += 1
    this.#lastError = error
    this.#nextAttemptMs = this.#monotonicMs() + pauseAfter(this.#failures)
  }
}
