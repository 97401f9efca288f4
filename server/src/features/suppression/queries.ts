import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import { type SuppressionEntry, type SuppressionReason, suppressionReasons } from './entry.ts'

/** Shared with others who only read; held to the end of the transaction. */
export const lockShared = (db: Db, workspaceId: string) => holdLock(db, workspaceId)

const holdLock = prepared<[string], unknown>(
  'hold_suppressions',
  `select pg_advisory_xact_lock_shared(hashtextextended('suppressions ' || $1, 0))`,
)

export const lockAlone = (db: Db, workspaceId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${lockName(workspaceId)}, 0))`.execute(db)

const lockName = (workspaceId: string) => `suppressions ${workspaceId}`

export interface SuppressionRow extends SuppressionEntry {
  reason: SuppressionReason
}

/** Two searches of the primary key, whatever the length of the lists. */
export const findSuppressions = prepared<[string, string[], string[]], SuppressionRow>(
  'find_suppressions',
  `select kind, value, reason from suppressions
   where workspace_id = $1 and kind = 'address' and value = any($2::text[])
   union all
   select kind, value, reason from suppressions
   where workspace_id = $1 and kind = 'domain' and value = any($3::text[])`,
)

export interface SuppressionToWrite extends SuppressionRow {
  campaign_id: string | null
  timestamp_created: Date
}

/**
 * A weaker reason never replaces a stronger one: lifting an operator's block must not lift the
 * unsubscribe that came later.
 */
export const upsertSuppressions = (db: Db, workspaceId: string, rows: SuppressionToWrite[]) =>
  sql`
    insert into suppressions (workspace_id, kind, value, reason, campaign_id, timestamp_created)
    select ${workspaceId}::uuid, kind, value, reason, campaign_id, timestamp_created
    from unnest(
      ${rows.map((row) => row.kind)}::text[],
      ${rows.map((row) => row.value)}::text[],
      ${rows.map((row) => row.reason)}::text[],
      ${rows.map((row) => row.campaign_id)}::uuid[],
      ${rows.map((row) => row.timestamp_created)}::timestamptz[]
    ) as batch (kind, value, reason, campaign_id, timestamp_created)
    on conflict (workspace_id, kind, value) do update
      set reason = excluded.reason, campaign_id = excluded.campaign_id,
        timestamp_created = excluded.timestamp_created,
        blocked_since = case
          when suppressions.reason = 'blocked' then suppressions.timestamp_created
          else suppressions.blocked_since
        end
      where array_position(${suppressionReasons}::text[], excluded.reason)
        < array_position(${suppressionReasons}::text[], suppressions.reason)
  `.execute(db)

/** A block under a stronger reason is kept for the day on which that is lifted. */
export const noteBlocks = (db: Db, workspaceId: string, blocks: SuppressionToWrite[]) =>
  sql`
    update suppressions s
    set blocked_since = batch.timestamp_created
    from unnest(
      ${blocks.map((row) => row.kind)}::text[],
      ${blocks.map((row) => row.value)}::text[],
      ${blocks.map((row) => row.timestamp_created)}::timestamptz[]
    ) as batch (kind, value, timestamp_created)
    where s.workspace_id = ${workspaceId}::uuid and s.kind = batch.kind and s.value = batch.value
      and s.reason <> 'blocked' and s.blocked_since is null`.execute(db)

export async function deleteBounced(db: Db, workspaceId: string, foldedAddresses: string[]) {
  const { rows } = await sql<StoredSuppression>`
    delete from suppressions
    where workspace_id = ${workspaceId}::uuid and kind = 'address' and reason = 'bounced'
      and value = any(${foldedAddresses}::text[])
    returning kind, value, reason, campaign_id, timestamp_created, blocked_since`.execute(db)
  return rows
}

export interface StoredSuppression extends SuppressionToWrite {
  /** There is a block under the stronger reason. */
  blocked_since: Date | null
}

/** Where a page begins: after this entry, in the order of the list. */
export interface SuppressionPosition {
  kind: string
  value: string
}

interface ListFilter {
  search?: string | undefined
  kind?: string | undefined
  reason?: string | undefined
}

/** Addresses before domains, each by the alphabet. */
export const listSuppressions = (
  db: Db,
  workspaceId: string,
  after: SuppressionPosition,
  limit: number,
  { search, kind, reason }: ListFilter = {},
) =>
  db
    .selectFrom('suppressions')
    .select(['kind', 'value', 'reason', 'campaign_id', 'timestamp_created', 'blocked_since'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<SqlBool>`(kind, value) > (${after.kind}, ${after.value})`)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind as string))
    .$if(reason !== undefined, (query) => query.where('reason', '=', reason as string))
    .$if(search !== undefined, (query) =>
      query.where('value', 'like', `%${search?.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`),
    )
    .orderBy('kind')
    .orderBy('value')
    .limit(limit)
    .$castTo<StoredSuppression>()
    .execute()

/** How many there are for each reason. */
export async function countSuppressions(db: Db, workspaceId: string) {
  const { rows } = await sql<Pick<SuppressionRow, 'kind' | 'reason'> & { count: number }>`
    select kind, reason, count(*)::int as count
    from suppressions
    where workspace_id = ${workspaceId}::uuid
    group by kind, reason
    order by kind, reason`.execute(db)
  return rows
}

export async function findSuppression(
  db: Db,
  workspaceId: string,
  { kind, value }: SuppressionPosition,
) {
  const { rows } = await sql<StoredSuppression>`
    select kind, value, reason, campaign_id, timestamp_created, blocked_since
    from suppressions
    where workspace_id = ${workspaceId}::uuid and kind = ${kind} and value = ${value}`.execute(db)
  return rows[0]
}

export const deleteSuppression = (
  db: Db,
  workspaceId: string,
  { kind, value }: SuppressionPosition,
) =>
  db
    .deleteFrom('suppressions')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .where('value', '=', value)
    .execute()
