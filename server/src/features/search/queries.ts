import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { SearchResult } from './schema.ts'

/** @param pattern of `ilike`; of each kind the newest `most` */
export async function findRecords(
  db: Db,
  workspaceId: string,
  pattern: string,
  most: number,
): Promise<SearchResult> {
  const { rows } = await sql<SearchResult>`
    select
      (select coalesce(json_agg(c), '[]') from (
        select id, name, status from campaigns
        where workspace_id = ${workspaceId}::uuid and name ilike ${pattern}
        order by id desc limit ${most}) as c) as campaigns,
      (select coalesce(json_agg(l), '[]') from (
        select id, campaign_id, email, nullif(concat_ws(' ', first_name, last_name), '') as name
        from leads
        where workspace_id = ${workspaceId}::uuid and (email ilike ${pattern}
          or concat_ws(' ', first_name, last_name) ilike ${pattern} or company_name ilike ${pattern})
        order by id desc limit ${most}) as l) as leads,
      (select coalesce(json_agg(m), '[]') from (
        select id, address, status from mailboxes
        where workspace_id = ${workspaceId}::uuid and address ilike ${pattern}
        order by id desc limit ${most}) as m) as mailboxes,
      (select coalesce(json_agg(w), '[]') from (
        select id, name, status from webhooks
        where workspace_id = ${workspaceId}::uuid and name ilike ${pattern}
        order by id desc limit ${most}) as w) as webhooks`.execute(db)
  return rows[0] as SearchResult
}
