import { sql } from 'kysely'

/**
 * A run is the attempts of one destination at one URL that had one outcome. This is its name in 64 bits,
 * spelled as the index `webhook_events_run` has it: otherwise the index would not serve.
 */
export const runHash = (url: string, webhookId: string, success: string) =>
  sql`hashtextextended(${sql.ref(url)}, uuid_hash_extended(${sql.ref(webhookId)}, ${sql.ref(success)}::integer::bigint))`

export const runHashOfAttempt = runHash('e.webhook_url', 'e.webhook_id', 'e.success')
