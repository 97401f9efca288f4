import { sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { lockLeads } from './queries.ts'
import type { LockedLead } from './record.ts'

/**
 * Of a campaign, in SQL: who claims its mails shares this lock, and who deletes or moves its leads, or has
 * a mail sent again, has it alone, so that no lead goes, or goes back, whose mail is just being claimed. Claims of many workspaces are one
 * transaction and do not wait for it: what they do not get is planned again.
 */
export const claimsLock = (campaignId: string) =>
  `hashtextextended('claims ' || ${campaignId}::text, 0)`

/**
 * Until the transaction ends nothing of these campaigns is claimed. What was is seen by `findUntouched`, and
 * of a claim that began before and did not see the lock in time the mark is refused, which looks at the
 * lead again before anything is sent.
 */
export const lockClaims = (db: Db, campaignIds: string[]) =>
  sql`
    select pg_advisory_xact_lock(${sql.raw(claimsLock('k.id'))})
    from (select id from unnest(${campaignIds}::uuid[]) as c (id) order by id) k`.execute(db)

/** Locks leads, and then the claims of their campaigns, in the order of all that do: none is claimed any more. */
export async function lockAgainstClaims(
  tx: Context,
  workspaceId: string,
  ids: string[],
): Promise<LockedLead[]> {
  const leads = await lockLeads(tx.db, workspaceId, ids)
  await lockClaims(tx.db, [...new Set(leads.map(({ campaign_id }) => campaign_id))])
  return leads
}
