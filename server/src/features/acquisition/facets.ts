import type { Context } from '../../kernel/context.ts'
import { countFacets, type Facets } from '../directory/index.ts'
import type { CountFacets } from './application-schema.ts'
import * as queries from './queries.ts'

/** What each value of the usual filters would give, of those whom the search finds. */
export function countContactFacets(
  ctx: Context,
  workspaceId: string,
  { exclude_acquired, ...filters }: CountFacets,
): Promise<Facets> {
  const without = exclude_acquired ? queries.acquiredIds(workspaceId) : undefined
  return countFacets(ctx.db, filters, without)
}
