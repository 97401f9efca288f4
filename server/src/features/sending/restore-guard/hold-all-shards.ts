import { inWorkspace, type ProcessContext } from '../../../kernel/context.ts'
import { readDatabaseTime } from '../../../kernel/db/instance.ts'
import { AppError } from '../../../kernel/errors.ts'
import { askAllShards, askShardsUp, shardNameOf } from '../../../kernel/shards/ask.ts'
import { counted } from '../../../kernel/text.ts'
import { copyOptOuts } from '../../directory/index.ts'
import { stopOptedOut } from '../../leads/index.ts'
import { listWorkspaces, requireNoneInSeveral } from '../../workspaces/index.ts'
import { countOpenSends } from '../cross-workspace.ts'
import { deadAfterMs } from './detect-restore.ts'
import { countSenders } from './failover-queries.ts'
import {
  changedSince,
  confirmRestore,
  holdSending,
  previewRestore,
  requireConfirmable,
  type SendingHold,
} from './sending-hold.ts'

export type HeldShard = NonNullable<Awaited<ReturnType<typeof previewRestore>>> & {
  ctx: ProcessContext
}

/**
 * The databases on which sending is held, each with what leaves it when that ends. One that takes its
 * time must not be taken for one that is not held.
 *
 * @throws AppError `unavailable`, which names one that does not answer
 */
export async function listHeld(ctx: ProcessContext): Promise<HeldShard[]> {
  const previews = await askAllShards(ctx, async (shard) => {
    const preview = await previewRestore(shard)
    return preview ? [{ ...preview, ctx: shard }] : []
  })
  return previews.flat()
}

/**
 * Holds all sending, of every database that can be held, whichever others cannot, and waits until every process
 * has seen it and no mail is under way: a copy that is made then has all results.
 *
 * @throws AppError `unavailable`, which names those that are held, and those that may go on; `not_ready`
 *   where that takes long
 */
export async function holdAll(ctx: ProcessContext): Promise<SendingHold> {
  const held = await askShardsUp(ctx, async (shard) => ({
    ...{ shard, hold: await holdSending(shard), at: await readDatabaseTime(shard.db) },
  }))
  const names = held.map(({ shard }) => shardNameOf(shard))
  const silent = ctx.shards?.names.filter((name) => !names.includes(name)) ?? []
  const [first] = held
  if (!first || silent.length > 0) {
    throw new AppError(
      'unavailable',
      `Sending is held on ${names.join(' and ') || 'no shard'}. ${silent.join(' and ')} did not answer or cannot be used, and may go on sending: run the command again once that is mended.`,
    )
  }
  await waitForRest(ctx, held)
  return first.hold
}

/** Whoever died is taken for dead, and its mails are settled by another, within this time. */
const restForMs = 90_000
const restLookMs = 100

/** A database that is held, by its own clock. */
interface HeldSince {
  shard: ProcessContext
  at: Date
}

async function waitForRest(ctx: ProcessContext, held: HeldSince[]) {
  const untilMs = ctx.monotonicMs() + restForMs
  for (;;) {
    const all = await Promise.all(held.map(readUnderWay))
    const mails = all.reduce((sum, one) => sum + one.mails, 0)
    const unaware = all.reduce((sum, one) => sum + one.unaware, 0)
    if (mails + unaware === 0) return
    if (ctx.monotonicMs() >= untilMs) throw stillUnderWay(mails, unaware)
    await ctx.sleep(restLookMs)
  }
}

/** Where no process is, what is open stays so until one starts. */
async function readUnderWay({ shard: { db }, at }: HeldSince) {
  const { living, unaware } = await countSenders(db, { silentMs: deadAfterMs, lookedBefore: at })
  return { mails: living > 0 ? await countOpenSends(db) : 0, unaware }
}

function stillUnderWay(mails: number, unaware: number) {
  const parts = [
    ...(mails > 0
      ? [
          `${counted(mails, 'mail that had been begun is', 'mails that had been begun are')} still under way`,
        ]
      : []),
    ...(unaware > 0
      ? [
          `${counted(unaware, 'process has', 'processes have')} not looked yet, and may go on with webhooks and mailboxes`,
        ]
      : []),
  ]
  return new AppError(
    'not_ready',
    `Sending is held: no mail is begun any more. But ${parts.join(', and ')}. Run the command again, which waits for them.`,
  )
}

/** What a person was shown of all databases: another one as soon as more turns up in one of them. */
export const seenOfAll = (held: HeldShard[]) => held.map(({ seen }) => seen).join(' ')

/**
 * Ends what `listHeld` told of. A person has looked, and none of the databases has a workspace that is on
 * another one by now.
 *
 * @param seen what they were shown, where that was not just now
 * @throws AppError `unavailable`, which names a database that does not answer: it may know of opt-outs
 */
export async function confirmHeld(
  held: HeldShard[],
  seen = seenOfAll(held),
): Promise<{ uncertain: number }> {
  const [first] = held
  if (!first) {
    throw new AppError('invalid_transition', 'Sending is not held: there is nothing to confirm.')
  }
  if (seen !== seenOfAll(held)) throw changedSince()
  const names = held.map(({ ctx }) => shardNameOf(ctx))
  await requireNoneInSeveral(first.ctx, names)
  // None goes on while another one cannot.
  for (const each of held) await requireConfirmable(each.ctx, each.seen)
  for (const { ctx } of held) await recoverOptOuts(ctx)
  let uncertain = 0
  for (const each of held) uncertain += (await confirmRestore(each.ctx, each.seen)).uncertain
  return { uncertain }
}

/**
 * A database that was put back has forgotten who asked to be removed since; each of the others knows.
 * Its leads are as active as they were at that time.
 */
async function recoverOptOuts(ctx: ProcessContext) {
  if (!ctx.shards) return
  await askAllShards(ctx, async (other) => {
    if (other.shard !== ctx.shard) await copyOptOuts(other.db, ctx.db)
  })
  for (const { id } of await listWorkspaces(ctx)) await stopOptedOut(inWorkspace(ctx, id), id)
}
