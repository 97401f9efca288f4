import type { Clock } from '../kernel/clock.ts'
import { aroundPooler, type ProcessContext } from '../kernel/context.ts'
import type { ProcessDb } from '../kernel/db/db.ts'
import { readDatabaseTime } from '../kernel/db/instance.ts'
import { describeError } from '../kernel/log.ts'
import { ensurePartitions } from '../partitions.ts'
import { withTimeout } from './shutdown.ts'

/** A connection is at hand before the clock is read: waiting for one would look like a slow answer. */
export async function setByDatabase(clock: Clock, db: ProcessDb): Promise<void> {
  await db.connection().execute(async (connection) => {
    await readDatabaseTime(connection)
    await clock.synchronise(() => readDatabaseTime(connection))
  })
}

const everyMs = 30_000
/** Partitions are there for days ahead, and more are made every hour: less than this finds them. */
const leapMs = 3_600_000

/**
 * Clocks drift, and a machine that slept has lost hours. After a leap the partitions of the new time
 * may be missing, without which nothing can be written.
 */
export function keepTime(ctx: ProcessContext, clock: Clock): AsyncDisposable {
  const stopping = new AbortController()
  const offsetMs = () => ctx.now().getTime() - ctx.monotonicMs()
  let preparedMs = offsetMs()
  const keeping = keepOn()

  async function keepOn() {
    for (;;) {
      await ctx.sleep(everyMs, stopping.signal)
      if (stopping.signal.aborted) return
      await setByDatabase(clock, ctx.db).catch((error) =>
        ctx.log.warn(describeError(error), 'the clock could not be set by the database'),
      )
      await prepareAfterLeap().catch((error) =>
        ctx.log.warn(
          describeError(error),
          'partitions could not be made after a leap of the clock',
        ),
      )
    }
  }

  async function prepareAfterLeap() {
    const nowMs = offsetMs()
    if (Math.abs(nowMs - preparedMs) < leapMs) return
    await ensurePartitions(aroundPooler(ctx))
    preparedMs = nowMs
  }

  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await withTimeout(1000, keeping)
    },
  }
}
