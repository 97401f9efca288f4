import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'
import type { PageRequest } from '../../../kernel/http/page.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import type { StoredLead } from '../record.ts'
import type { LeadFilter } from './filter.ts'
import type { ListedLead } from './list-schema.ts'

/** Of those that a filter matches: only these, and none of those. */
export interface ChosenLeads {
  ids: string[] | undefined
  excluded: string[]
}

/** Newest first, and one more than the page holds. */
export const listLeads = async (
  db: Db,
  workspaceId: string,
  filter: LeadFilter,
  { limit, startingAfter }: PageRequest,
) => {
  const { rows } = await sql<Omit<ListedLead, 'is_suppressed'> & { email_folded: string }>`
    select id, campaign_id, email, email_folded, first_name, last_name, company_name, job_title, status, label_id,
      sending_state, stop_reason, skip_reason, current_step, email_open_count, email_click_count,
      email_reply_count, timestamp_last_contact, timestamp_created,
      case when sending_state in ('pending', 'active') then timestamp_next_send end
        as timestamp_next_send
    from leads
    where ${matching(workspaceId, filter)} ${before(startingAfter)}
    order by id desc
    limit ${limit + 1}::integer`.execute(db)
  return rows
}

/**
 * Up to a limit: who counts on knows only that there are more.
 *
 * @param excluded ids of leads that are not counted
 */
export const countMatching = async (
  db: Db,
  workspaceId: string,
  filter: LeadFilter,
  limit: number,
  excluded: string[] = [],
): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select 1 from leads where ${matching(workspaceId, filter)} ${besides(excluded)} limit ${limit}::integer
    ) as found`.execute(db)
  return rows[0]?.count ?? 0
}

/** Every lead of a campaign, or of all, as it is kept where leads are changed. */
export const countKept = async (db: Db, workspaceId: string, campaignId: string | undefined) => {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(total), 0)::integer as count
    from campaign_lead_counts
    where workspace_id = ${workspaceId}::uuid
      and (${campaignId ?? null}::uuid is null or campaign_id = ${campaignId ?? null}::uuid)`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** The ids of those that a filter matches, newest first from before one. */
export const listMatchingIds = async (
  db: Db,
  workspaceId: string,
  filter: LeadFilter,
  startingAfter: string | undefined,
  limit: number,
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select id from leads
    where ${matching(workspaceId, filter)} ${before(startingAfter)}
    order by id desc
    limit ${limit}::integer`.execute(db)
  return rows.map(({ id }) => id)
}

/** Whole records for a download; with `ids` only these. */
export const listWhole = async (
  db: Db,
  workspaceId: string,
  filter: LeadFilter,
  startingAfter: string | undefined,
  limit: number,
  ids: string[] | undefined,
) => {
  const { rows } = await sql<StoredLead & { campaign_name: string }>`
    select l.*, (
      select c.name from campaigns c
      where c.workspace_id = ${workspaceId}::uuid and c.id = l.campaign_id
    ) as campaign_name
    from leads l
    where ${matching(workspaceId, filter)} ${before(startingAfter)} ${among(ids)}
    order by id desc
    limit ${limit}::integer`.execute(db)
  return rows
}

/** What the variables of the leads of a download are called: its columns. */
export const listVariableNames = async (
  db: Db,
  workspaceId: string,
  filter: LeadFilter,
  { ids, excluded }: ChosenLeads,
  limit: number,
): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select distinct jsonb_object_keys(custom_variables) as name
    from leads
    where ${matching(workspaceId, filter)} ${among(ids)} ${besides(excluded)}
    order by name
    limit ${limit}::integer`.execute(db)
  return rows.map(({ name }) => name)
}

const among = (ids: string[] | undefined) =>
  ids === undefined ? sql`` : sql`and id = any(${ids}::uuid[])`

const besides = (excluded: string[]) =>
  excluded.length === 0 ? sql`` : sql`and id <> all(${excluded}::uuid[])`

const before = (id: string | undefined) => (id === undefined ? sql`` : sql`and id < ${id}::uuid`)

function matching(workspaceId: string, filter: LeadFilter): RawBuilder<unknown> {
  const { campaignId, labelId, statuses, sendingStates, search } = filter
  const { addedFrom, addedTo, contactedFrom, contactedTo } = filter
  const [status] = statuses
  const conditions = [
    sql`workspace_id = ${workspaceId}::uuid`,
    // As `isErased` says it: there is nobody to show, to count or to change.
    sql`email_folded not like '%@erased.invalid'`,
    ...(campaignId ? [sql`campaign_id = ${campaignId}::uuid`] : []),
    ...(labelId ? [sql`label_id = ${labelId}::uuid`] : []),
    // One alone is walked in the order of its index.
    ...(statuses.length === 1 ? [sql`status = ${status}`] : []),
    ...(statuses.length > 1 ? [sql`status = any(${statuses}::text[])`] : []),
    ...(sendingStates.length > 0
      ? [sql`(${sql.join(sendingStates.map(inState), sql` or `)})`]
      : []),
    // The time that a lead was added at is in its id.
    ...(addedFrom ? [sql`id >= ${firstIdAt(addedFrom)}::uuid`] : []),
    ...(addedTo ? [sql`id < ${firstIdAt(addedTo)}::uuid`] : []),
    ...(contactedFrom ? [sql`timestamp_last_contact >= ${contactedFrom}::timestamptz`] : []),
    ...(contactedTo ? [sql`timestamp_last_contact < ${contactedTo}::timestamptz`] : []),
    ...(search ? [searched(search)] : []),
  ]
  return sql.join(conditions, sql` and `)
}

/** A lead that the service holds back is paused, with a reason. */
const inState = (state: string) =>
  state === 'held_back'
    ? sql`(sending_state = 'paused' and skip_reason is not null)`
    : sql`sending_state = ${state}`

/** Each word somewhere: "ann example" finds Ann of Example Ltd. */
function searched(search: string): RawBuilder<unknown> {
  const words = search.split(/\s+/).slice(0, 5)
  const each = words.map((word) => {
    const pattern = `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`
    return sql`(email ilike ${pattern} or first_name ilike ${pattern}
      or last_name ilike ${pattern} or company_name ilike ${pattern})`
  })
  return sql.join(each, sql` and `)
}
