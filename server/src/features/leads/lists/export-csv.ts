import type { Context } from '../../../kernel/context.ts'
import { csvLine } from '../../../kernel/csv/write-csv.ts'
import { isErased } from '../record.ts'
import { type TextField, textFields } from '../schema.ts'
import type { LeadFilter } from './filter.ts'
import * as queries from './list-queries.ts'

const batchMax = 1000
const texts = Object.keys(textFields) as TextField[]
const facts = [
  ...(['status', 'sending_state', 'stop_reason', 'current_step', 'email_open_count'] as const),
  ...(['email_click_count', 'email_reply_count', 'timestamp_last_contact'] as const),
  ...(['timestamp_last_open', 'timestamp_last_reply', 'timestamp_created'] as const),
]

/** Leads as a file that can be imported again, newest first, piece by piece. */
export async function* exportLeads(
  ctx: Context,
  workspaceId: string,
  filter: LeadFilter,
  { ids, excluded }: { ids: string[] | undefined; excluded: string[] },
): AsyncGenerator<string> {
  const variables = await queries.listVariableNames(ctx.db, workspaceId, filter)
  // Excel takes a file without the mark for one of Windows-1252.
  yield `\ufeff${csvLine(['email', ...texts, 'campaign', ...facts, ...variables])}`
  const left = new Set(excluded)
  let place: string | undefined
  for (;;) {
    const leads = await queries.listWhole(ctx.db, workspaceId, filter, place, batchMax, ids)
    yield leads
      .filter((lead) => !isErased(lead) && !left.has(lead.id))
      .map((lead) =>
        csvLine([
          ...[lead.email, ...texts.map((name) => lead[name]), lead.campaign_name],
          ...facts.map((name) => lead[name]),
          ...variables.map((name) => lead.custom_variables[name]),
        ]),
      )
      .join('')
    place = leads.at(-1)?.id
    if (leads.length < batchMax) return
  }
}
