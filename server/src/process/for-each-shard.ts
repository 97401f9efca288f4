import type { OpenShard, ProcessContext } from '../kernel/context.ts'
import { describeError } from '../kernel/log.ts'
import { withTimeout } from './shutdown.ts'

/** Between two attempts to start something on a shard. */
const pauseMs = 2_000

type Opened = Omit<OpenShard, 'name'>

/**
 * Starts something for each database, now or as soon as it is opened. Where it fails on another than
 * the first, as when that one is down, it is tried again and harms nobody else.
 *
 * @param name for the log
 * @throws when it fails on the first
 */
export async function forEachShard(
  opened: Opened,
  name: string,
  start: (shard: Opened) => Promise<AsyncDisposable>,
): Promise<AsyncDisposable> {
  const { shards } = opened.ctx
  const stopping = new AbortController()
  const started = [await start(opened)]
  const attempts: Promise<void>[] = []
  const endWaiting = shards?.onOpened((shard) => {
    if (shard !== shards.first) attempts.push(keepTrying(shard.ctx, () => start(shard)))
  })

  async function keepTrying(
    { log, sleep }: ProcessContext,
    attempt: () => Promise<AsyncDisposable>,
  ) {
    for (let isTold = false; !stopping.signal.aborted; isTold = true) {
      try {
        const part = await attempt()
        if (stopping.signal.aborted) await part[Symbol.asyncDispose]()
        else started.push(part)
        return
      } catch (error) {
        if (!isTold) log.warn({ part: name, ...describeError(error) }, 'it is tried again')
        await sleep(pauseMs, stopping.signal)
      }
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      endWaiting?.()
      stopping.abort()
      await Promise.all([
        ...started.map((part) => part[Symbol.asyncDispose]()),
        withTimeout(Promise.all(attempts)),
      ])
    },
  }
}
