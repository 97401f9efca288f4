import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { firstIdAt, timeOfId } from '../../kernel/ids.ts'
import { withNamesOfPeople } from '../audit/index.ts'
import { builtinStatuses } from '../labels/index.ts'
import { findLeadById } from '../leads/index.ts'
import * as queries from './queries.ts'
import type { LeadHistoryItem } from './schema.ts'

/**
 * Everything that happened to a lead in one line of time: mails, what was told of it in events, how
 * each was delivered, and what people changed. Ids hold the time in all of them, so a page is the
 * newest of the newest of each.
 */
export async function listHistory(
  ctx: Context,
  workspaceId: string,
  leadId: string,
  page: PageRequest,
): Promise<Page<LeadHistoryItem>> {
  const lead = await findLeadById(ctx.db, workspaceId, leadId)
  if (!lead) throw notFound('lead')
  const of = {
    ...{ workspaceId, leadId: lead.id, campaignId: lead.campaign_id, email: lead.email },
    since: firstIdAt(lead.timestamp_created),
  }
  const { startingAfter, limit } = page
  const read = <T>(
    list: (db: Context['db'], of: queries.HistoryOf, before: string | undefined, n: number) => T,
  ) => list(ctx.db, of, startingAfter, limit + 1)
  const [messages, events, deliveries, changes] = await Promise.all([
    read(queries.listMessages),
    read(queries.listEvents),
    read(queries.listDeliveries),
    read(queries.listChanges),
  ])
  const items: LeadHistoryItem[] = [
    ...messages.map((each) => ({ ...nothing, ...each, kind: 'message' as const })),
    ...events
      .filter(({ name }) => !isToldBesides(name))
      .map((each) => ({
        ...nothing,
        ...each,
        kind: 'event' as const,
        timestamp: timeOfId(each.id),
      })),
    ...deliveries.map(({ error_message, will_retry, ...each }) => ({
      ...{ ...nothing, ...each, kind: 'delivery' as const, timestamp: timeOfId(each.id) },
      details: { error_message, will_retry },
    })),
    ...(await withNamesOfPeople(ctx, changes)).map((each) => ({
      ...{ ...nothing, ...each, kind: 'change' as const, timestamp: timeOfId(each.id) },
    })),
  ]
  items.sort((a, b) => (a.id < b.id ? 1 : -1))
  // A source that was filtered may have more behind what it gave: nothing beyond its end is shown yet.
  const ends = [messages, events, deliveries, changes].flatMap((rows) =>
    rows.length > limit ? [rows.at(-1)?.id ?? ''] : [],
  )
  const end = ends.toSorted().at(-1)
  const shown = end === undefined ? items : items.filter(({ id }) => id >= end)
  if (shown.length <= limit && end !== undefined) return { items: shown, next_starting_after: end }
  return toPage(shown, limit)
}

/** The mail itself is in the history, with its text; so is who gave a status that nothing else gives. */
const isToldBesides = (event: string) => toldBesides.has(event) || event.startsWith('lead.label.')

const ofThemselves = new Set<string>(['completed', 'unsubscribed'])
const toldBesides = new Set([
  ...['email.sent', 'lead.replied'],
  ...builtinStatuses.filter((each) => !ofThemselves.has(each)).map((each) => `lead.${each}`),
])

const nothing = {
  ...{ direction: null, subject: null, snippet: null, from_address: null, step: null },
  ...{ success: null, status_code: null, webhook_id: null, event_id: null },
  ...{ actor_type: null, actor_id: null, actor_name: null, details: {} },
}
