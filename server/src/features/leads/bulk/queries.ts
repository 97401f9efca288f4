import { sql } from 'kysely'
import { timestampArray } from '../../../kernel/db/binary-array.ts'
import type { Db } from '../../../kernel/db/db.ts'
import { newestFirst } from '../../../kernel/db/newest-first.ts'
import type { PageRequest } from '../../../kernel/http/page.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import { askedNobody } from '../asked-nobody.ts'
import type { LeadFilters } from '../lists/list-schema.ts'
import type { LeadState, StoredLead } from '../record.ts'
import type { BulkAction, LeadJob } from './schema.ts'

export type JobAction =
  | { kind: 'set_status'; status: string }
  | { kind: 'move'; campaign_id: string }
  | { kind: Exclude<BulkAction, 'set_status' | 'move'> }

export interface JobLeads {
  ids?: string[]
  filter?: LeadFilters
  excluded?: string[]
}

/** A lead as it was before, and when it was changed: one that was changed since stays as it is. */
export interface LeadSnapshot
  extends Pick<LeadState, 'status' | 'label_id' | 'sending_state' | 'stop_reason' | 'skip_reason'> {
  id: string
  timestamp_next_send: string | null
  postponed_until: string | null
  changed_at: string
}

export interface Job extends Omit<LeadJob, 'action' | 'can_undo'> {
  workspace_id: string
  user_id: string
  action: JobAction
  target: JobLeads
  place: string | null
  /** Null: there is no way back. Older versions wrote an empty one where they changed nobody. */
  undo: LeadSnapshot[] | null
  claim: string | null
  timestamp_claimed: Date | null
}

export const insertJob = (db: Db, job: Job) =>
  sql`
    insert into lead_jobs (workspace_id, id, user_id, action, target, state, total, looked_at,
      changed, refused, refusals, place, undo, timestamp_created, timestamp_updated)
    values (${job.workspace_id}::uuid, ${job.id}::uuid, ${job.user_id}::uuid,
      ${JSON.stringify(job.action)}::jsonb, ${JSON.stringify(job.target)}::jsonb, ${job.state},
      ${job.total}, ${job.looked_at}, ${job.changed}, ${job.refused},
      ${JSON.stringify(job.refusals)}::jsonb, ${job.place}::uuid,
      ${job.undo && JSON.stringify(job.undo)}::jsonb, ${job.timestamp_created}::timestamptz,
      ${job.timestamp_updated}::timestamptz)`.execute(db)

export const findJob = async (db: Db, workspaceId: string, id: string) => {
  const { rows } = await sql<Job>`
    select * from lead_jobs
    where workspace_id = ${workspaceId}::uuid and id = ${id}::uuid`.execute(db)
  return rows[0]
}

/** Without what may be long of each. */
export const listJobs = (db: Db, workspaceId: string, page: PageRequest) =>
  db
    .selectFrom('lead_jobs')
    .select(['id', 'user_id', 'state', 'total', 'looked_at', 'changed', 'refused', 'error'])
    .select(['timestamp_created', 'timestamp_updated'])
    .select(sql<BulkAction>`action ->> 'kind'`.as('action'))
    .select(sql<boolean>`undo is not null and changed > 0`.as('can_undo'))
    .where('workspace_id', '=', workspaceId)
    .$call(newestFirst(page))
    .$castTo<Omit<LeadJob, 'refusals'>>()
    .execute()

export const lockJob = async (db: Db, workspaceId: string, id: string) => {
  const { rows } = await sql<Job>`
    select * from lead_jobs
    where workspace_id = ${workspaceId}::uuid and id = ${id}::uuid
    for update`.execute(db)
  return rows[0]
}

/** How far it is. Nobody works on it until it is claimed again, after those that have waited longer. */
export const updateJob = (db: Db, job: Job) =>
  sql`
    update lead_jobs
    set state = ${job.state}, total = ${job.total}, looked_at = ${job.looked_at}, changed = ${job.changed},
      refused = ${job.refused}, refusals = ${JSON.stringify(job.refusals)}::jsonb,
      place = ${job.place}::uuid, undo = ${job.undo && JSON.stringify(job.undo)}::jsonb,
      error = ${job.error}, claim = null, timestamp_claimed = ${job.timestamp_updated}::timestamptz,
      timestamp_updated = ${job.timestamp_updated}::timestamptz
    where workspace_id = ${job.workspace_id}::uuid and id = ${job.id}::uuid`.execute(db)

export const countRunning = async (db: Db, workspaceId: string) => {
  const { rows } = await sql<{ running: number }>`
    select count(*)::integer as running from lead_jobs
    where workspace_id = ${workspaceId}::uuid and state = 'running'`.execute(db)
  return rows[0]?.running ?? 0
}

export const insertChanges = (
  db: Db,
  { workspace_id, id }: Pick<Job, 'workspace_id' | 'id'>,
  leadIds: string[],
) =>
  sql`
    insert into lead_job_changes (workspace_id, job_id, lead_id)
    select ${workspace_id}::uuid, ${id}::uuid, lead_id from unnest(${leadIds}::uuid[]) as k (lead_id)`.execute(
    db,
  )

export const markUndone = (
  db: Db,
  { workspace_id, id }: Pick<Job, 'workspace_id' | 'id'>,
  leadIds: string[],
) =>
  sql`
    update lead_job_changes set undone = true
    where workspace_id = ${workspace_id}::uuid and job_id = ${id}::uuid
      and lead_id = any(array(select unnest(${leadIds}::uuid[])))`.execute(db)

/** Of jobs that were begun before. @returns how many; as many as `limit` means that there may be more */
export async function deleteChanges(
  db: Db,
  workspaceId: string,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from lead_job_changes c
    using (
      select job_id, lead_id from lead_job_changes
      where workspace_id = ${workspaceId}::uuid and job_id < ${firstIdAt(before)}::uuid
      order by job_id, lead_id
      limit ${limit}::integer
    ) old
    where c.workspace_id = ${workspaceId}::uuid and c.job_id = old.job_id
      and c.lead_id = old.lead_id`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Finished ones are of no use to anybody after a while. */
export const deleteOldJobs = (db: Db, workspaceId: string, before: Date) =>
  sql`
    delete from lead_jobs
    where workspace_id = ${workspaceId}::uuid and state <> 'running'
      and timestamp_updated < ${before}::timestamptz`.execute(db)

/**
 * Of locked leads: those that nothing was ever sent to, and nothing came from. A first attempt that asked no server
 * keeps nobody, and its row stays in the ledger; a standby that took over may lack the one that came after it.
 */
export const findUntouched = async (db: Db, workspaceId: string, ids: string[]) => {
  const { rows } = await sql<{ id: string }>`
    select l.id from leads l
    where l.workspace_id = ${workspaceId}::uuid and l.id = any(array(select unnest(${ids}::uuid[])))
      and l.current_step = 0
      and not exists (
        select from sends s
        where s.workspace_id = ${workspaceId}::uuid and s.lead_id = l.id
          and not (s.attempt = 1 and ${sql.raw(askedNobody)}))
      and not exists (
        select from missing_marks m where m.workspace_id = ${workspaceId}::uuid and m.lead_id = l.id)
      and not exists (
        select from threads t where t.workspace_id = ${workspaceId}::uuid and t.id = l.id)`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

export const deleteLeads = (db: Db, workspaceId: string, ids: string[]) =>
  sql`
    delete from leads
    where workspace_id = ${workspaceId}::uuid
      and id = any(array(select unnest(${ids}::uuid[])))`.execute(db)

interface CarriedOver
  extends Pick<StoredLead, 'id' | 'postponed_until' | 'label_id' | 'moved_from'> {
  /** Null: that of any new lead. */
  status: string | null
}

/** To leads that were added in the same transaction, which have none of it. */
export const carryOver = (db: Db, workspaceId: string, leads: CarriedOver[]) =>
  sql`
    update leads l
    set postponed_until = k.postponed_until,
      timestamp_next_send = greatest(l.timestamp_next_send, k.postponed_until),
      status = coalesce(k.status, l.status), label_id = k.label_id, moved_from = k.moved_from
    from unnest(
      ${leads.map((lead) => lead.id)}::uuid[],
      ${timestampArray(leads.map((lead) => lead.postponed_until))}::timestamptz[],
      ${leads.map((lead) => lead.status)}::text[],
      ${leads.map((lead) => lead.label_id)}::uuid[],
      ${leads.map((lead) => lead.moved_from)}::uuid[]
    ) as k (id, postponed_until, status, label_id, moved_from)
    where l.workspace_id = ${workspaceId}::uuid and l.id = k.id
      and l.id = any(array(select unnest(${leads.map((lead) => lead.id)}::uuid[])))`.execute(db)
