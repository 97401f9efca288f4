import type { Clock } from '../kernel/clock.ts'
import { aroundPooler, type ProcessContext } from '../kernel/context.ts'
import type { ProcessDb } from '../kernel/db/db.ts'
import { readDatabaseTime } from '../kernel/db/instance.ts'
import { startLoop } from '../kernel/runner/loop.ts'
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
 * Clocks drift, and a machine that slept has lost hours: then it is measured at once. After a leap the
 * partitions of the new time may be missing, without which nothing can be written.
 */
export function keepTime(ctx: ProcessContext, clock: Clock): AsyncDisposable {
  let preparedMs = ctx.now().getTime()
  const loop = startLoop(ctx, 'time', everyMs, async () => {
    await setByDatabase(clock, ctx.db)
    const nowMs = ctx.now().getTime()
    if (Math.abs(nowMs - preparedMs) >= leapMs) await ensurePartitions(aroundPooler(ctx))
    preparedMs = nowMs
  })
  clock.onLeap(loop.wake)
  return {
    async [Symbol.asyncDispose]() {
      await withTimeout(loop.stop())
    },
  }
}
