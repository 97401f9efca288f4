import { sql } from 'kysely'
import type { Db } from '../db/db.ts'

/** Held to the end of the transaction; false when another request with this key is running. */
export async function tryLockKey(db: Db, lock: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${lock}::bigint) as locked`.execute(db)
  return rows[0]?.locked === true
}

/** The newest of today's and yesterday's. */
export const findAnswer = (db: Db, workspaceId: string, keyHash: Buffer, since: Date) =>
  db
    .selectFrom('idempotency_answers')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('key_hash', '=', keyHash)
    .where('day', '>=', since.toISOString().slice(0, 10))
    .where('timestamp_created', '>', since)
    .orderBy('day', 'desc')
    .limit(1)
    .executeTakeFirst()

export interface AnswerToKeep {
  workspace_id: string
  day: string
  key_hash: Buffer
  fingerprint: Buffer
  status: number | null
  answer: Buffer | null
  in_progress_until: Date | null
  timestamp_created: Date
}

/** Replaces what stands there: an expired lease, or the mark of this very request. */
export const upsertAnswer = (db: Db, answer: AnswerToKeep) =>
  sql`
    insert into idempotency_answers
      (workspace_id, day, key_hash, fingerprint, status, answer, in_progress_until, timestamp_created)
    values (${answer.workspace_id}::uuid, ${answer.day}::date, ${answer.key_hash}::bytea,
      ${answer.fingerprint}::bytea, ${answer.status}::smallint, ${answer.answer}::bytea,
      ${answer.in_progress_until}::timestamptz, ${answer.timestamp_created}::timestamptz)
    on conflict (workspace_id, day, key_hash) do update
      set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer,
        in_progress_until = excluded.in_progress_until,
        timestamp_created = excluded.timestamp_created`.execute(db)

/** A failed request frees its key. */
export const deleteMark = (db: Db, workspaceId: string, day: string, keyHash: Buffer) =>
  db
    .deleteFrom('idempotency_answers')
    .where('workspace_id', '=', workspaceId)
    .where('day', '=', day)
    .where('key_hash', '=', keyHash)
    .where('status', 'is', null)
    .execute()
