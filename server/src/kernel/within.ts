interface Sleeper {
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** What the promise resolves with; undefined when `ms` milliseconds passed first, after which nobody waits for it. */
export async function within<T>(
  { sleep }: Sleeper,
  ms: number,
  promise: Promise<T>,
): Promise<T | undefined> {
  const calledOff = new AbortController()
  const late = sleep(ms, calledOff.signal).then(() => undefined)
  return Promise.race([promise, late]).finally(() => calledOff.abort())
}
