import type { Context } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import { addressOf, endOf, oldestStart, readToken, type TryOut, tokenOf } from './address.ts'
import * as queries from './queries.ts'
import type { TryOutReceiver } from './schema.ts'

/** Nothing is stored: all that there is to know of a receiver is in its address. */
export function createTryOut(ctx: Context, workspaceId: string) {
  return shown(ctx, { workspaceId, id: ctx.newId() })
}

/** With what has arrived, newest first. */
export async function getTryOut(
  ctx: Context,
  workspaceId: string,
  token: string,
): Promise<TryOutReceiver> {
  const tryOut = readToken(ctx, token)
  if (tryOut?.workspaceId !== workspaceId) throw notFound('try-out receiver')
  const rows = await queries.listCalls(ctx.db, workspaceId, tryOut.id)
  const items = rows.map(({ workspace_id: _, try_out_id: __, headers, ...call }) => ({
    ...call,
    problem: call.problem as TryOutReceiver['items'][number]['problem'],
    headers: JSON.parse(headers) as { name: string; value: string }[],
  }))
  return { ...shown(ctx, tryOut), items }
}

/** What has arrived at receivers that are over. */
export const dropOldCalls = (ctx: Context, workspaceId: string) =>
  queries.deleteCallsBefore(ctx.db, workspaceId, firstIdAt(oldestStart(ctx.now())))

/** Whatever has arrived anywhere, because a person may be in it. */
export const forgetCalls = (ctx: Context, workspaceId: string) =>
  queries.deleteCalls(ctx.db, workspaceId)

function shown(ctx: Context, tryOut: TryOut) {
  const token = tokenOf(ctx, tryOut)
  return { token, url: addressOf(ctx, token), timestamp_expires: endOf(tryOut) }
}
