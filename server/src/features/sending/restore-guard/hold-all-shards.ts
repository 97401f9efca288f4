import { inWorkspace, type ProcessContext } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import { askAllShards, askShardsUp, shardNameOf } from '../../../kernel/shards/ask.ts'
import { copyOptOuts } from '../../directory/index.ts'
import { stopOptedOut } from '../../leads/index.ts'
import { listWorkspaces, requireNoneInSeveral } from '../../workspaces/index.ts'
import { countOpenSends } from '../cross-workspace.ts'
import { deadAfterMs } from './detect-restore.ts'
import { countLivingSenders } from './failover-queries.ts'
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
 * Holds all sending, of every database that answers, whichever others do not, and waits until no mail is
 * under way: a copy that is made then has all results.
 *
 * @throws AppError `unavailable`, which names those that are held, and those that may go on; `not_ready`
 *   while mails are under way for long
 */
export async function holdAll(ctx: ProcessContext): Promise<SendingHold> {
  const held = await askShardsUp(ctx, async (shard) => ({
    ...{ shard, hold: await holdSending(shard) },
  }))
  const shards = held.map(({ shard }) => shard)
  const names = shards.map(shardNameOf)
  const silent = ctx.shards?.names.filter((name) => !names.includes(name)) ?? []
  const [first] = held
  if (!first || silent.length > 0) {
    throw new AppError(
      'unavailable',
      `Sending is held on ${names.join(' and ') || 'no shard'}. ${silent.join(' and ')} did not answer and may go on sending: run the command again once it does.`,
    )
  }
  await waitForMails(ctx, shards)
  return first.hold
}

/** What died with its process is settled by another within this time; a server that hangs takes longer. */
const restForMs = 90_000
const restLookMs = 100

async function waitForMails(ctx: ProcessContext, shards: ProcessContext[]) {
  const untilMs = ctx.monotonicMs() + restForMs
  for (;;) {
    let open = 0
    for (const shard of shards) open += await countUnderWay(shard)
    if (open === 0) return
    if (ctx.monotonicMs() >= untilMs) {
      throw new AppError(
        'not_ready',
        `Sending is held, and no mail is begun any more, but ${open} that had been begun are still under way: run the command again, which waits for them.`,
      )
    }
    await ctx.sleep(restLookMs)
  }
}

/** Where nobody sends, what is open stays so until somebody does. */
const countUnderWay = async ({ db }: ProcessContext) =>
  (await countLivingSenders(db, deadAfterMs)) > 0 ? countOpenSends(db) : 0

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
