import type { Context } from '../../kernel/context.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import * as queries from './sends-queries.ts'

/** The ledger, newest first. */
export const listSends = (
  ctx: Context,
  workspaceId: string,
  filter: queries.SendFilter,
  limit: number,
  before?: string,
): Promise<queries.ShownSend[]> => queries.listSends(ctx.db, workspaceId, filter, limit, before)

export async function pageSends(
  ctx: Context,
  workspaceId: string,
  { limit, startingAfter }: PageRequest,
  filter: queries.SendFilter,
): Promise<Page<queries.ShownSend>> {
  return toPage(await listSends(ctx, workspaceId, filter, limit + 1, startingAfter), limit)
}
