import { type SqlBool, sql } from 'kysely'
import { column } from '../../kernel/db/column.ts'
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

export interface StoredSuppression extends SuppressionRow {
  campaign_id: string | null
  timestamp_created: Date
}

/** How strong a reason is, the strongest first. */
const place = (reason: string) =>
  sql`array_position(${suppressionReasons}::text[], ${sql.ref(reason)})`

/**
 * Each reason stands by itself, so that lifting one lifts no other.
 *
 * @returns how many entries are new, or have a stronger reason now
 */
export async function insertSuppressions(
  db: Db,
  workspaceId: string,
  entries: StoredSuppression[],
) {
  const { rows } = await sql<{ count: number }>`
    with added as (
      insert into suppressions (workspace_id, kind, value, reason, campaign_id, timestamp_created)
      select ${workspaceId}::uuid, kind, value, reason, campaign_id, timestamp_created
      from unnest(
        ${column(entries, 'kind')}::text[],
        ${column(entries, 'value')}::text[],
        ${column(entries, 'reason')}::text[],
        ${column(entries, 'campaign_id')}::uuid[],
        ${column(entries, 'timestamp_created')}::timestamptz[]
      ) as batch (kind, value, reason, campaign_id, timestamp_created)
      on conflict do nothing
      returning kind, value, reason
    )
    select count(distinct (a.kind, a.value))::int as count
    from added a
    where not exists (
      select from suppressions s
      where s.workspace_id = ${workspaceId}::uuid and s.kind = a.kind and s.value = a.value
        and ${place('s.reason')} < ${place('a.reason')})`.execute(db)
  return rows[0]?.count ?? 0
}

export const deleteBounced = (db: Db, workspaceId: string, foldedAddresses: string[]) =>
  sql`
    delete from suppressions
    where workspace_id = ${workspaceId}::uuid and kind = 'address' and reason = 'bounced'
      and value = any(${foldedAddresses}::text[])`.execute(db)

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

/** Of the reasons of an entry the strongest, which holds. */
const holds = (workspaceId: string) =>
  sql<SqlBool>`not exists (
    select from suppressions t
    where t.workspace_id = ${workspaceId}::uuid and t.kind = suppressions.kind
      and t.value = suppressions.value
      and ${place('t.reason')} < ${place('suppressions.reason')})`

/** Addresses before domains, each by the alphabet, with the reason that holds. */
export const listSuppressions = (
  db: Db,
  workspaceId: string,
  after: SuppressionPosition,
  limit: number,
  { search, kind, reason }: ListFilter = {},
) =>
  db
    .selectFrom('suppressions')
    .select(['kind', 'value', 'reason', 'campaign_id', 'timestamp_created'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<SqlBool>`(kind, value) > (${after.kind}, ${after.value})`)
    .where(holds(workspaceId))
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

/** In the order of the list, with every reason of an entry. */
export const listReasons = (
  db: Db,
  workspaceId: string,
  after: SuppressionPosition & { reason: string },
  limit: number,
) =>
  db
    .selectFrom('suppressions')
    .select(['kind', 'value', 'reason', 'timestamp_created'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<SqlBool>`(kind, value, reason) > (${after.kind}, ${after.value}, ${after.reason})`)
    .orderBy('kind')
    .orderBy('value')
    .orderBy('reason')
    .limit(limit)
    .execute()

/** How many there are for each reason that holds. */
export async function countSuppressions(db: Db, workspaceId: string) {
  const { rows } = await sql<Pick<SuppressionRow, 'kind' | 'reason'> & { count: number }>`
    select kind, (${suppressionReasons}::text[])[place] as reason, count(*)::int as count
    from (
      select kind, min(${place('reason')}) as place
      from suppressions
      where workspace_id = ${workspaceId}::uuid
      group by kind, value
    ) entries
    group by kind, place
    order by kind, reason`.execute(db)
  return rows
}

/** With the reason that holds. */
export async function findSuppression(
  db: Db,
  workspaceId: string,
  { kind, value }: SuppressionPosition,
) {
  const { rows } = await sql<StoredSuppression>`
    select kind, value, reason, campaign_id, timestamp_created
    from suppressions
    where workspace_id = ${workspaceId}::uuid and kind = ${kind} and value = ${value}
      and ${holds(workspaceId)}`.execute(db)
  return rows[0]
}

export const deleteSuppression = (
  db: Db,
  workspaceId: string,
  { kind, value, reason }: SuppressionRow,
) =>
  db
    .deleteFrom('suppressions')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .where('value', '=', value)
    .where('reason', '=', reason)
    .execute()
