import type { Context } from '../../kernel/context.ts'
import type { PageRequest } from '../../kernel/http/page.ts'
import { countFacets, type Facets, searchDirectory } from '../directory/index.ts'
import type { CountFacets } from './application-schema.ts'
import { costs, readCredits } from './balance.ts'
import type { FindContacts, FoundContactPage } from './find-schema.ts'
import * as queries from './queries.ts'

/** @param inQuery the page asked for in the query; what the body says counts before it */
export async function findContacts(
  ctx: Context,
  workspaceId: string,
  input: FindContacts,
  inQuery: PageRequest,
): Promise<FoundContactPage> {
  const { limit, starting_after, exclude_acquired, ...filters } = input
  const page = {
    limit: limit ?? inQuery.limit,
    startingAfter: starting_after ?? inQuery.startingAfter,
  }
  const leftOut = leftOutBy(workspaceId, exclude_acquired)
  const { items, ...found } = await searchDirectory(ctx.db, filters, page, leftOut)
  const ids = items.map((contact) => contact.id)
  const acquired = new Set(
    (await queries.findAcquiredIds(ctx.db, workspaceId, ids)).map((row) => row.contact_id),
  )
  const { balance } = await readCredits(ctx, workspaceId)
  return {
    items: items.map((contact) => ({
      ...contact,
      contact_id: contact.id,
      acquired: acquired.has(contact.id),
    })),
    ...found,
    credits_charged: costs.find,
    balance,
  }
}

/** What each value of the usual filters would give, of those whom the search finds. */
export const countContactFacets = (
  ctx: Context,
  workspaceId: string,
  { exclude_acquired, ...filters }: CountFacets,
): Promise<Facets> => countFacets(ctx.db, filters, leftOutBy(workspaceId, exclude_acquired))

const leftOutBy = (workspaceId: string, isAcquired = false) =>
  isAcquired ? queries.acquiredIds(workspaceId) : undefined
