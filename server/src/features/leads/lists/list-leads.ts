import type { Context } from '../../../kernel/context.ts'
import { column } from '../../../kernel/db/column.ts'
import { searchInTurn } from '../../../kernel/db/search-slots.ts'
import { type Page, type PageRequest, toPage } from '../../../kernel/http/page.ts'
import { findSuppressed } from '../../suppression/index.ts'
import { isWhole, type LeadFilter } from './filter.ts'
import * as queries from './list-queries.ts'
import type { LeadCount, ListedLead } from './list-schema.ts'

/** As many are counted one by one. */
const countedMax = 10_000

export async function listLeads(
  ctx: Context,
  workspaceId: string,
  filter: LeadFilter,
  page: PageRequest,
): Promise<Page<ListedLead>> {
  const list = () => queries.listLeads(ctx.db, workspaceId, filter, page)
  const rows = await (isWhole(filter) ? list() : searchInTurn(ctx, list))
  const suppressed = await findSuppressed(ctx.db, workspaceId, column(rows, 'email_folded'))
  const leads = rows.map(({ email_folded, ...lead }) => ({
    ...lead,
    is_suppressed: suppressed.has(email_folded),
  }))
  return toPage(leads, page.limit)
}

export async function countLeads(
  ctx: Context,
  workspaceId: string,
  filter: LeadFilter,
): Promise<LeadCount> {
  if (isWhole(filter)) {
    const count = await queries.countKept(ctx.db, workspaceId, filter.campaignId)
    return { count, is_estimate: false }
  }
  const found = await searchInTurn(ctx, () =>
    queries.countMatching(ctx.db, workspaceId, filter, countedMax + 1),
  )
  return { count: Math.min(found, countedMax), is_estimate: found > countedMax }
}
