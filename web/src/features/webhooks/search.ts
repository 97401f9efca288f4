import { dayOf, idOf, instantOf, oneOf, type Search } from '../../lib/search.ts'
import { dayRange } from '../../lib/time.ts'

/** What is open on the page of a webhook and which attempts are looked at, as it stands in the address. */
export interface WebhookSearch {
  panel?: (typeof panels)[number] | undefined
  /** When what was missed began, where it is more than one replay delivers and a window of it is chosen. */
  since?: string | undefined
  /** The one whose panel is open. */
  attempt?: string | undefined
  result?: (typeof results)[number] | undefined
  type?: string | undefined
  lead?: string | undefined
  /** First and last day of the reader's calendar, `YYYY-MM-DD`. */
  from?: string | undefined
  to?: string | undefined
}

const panels = ['edit', 'secret', 'replay', 'delete'] as const
export const results = ['delivered', 'failed'] as const

export function webhookSearchOf(search: Search): WebhookSearch {
  const text = (name: string, pattern: RegExp) => {
    const value = search[name]
    return typeof value === 'string' && pattern.test(value) ? value : undefined
  }
  return {
    panel: oneOf(panels, search.panel),
    since: instantOf(search.since),
    attempt: idOf(search.attempt),
    result: oneOf(results, search.result),
    type: text('type', /^[\w.-]{1,255}$/),
    lead: text('lead', /^.{1,320}$/),
    from: dayOf(search.from),
    to: dayOf(search.to),
  }
}

/** As the server takes the filters: instants in place of days, the last one included. */
export function attemptQueryOf(webhookId: string, search: WebhookSearch) {
  const { result, type, lead, from, to } = search
  const days = dayRange(from, to)
  return {
    webhook_id: webhookId,
    ...(result ? { success: result === 'delivered' } : {}),
    ...(type ? { event_type: type } : {}),
    ...(lead ? { lead_email: lead } : {}),
    ...(days.from ? { from: days.from } : {}),
    // The `to` of the API is inclusive.
    ...(days.end ? { to: new Date(Date.parse(days.end) - 1).toISOString() } : {}),
  }
}

export const isFiltered = ({ result, type, lead, from, to }: WebhookSearch) =>
  [result, type, lead, from, to].some((value) => value !== undefined)
