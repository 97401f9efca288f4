import { sql } from 'kysely'
import { timestampArray } from '../../../kernel/db/binary-array.ts'
import { column } from '../../../kernel/db/column.ts'
import type { AnyDb } from '../../../kernel/db/db.ts'
import { writeThroughFences } from '../../../kernel/db/here.ts'
import { updateInstance } from '../../../kernel/db/instance.ts'
import type { SendingInstance } from './hold-queries.ts'
import type { RememberedMark } from './remembered-marks.ts'

// Marks are of mailboxes of many workspaces: a statement on them joins workspace_id to its own unnest
// parameter, and says so in its first comment.

/** The first to notice it writes down how far the new primary had come. */
export const noteFailover = (
  db: AnyDb,
  { id, sending_identity, current_identity, sending_epoch }: SendingInstance,
) =>
  updateInstance(db, id, {
    failover_from: sending_identity,
    failover_identity: current_identity,
    failover_epoch: sending_epoch,
    failover_since: sql<Date>`outrider_now()`,
  })

/**
 * Of these, those that the ledger does not have as sent, or about to be, or as what a person has had
 * sent again since, and that no attempt of a higher number came after: an attempt gets it once the one
 * before it has ended. Any other failure says nothing: a claim that this database knew of was given back
 * here, because its mark is what is missing. Where a workspace was moved to another database, its ledger
 * is there, unless the mark is of a later time: then it had come back, and this database lacks that.
 */
export async function findMissingMarks(
  db: AnyDb,
  marks: RememberedMark[],
): Promise<RememberedMark[]> {
  if (marks.length === 0) return []
  const { rows } = await sql<{ id: string }>`/* batch */
    select k.id
    from unnest(${column(marks, 'workspace_id')}::uuid[], ${column(marks, 'lead_id')}::uuid[],
      ${column(marks, 'step_id')}::uuid[], ${column(marks, 'id')}::uuid[],
      ${column(marks, 'attempt')}::integer[],
      ${timestampArray(column(marks, 'timestamp_marked'))}::timestamptz[])
      as k (workspace_id, lead_id, step_id, id, attempt, timestamp_marked)
    where not exists (
      select from workspaces w
      where w.id = k.workspace_id and w.moved_to is not null
        and w.timestamp_moving >= k.timestamp_marked
    ) and not exists (
      select from sends s
      where s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id
        and (s.attempt > k.attempt
          or (s.id = k.id and (s.state in ('transmitting', 'sent', 'uncertain')
            or (s.state = 'failed' and s.error_stage = 'person'))))
    )`.execute(db)
  const missing = new Set(column(rows, 'id'))
  return marks.filter(({ id }) => missing.has(id))
}

/** Marks of workspaces that this database takes for moved are inserted, too. */
export async function insertMissingMarks(db: AnyDb, marks: RememberedMark[]): Promise<void> {
  await writeThroughFences(db)
  await sql`/* batch */
    insert into missing_marks (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id,
      timestamp_marked)
    select k.workspace_id, k.lead_id, k.step_id, k.id, k.campaign_id, k.mailbox_id,
      k.timestamp_marked
    from unnest(${column(marks, 'workspace_id')}::uuid[], ${column(marks, 'lead_id')}::uuid[],
      ${column(marks, 'step_id')}::uuid[], ${column(marks, 'id')}::uuid[],
      ${column(marks, 'campaign_id')}::uuid[], ${column(marks, 'mailbox_id')}::uuid[],
      ${timestampArray(column(marks, 'timestamp_marked'))}::timestamptz[])
      as k (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, timestamp_marked)
    on conflict do nothing`.execute(db)
}

/** This process sends, and has found all of its marks in the database that answers, or has said which not. */
export const upsertSender = (db: AnyDb, id: string) =>
  sql`
    insert into senders (id, database_identity, timestamp_seen)
    values (${id}::uuid, outrider_database_identity(), outrider_now())
    on conflict (id) do update
    set database_identity = excluded.database_identity, timestamp_seen = excluded.timestamp_seen`.execute(
    db,
  )

export async function listOtherSenders(db: AnyDb, id: string): Promise<string[]> {
  const rows = await db.selectFrom('senders').select('id').where('id', '<>', id).execute()
  return column(rows, 'id')
}

/** Senders that sent from the database of this identity, and that this one has forgotten. */
export const insertUnaskedSenders = (db: AnyDb, ids: string[], identity: string) =>
  sql`
    insert into senders (id, database_identity, timestamp_seen)
    select k.id, ${identity}, outrider_now() from unnest(${ids}::uuid[]) as k (id)
    on conflict do nothing`.execute(db)

export const deleteSender = (db: AnyDb, id: string) =>
  db.deleteFrom('senders').where('id', '=', id).execute()

/**
 * Who has not been seen for so long is dead, and sends nothing more. Only while nothing is asked: what
 * was deleted in a database was marked in it before.
 */
export const deleteDeadSenders = (db: AnyDb, silentMs: number) =>
  sql`
    delete from senders
    where timestamp_seen < outrider_now() - ${silentMs}::float8 * interval '1 ms'`.execute(db)

/**
 * Who may have something under way, and those of them who looked at the database last before then. A
 * time is in whole milliseconds here.
 */
export async function countSenders(
  db: AnyDb,
  { silentMs, lookedBefore }: { silentMs: number; lookedBefore: Date },
): Promise<{ living: number; unaware: number }> {
  const { rows } = await sql<{ living: number; unaware: number }>`
    select count(*)::int as living,
      count(*) filter (where timestamp_seen < ${lookedBefore}::timestamptz + interval '1 ms')::int
        as unaware
    from senders
    where timestamp_seen >= outrider_now() - ${silentMs}::float8 * interval '1 ms'`.execute(db)
  return rows[0] ?? { living: 0, unaware: 0 }
}

/** Of the others, those that have not said yet whether this database has all of their marks. */
export async function countUnaskedSenders(db: AnyDb, besides: string | null): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from senders
    where database_identity <> outrider_database_identity()
      and id is distinct from ${besides}::uuid`.execute(db)
  return rows[0]?.count ?? 0
}
