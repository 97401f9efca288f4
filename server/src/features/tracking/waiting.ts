import { enterWorkspace, onFirstShard, type ProcessContext } from '../../kernel/context.ts'
import { toAppError } from '../../kernel/http/error-reply.ts'
import { describeError } from '../../kernel/log.ts'
import { tokenBoxOf } from './links.ts'
import * as queries from './queries.ts'
import type { Token } from './token.ts'
import { unsubscribe } from './unsubscribe.ts'

/**
 * A mailbox provider asks once and never again, and the person is told that it is done. So while the
 * workspace cannot be written to, because it is moved to another database or its own is away, the wish
 * is kept on the first one. The workspace sends nothing meanwhile.
 */
export async function unsubscribeOrKeep(process: ProcessContext, token: Token): Promise<void> {
  try {
    await unsubscribe(await enterWorkspace(process, token.workspaceId), token)
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const { db, now } = onFirstShard(process)
    await queries.insertWaiting(db, tokenBoxOf(process).make(token), now())
  }
}

/** Those of the wishes that were kept whose workspaces can be written to again. */
export async function unsubscribeWaiting(ctx: ProcessContext, signal?: AbortSignal): Promise<void> {
  if (onFirstShard(ctx) !== ctx) return
  const tokens = tokenBoxOf(ctx)
  const unreachable = new Set<string>()
  let after = ''
  while (!signal?.aborted) {
    const [waiting] = await queries.findWaiting(ctx.db, after)
    if (!waiting) return
    after = waiting.token
    const token = tokens.read(after)
    // One that an older secret key made is read once that is set again.
    if (!token || unreachable.has(token.workspaceId)) continue
    try {
      await unsubscribe(await enterWorkspace(ctx, token.workspaceId), token)
      await queries.deleteWaiting(ctx.db, after)
    } catch (error) {
      if (isUnavailable(error)) unreachable.add(token.workspaceId)
      else ctx.log.error(describeError(error), 'an unsubscribe is tried again')
    }
  }
}

const isUnavailable = (error: unknown) => toAppError(error).code === 'unavailable'
