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
  /** The request that made a mark; null in a kept answer. */
  lease_owner: string | null
  timestamp_created: Date
}

/** Replaces what stands there: an expired lease, or an answer that is too old. */
export const upsertAnswer = (db: Db, answer: AnswerToKeep) =>
  sql`
    insert into idempotency_answers
      (workspace_id, day, key_hash, fingerprint, status, answer, in_progress_until, lease_owner,
        timestamp_created)
    values (${answer.workspace_id}::uuid, ${answer.day}::date, ${answer.key_hash}::bytea,
      ${answer.fingerprint}::bytea, ${answer.status}::smallint, ${answer.answer}::bytea,
      ${answer.in_progress_until}::timestamptz, ${answer.lease_owner}::uuid,
      ${answer.timestamp_created}::timestamptz)
    on conflict (workspace_id, day, key_hash) do update
      set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer,
        in_progress_until = excluded.in_progress_until, lease_owner = excluded.lease_owner,
        timestamp_created = excluded.timestamp_created`.execute(db)

/** Nothing is kept when another request has taken the lease over: the answer is then its to give. */
export const replaceMark = (db: Db, leaseOwner: string, answer: AnswerToKeep) =>
  db
    .updateTable('idempotency_answers')
    .set({
      status: answer.status,
      answer: answer.answer,
      in_progress_until: null,
      lease_owner: null,
      timestamp_created: answer.timestamp_created,
    })
    .where('workspace_id', '=', answer.workspace_id)
    .where('day', '=', answer.day)
    .where('key_hash', '=', answer.key_hash)
    .where('lease_owner', '=', leaseOwner)
    .execute()

type MarkKey = Pick<AnswerToKeep, 'workspace_id' | 'day' | 'key_hash'>

/** Nothing is renewed once it was answered, or another request has taken the lease over. */
export const renewMark = (
  db: Db,
  leaseOwner: string,
  { workspace_id, day, key_hash }: MarkKey,
  until: Date,
) =>
  db
    .updateTable('idempotency_answers')
    .set({ in_progress_until: until })
    .where('workspace_id', '=', workspace_id)
    .where('day', '=', day)
    .where('key_hash', '=', key_hash)
    .where('lease_owner', '=', leaseOwner)
    .execute()

/** A failed request frees its key, unless another one has taken the lease over. */
export const deleteMark = (db: Db, leaseOwner: string, { workspace_id, day, key_hash }: MarkKey) =>
  db
    .deleteFrom('idempotency_answers')
    .where('workspace_id', '=', workspace_id)
    .where('day', '=', day)
    .where('key_hash', '=', key_hash)
    .where('lease_owner', '=', leaseOwner)
    .execute()

interface AnswersAfter {
  day: string
  keyHash: Buffer
  since: Date
  limit: number
}

/** The next ones by day and key. */
export const listAnswers = async (
  db: Db,
  workspaceId: string,
  { day, keyHash, since, limit }: AnswersAfter,
) => {
  const { rows } = await sql<{ day: string; key_hash: Buffer; answer: Buffer | null }>`
    select day::text, key_hash, answer from idempotency_answers
    where workspace_id = ${workspaceId}::uuid and day >= ${since.toISOString().slice(0, 10)}::date
      and (day, key_hash) > (${day}::date, ${keyHash}::bytea)
      and timestamp_created >= ${since}::timestamptz and answer is not null
    order by idempotency_answers.day, key_hash
    limit ${limit}::integer`.execute(db)
  return rows
}

export const deleteAnswer = (db: Db, workspaceId: string, day: string, keyHash: Buffer) =>
  db
    .deleteFrom('idempotency_answers')
    .where('workspace_id', '=', workspaceId)
    .where('day', '=', day)
    .where('key_hash', '=', keyHash)
    .execute()
