import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { newestFirst } from '../../kernel/db/newest-first.ts'
import type { PageRequest } from '../../kernel/http/page.ts'
import type { ChangedBy } from '../audit/index.ts'
import type { ErasedHere } from './schema.ts'

export interface Job {
  workspace_id: string
  id: string
  asked_by: ChangedBy
  address: string | null
  lead_ids: string[]
  state: 'running' | 'finished'
  is_waiting: boolean
  error: string | null
  looked_at: string | number
  erased: ErasedHere
  place: string | null
  after: string | null
  since: Date | null
  timestamp_pass: Date | null
  claim: string | null
  due: Date
  timestamp_created: Date
  timestamp_updated: Date
}

export const insertJob = (db: Db, job: Job) =>
  sql`
    insert into erasures (workspace_id, id, asked_by, address, lead_ids, looked_at, erased, due,
      timestamp_created, timestamp_updated)
    values (${job.workspace_id}::uuid, ${job.id}::uuid, ${JSON.stringify(job.asked_by)}::jsonb,
      ${job.address}, ${job.lead_ids}::uuid[], ${job.looked_at}::bigint,
      ${JSON.stringify(job.erased)}::jsonb, ${job.due}::timestamptz,
      ${job.timestamp_created}::timestamptz, ${job.timestamp_updated}::timestamptz)`.execute(db)

export const listJobs = (db: Db, workspaceId: string, page: PageRequest) =>
  db
    .selectFrom('erasures')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .$call(newestFirst(page))
    .$castTo<Job>()
    .execute()

export const findJob = async (db: Db, workspaceId: string, id: string) => {
  const { rows } = await sql<Job>`
    select * from erasures
    where workspace_id = ${workspaceId}::uuid and id = ${id}::uuid`.execute(db)
  return rows[0]
}

/** The one that is under way for an address: there is one at most. */
export const findJobFor = async (db: Db, workspaceId: string, folded: string) => {
  const { rows } = await sql<Job>`
    select * from erasures
    where workspace_id = ${workspaceId}::uuid and address = ${folded}`.execute(db)
  return rows[0]
}

/** Nobody else changes it until the transaction ends. */
export const lockJob = async (db: Db, workspaceId: string, id: string) => {
  const { rows } = await sql<Job>`
    select * from erasures
    where workspace_id = ${workspaceId}::uuid and id = ${id}::uuid
    for update`.execute(db)
  return rows[0]
}

/** Takes one that nobody works on: whoever did has not been heard of since. */
export const claimOne = async (db: Db, workspaceId: string, id: string, claim: Claim) => {
  const { rows } = await sql`
    update erasures set claim = ${claim.claim}::uuid, due = ${claim.until}::timestamptz
    where workspace_id = ${workspaceId}::uuid and id = ${id}::uuid and state = 'running'
      and due <= ${claim.now}::timestamptz
    returning id`.execute(db)
  return rows.length > 0
}

export interface Claim {
  claim: string
  now: Date
  /** Longer than any step takes. */
  until: Date
}

export const updateJob = (db: Db, job: Job) =>
  sql`
    update erasures
    set address = ${job.address}, lead_ids = ${job.lead_ids}::uuid[], state = ${job.state},
      is_waiting = ${job.is_waiting}, error = ${job.error}, looked_at = ${job.looked_at}::bigint,
      erased = ${JSON.stringify(job.erased)}::jsonb, place = ${job.place}, after = ${job.after},
      since = ${job.since}::timestamptz, timestamp_pass = ${job.timestamp_pass}::timestamptz,
      due = ${job.due}::timestamptz, timestamp_updated = ${job.timestamp_updated}::timestamptz
    where workspace_id = ${job.workspace_id}::uuid and id = ${job.id}::uuid`.execute(db)

/** Finished ones are of no use to anybody after a while. */
export const deleteOldJobs = (db: Db, workspaceId: string, before: Date) =>
  sql`
    delete from erasures
    where workspace_id = ${workspaceId}::uuid and state <> 'running'
      and timestamp_updated < ${before}::timestamptz`.execute(db)
