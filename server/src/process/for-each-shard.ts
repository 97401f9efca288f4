import type { OpenShard, ProcessContext } from '../kernel/context.ts'
import { describeError } from '../kernel/log.ts'

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
export async function forEachShard<Part extends AsyncDisposable>(
  opened: Opened,
  name: string,
  start: (shard: Opened) => Promise<Part>,
): Promise<AsyncDisposable & { ofFirst: Part }> {
  const ofFirst = await start(opened)
  const { shards } = opened.ctx
  const stopping = new AbortController()
  const parts: Promise<Part | undefined>[] = []
  const endWaiting = shards?.onOpened((shard) => {
    if (shard !== shards.first) parts.push(keepTrying(shard.ctx, () => start(shard)))
  })

  async function keepTrying({ log, sleep }: ProcessContext, attempt: () => Promise<Part>) {
    for (let isTold = false; !stopping.signal.aborted; isTold = true) {
      try {
        return await attempt()
      } catch (error) {
        if (!isTold) log.warn({ part: name, ...describeError(error) }, 'it is tried again')
        await sleep(pauseMs, stopping.signal)
      }
    }
  }

  return {
    ofFirst,
    async [Symbol.asyncDispose]() {
      endWaiting?.()
      stopping.abort()
      const started = [ofFirst, ...(await Promise.all(parts))]
      await Promise.all(started.map((part) => part?.[Symbol.asyncDispose]()))
    },
  }
}
