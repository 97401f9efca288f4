import { sql } from 'kysely'
import type { AnyDb } from '../../../kernel/db/db.ts'
import { updateInstance } from '../../../kernel/db/instance.ts'

/** What this database says of itself as the one that is sent from. */
export interface SendingInstance {
  id: string
  /** Of the database that was sent from last; null: none yet. */
  sending_identity: string | null
  /** Of the one that answers. */
  current_identity: string
  sending_epoch: number
  sending_held_since: Date | null
  sending_held_reason: string | null
  /** Whatever the reason is: then everything waits for a person. */
  sending_held_by_operator: boolean
  /** Of the database before the last failover, and after it. */
  failover_from: string | null
  failover_identity: string | null
  /** How far the new primary had come. */
  failover_epoch: number | null
  /** Since it was noticed. */
  failover_ms: number | null
}

export async function findSendingInstance(db: AnyDb): Promise<SendingInstance | undefined> {
  const { rows } = await sql<SendingInstance>`
    select id, sending_identity, outrider_database_identity() as current_identity,
      sending_epoch::float8 as sending_epoch, sending_held_since, sending_held_reason,
      sending_held_by_operator, failover_from, failover_identity, failover_epoch::float8 as failover_epoch,
      (extract(epoch from outrider_now() - failover_since) * 1000)::float8 as failover_ms
    from instance
    order by id
    limit 1`.execute(db)
  return rows[0]
}

/** The epoch only grows: a database that has a smaller one than was seen was put back. */
export const updateSendingInstance = (
  db: AnyDb,
  { id, sending_identity, sending_epoch, ...held }: SendingInstance,
) => {
  const { sending_held_since, sending_held_reason, sending_held_by_operator } = held
  return updateInstance(db, id, {
    ...{ sending_identity, sending_epoch },
    ...{ sending_held_since, sending_held_reason, sending_held_by_operator },
  })
}

/**
 * Asked in every transaction that claims: a database that takes the place of another under running
 * processes is noticed before anything is sent by what it has forgotten. One that nobody has sent from
 * allows it.
 */
export const mayClaim = (epochSeen: string) => `coalesce((
       select i.sending_held_since is null and i.sending_epoch >= ${epochSeen}
         and (i.sending_identity is null
           or i.sending_identity = outrider_database_identity())
       from instance i
       order by i.id
       limit 1
     ), true)`

/**
 * Asked in every statement that marks: a claim that was made before a hold, or before a failover, ends
 * nothing in a database that is held, or that nobody has been asked about yet.
 */
export const mayMark = mayClaim('0')
