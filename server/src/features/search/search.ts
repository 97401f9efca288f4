import type { Context } from '../../kernel/context.ts'
import { searchInTurn } from '../../kernel/db/search-slots.ts'
import { findRecords } from './queries.ts'
import type { SearchResult } from './schema.ts'

const mostOfEach = 5
/** One letter is in nearly everything. */
const lengthMin = 2

/** Campaigns, leads, mailboxes and webhooks that have this in their name or address, the newest. */
export async function search(
  ctx: Context,
  workspaceId: string,
  text: string,
): Promise<SearchResult> {
  const asked = text.replaceAll('\0', '').trim()
  if (asked.length < lengthMin) return { campaigns: [], leads: [], mailboxes: [], webhooks: [] }
  const pattern = `%${asked.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return searchInTurn(ctx, () => findRecords(ctx.db, workspaceId, pattern, mostOfEach))
}
