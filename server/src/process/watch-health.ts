import { countSecondFactors } from '../features/users/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { bringStandbyBack, findAwayStandby, standbyIsAway } from '../kernel/db/away-standby.ts'
import { findInstance } from '../kernel/db/instance.ts'
import { findLowDisk } from '../kernel/low-disk.ts'
import { startLoop } from '../kernel/runner/loop.ts'
import { findUnreadable } from '../kernel/sealed-columns/index.ts'
import { sealedColumns } from '../sealed-columns.ts'
import { clockJudge } from './judge-clocks.ts'

const lookEveryMs = 15_000
/** Each look reads every row that has one, and a key is lost by a restart, not in between. */
const secretsEveryMs = 3_600_000

/**
 * Looks for what keeps a process from doing its work although it answers, and notes it in
 * `ctx.troubles`, which /ready tells. The first look is over when this resolves.
 */
export async function watchHealth(ctx: ProcessContext, dataDir: string | undefined) {
  const judgeClocks = clockJudge(ctx)
  let secretsMs = Number.NEGATIVE_INFINITY
  const look = async () => {
    // First: a full disk may be why the database does not answer.
    ctx.troubles?.note('disk', dataDir === undefined ? undefined : await findLowDisk(dataDir))
    ctx.troubles?.endStorage()
    await judgeClocks()
    // Another process that was restarted may seal with a key that this one lacks.
    const sealing = (await findInstance(ctx.db))?.secret_key_id
    const lacksKey = sealing !== undefined && !ctx.secrets.keyIds.includes(sealing)
    if (!lacksKey && ctx.monotonicMs() < secretsMs + secretsEveryMs) return
    const others = await countSecondFactors(ctx)
    const unreadable = await findUnreadable(ctx.db, ctx.secrets, sealedColumns, others)
    ctx.troubles?.note('secrets', unreadable)
    if (unreadable === undefined) secretsMs = ctx.monotonicMs()
  }
  // By itself: the other look writes, and then waits for the standby, too.
  const waiting = startLoop(ctx, 'standby', lookEveryMs, async () => {
    const names = await findAwayStandby(ctx.config)
    const sentence = names && `${standbyIsAway(names)} ${bringStandbyBack}`
    ctx.troubles?.note('standby', sentence)
  })
  await using stack = new AsyncDisposableStack()
  stack.defer(waiting.stop)
  await look()
  stack.defer(startLoop(ctx, 'health', lookEveryMs, look).stop)
  return stack.move()
}
