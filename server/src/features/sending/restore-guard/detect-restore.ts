import type { SendingInstance } from './hold-queries.ts'
import type { LastSeen } from './marker-file.ts'

/** Why nothing is sent until a person has looked. */
export type HoldReason =
  | 'another_database'
  | 'database_went_back'
  | 'data_was_copied'
  | 'data_is_incomplete'
  | 'mails_missing'
  | 'sender_unasked'
  | 'shard_unasked'
  | 'operator'

export const holdReasons: Record<HoldReason, string> = {
  another_database: 'The database was restored or moved',
  database_went_back: 'The database is older than what this machine has seen of it',
  data_was_copied: 'DATA_DIR was copied or restored',
  data_is_incomplete: 'The database in DATA_DIR was sent from, but not from this DATA_DIR',
  mails_missing: 'The database failed over, and the new primary lacks mails that were sent',
  sender_unasked:
    'The database failed over, and what a process sent before that has died since cannot be asked of it',
  shard_unasked:
    'The database failed over, and a shard that does not answer may have workspaces of it: start that shard, or take it out, and sending goes on by itself',
  operator: 'An operator held it',
}

/** Whether webhooks and the reading of mailboxes wait, too: this may be a copy, or an operator says so. */
export const holdsAll = ({
  sending_held_since,
  sending_held_reason,
  sending_held_by_operator,
}: SendingInstance) =>
  sending_held_since !== null && (sending_held_by_operator || !isOfFailover(sending_held_reason))

const isOfFailover = (reason: string | null | undefined) =>
  reason === 'mails_missing' || reason === 'sender_unasked' || endsByItself(reason)

/** Nothing is known to be wrong: it is over once every other shard has answered. */
export const endsByItself = (reason: string | null | undefined) => reason === 'shard_unasked'

/** What was lost is known by its keys, or nothing was: a reason that leaves more open comes before it. */
export const namesMails = (reason: string) => reason === 'mails_missing' || reason === 'operator'

/** After a failover, whoever is alive has noticed it by then. */
export const answerWithinMs = 30_000

/** Who knew the database before has decided by then whether sending goes on. */
export const decideWithinMs = answerWithinMs + 10_000

/** Four looks of a process at the database: who has missed them is dead. */
export const deadAfterMs = 60_000

/** How a database names itself: `outrider_database_identity()`. */
const identity = /^(?<cluster>\d+)\.(?<timeline>[0-9A-F]{8})\.(?<table>\d+)$/

/** Whether the one is what a standby of the other becomes: the same cluster on a later timeline. */
export function isFailover(before: string, after: string): boolean {
  const [from, to] = [identity.exec(before)?.groups, identity.exec(after)?.groups]
  if (!from || !to || from.cluster !== to.cluster || from.table !== to.table) return false
  return Number.parseInt(to.timeline ?? '', 16) > Number.parseInt(from.timeline ?? '', 16)
}

/** Another one was sent from, of which this was a standby. */
export const isFailedOver = ({
  sending_identity,
  current_identity,
}: Pick<SendingInstance, 'sending_identity' | 'current_identity'>) =>
  sending_identity !== null && isFailover(sending_identity, current_identity)

/**
 * Whether the database is the one that was sent from last, as far as it and a marker outside of it
 * can tell. One that was put back has forgotten mails that were sent: it would send them again.
 */
export function detectRestore(
  { id, sending_identity, current_identity, sending_epoch }: SendingInstance,
  marker: { ownsDatabase: boolean; lastSeen: LastSeen | undefined },
): HoldReason | null {
  if (sending_identity !== null && sending_identity !== current_identity) return 'another_database'
  const known = marker.lastSeen?.id === id ? marker.lastSeen : undefined
  // Also where it has forgotten that it was ever sent from.
  if (known && known.epoch > sending_epoch) return 'database_went_back'
  if (sending_identity === null || !marker.ownsDatabase) return null
  if (!known) return 'data_is_incomplete'
  return known.isCopy ? 'data_was_copied' : null
}
