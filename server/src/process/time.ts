import type { Clock } from '../kernel/clock.ts'
import type { ProcessContext } from '../kernel/context.ts'
import type { ProcessDb } from '../kernel/db/db.ts'
import { readDatabaseTime } from '../kernel/db/instance.ts'
import { describeError } from '../kernel/log.ts'
import { withTimeout } from './shutdown.ts'

/** A connection is at hand before the clock is read: waiting for one would look like a slow answer. */
export async function setByDatabase(clock: Clock, db: ProcessDb): Promise<void> {
  await db.connection().execute(async (connection) => {
    await readDatabaseTime(connection)
    await clock.synchronise(() => readDatabaseTime(connection))
  })
}

const everyMs = 30_000

/** Clocks drift, and a machine that slept has lost hours. */
export function keepTime(ctx: ProcessContext, clock: Clock): AsyncDisposable {
  const stopping = new AbortController()
  const keeping = keepOn()

  async function keepOn() {
    for (;;) {
      await ctx.sleep(everyMs, stopping.signal)
      if (stopping.signal.aborted) return
      await setByDatabase(clock, ctx.db).catch((error) =>
        ctx.log.warn(describeError(error), 'the clock could not be set by the database'),
      )
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await withTimeout(1000, keeping)
    },
  }
}
