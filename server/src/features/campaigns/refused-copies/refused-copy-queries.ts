import { sql } from 'kysely'
import { column } from '../../../kernel/db/column.ts'
import type { Db } from '../../../kernel/db/db.ts'

interface CountedCopy {
  campaign_id: string
  address: string
  code: string | null
  message: string
  mails: number
}

/** In the order of their keys: two batches never wait for each other in a ring. */
export async function upsertRefusedCopies(
  db: Db,
  workspaceId: string,
  copies: CountedCopy[],
  at: Date,
) {
  const { rows } = await sql<{ campaign_id: string; is_new: boolean }>`
    insert into refused_copies as r (workspace_id, campaign_id, address, code, message, mails,
      timestamp_first, timestamp_last)
    select ${workspaceId}::uuid, k.campaign_id, k.address, k.code, k.message, k.mails,
      ${at}::timestamptz, ${at}::timestamptz
    from unnest(${column(copies, 'campaign_id')}::uuid[], ${column(copies, 'address')}::text[],
      ${column(copies, 'code')}::text[], ${column(copies, 'message')}::text[],
      ${column(copies, 'mails')}::bigint[])
      as k (campaign_id, address, code, message, mails)
    join campaigns c on c.workspace_id = ${workspaceId}::uuid and c.id = k.campaign_id
    order by k.campaign_id, k.address
    on conflict (workspace_id, campaign_id, address) do update
    set code = excluded.code, message = excluded.message, mails = r.mails + excluded.mails,
      timestamp_last = excluded.timestamp_last
    returning r.campaign_id, r.timestamp_first = r.timestamp_last as is_new`.execute(db)
  return rows
}

/** Of one campaign, or of all; the latest first. */
export function listRefusedCopies(db: Db, workspaceId: string, campaignId?: string) {
  const copies = db
    .selectFrom('refused_copies')
    .select(['campaign_id', 'address', 'code', 'message', 'timestamp_last'])
    .select(sql<number>`mails::float8`.as('mails'))
    .where('workspace_id', '=', workspaceId)
    .orderBy('timestamp_last', 'desc')
    .orderBy('address')
    .limit(100)
  return (
    campaignId === undefined ? copies : copies.where('campaign_id', '=', campaignId)
  ).execute()
}

/** After a change of the lists it is seen anew. */
export const deleteRefusedCopies = (db: Db, workspaceId: string, campaignId: string) =>
  db
    .deleteFrom('refused_copies')
    .where('workspace_id', '=', workspaceId)
    .where('campaign_id', '=', campaignId)
    .execute()
