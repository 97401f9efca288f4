import type { ApiClient } from './api-client.ts'

/** Events that arrived somewhere, by type, out of the service's own history. */
export async function countDelivered(api: ApiClient): Promise<Map<string, number>> {
  const events = new Map<string, string>()
  let after = ''
  do {
    const page = await api.get(`/api/v2/webhook-events?success=true&limit=100${after}`)
    for (const { event_id, event_type } of page.items) events.set(event_id, event_type)
    const { next_starting_after } = page
    after = next_starting_after ? `&starting_after=${next_starting_after}` : ''
  } while (after !== '')
  const counts = new Map<string, number>()
  for (const type of events.values()) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}
