import {
  type AnyContext,
  type Context,
  enterWorkspace,
  onFirstShard,
  type ProcessContext,
} from '../../kernel/context.ts'
import { isUnavailable, toAppError } from '../../kernel/http/error-reply.ts'
import { describeError } from '../../kernel/log.ts'
import { createShardCheck } from '../../kernel/shards/ask.ts'
import { tokenBoxOf } from './links.ts'
import * as queries from './queries.ts'
import type { Token } from './token.ts'
import { unsubscribe } from './unsubscribe.ts'

/**
 * A mailbox provider asks once and never again, and the person is told that it is done. So while the
 * workspace cannot be written to, because it is moved to another database or its own is away, the wish
 * is kept on the first one. A mover writes it down before the mailboxes of the workspace wake, and a
 * runner that opens a database before it works there; where a database is back that was open all the
 * time, a mail that was due then may leave before it.
 *
 * @returns false where no database has the workspace
 */
export async function unsubscribeOrKeep(process: ProcessContext, token: Token): Promise<boolean> {
  try {
    return await unsubscribeOn(process, token)
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const { db, now } = onFirstShard(process)
    await queries.insertWaiting(db, tokenBoxOf(process).make(token), now())
    return true
  }
}

/**
 * @returns false where no database has the workspace: its own was taken out
 * @throws AppError `unavailable` while one that may have it does not answer, or is not known here
 */
async function unsubscribeOn(process: ProcessContext, token: Token): Promise<boolean> {
  try {
    await unsubscribe(await enterWorkspace(process, token.workspaceId), token)
    return true
  } catch (error) {
    if (toAppError(error).code !== 'not_found') throw error
    await createShardCheck(process.shards?.first.ctx ?? process)()
    return false
  }
}

/** Fulfils the wishes that were kept whose workspaces can be written to again, or are gone. */
export async function unsubscribeWaiting(ctx: ProcessContext, signal?: AbortSignal): Promise<void> {
  if (onFirstShard(ctx) !== ctx) return
  const unreachable = new Set<string>()
  for await (const token of listKept(ctx)) {
    if (signal?.aborted) return
    const { workspaceId } = token
    if (unreachable.has(workspaceId)) continue
    try {
      await unsubscribeOn(ctx, token)
      await queries.deleteWaiting(ctx.db, token.kept)
    } catch (error) {
      if (isUnavailable(error)) unreachable.add(workspaceId)
      else {
        const fields = { workspace: workspaceId, ...describeError(error) }
        ctx.log.error(fields, 'an unsubscribe is tried again')
      }
    }
  }
}

/** Fulfils the wishes of one workspace, also in a transaction that brings it. All stay kept: a runner looks again. */
export async function unsubscribeKept(ctx: Context, workspaceId: string): Promise<void> {
  for await (const token of listKept(ctx))
    if (token.workspaceId === workspaceId) await unsubscribe(ctx, token)
}

async function* listKept(ctx: AnyContext): AsyncGenerator<Token & { kept: string }> {
  const { db } = onFirstShard(ctx)
  const tokens = tokenBoxOf(ctx)
  let [waiting] = await queries.findWaiting(db, '')
  while (waiting) {
    const kept = waiting.token
    const token = tokens.read(kept)
    // One that an older secret key made is read once that is set again.
    if (token) yield { ...token, kept }
    ;[waiting] = await queries.findWaiting(db, kept)
  }
}
