/** How long a connection waits for the database; what is not given is waited for without end. */
export interface DatabaseTimeouts {
  /** A new connection, or a free one of the pool, is waited for so long. */
  connectMs: number
  statementMs?: number
  lockMs?: number
  /**
   * Behind PgBouncer in transaction mode a session's settings reach the sessions of others, so none
   * are made there.
   */
  isPooled?: boolean
  /** The way around the pooler, by which the database itself can be asked. */
  directUrl?: string | undefined
}

/** A client waits for the answer. */
export const apiTimeouts: DatabaseTimeouts = {
  connectMs: 4_000,
  statementMs: 15_000,
  lockMs: 10_000,
}

/** A statement of the runner that takes longer is a fault, and its batch is tried again. */
export const runnerTimeouts: DatabaseTimeouts = { connectMs: 10_000, statementMs: 60_000 }

/** An import or a backup takes the time that it takes. */
export const commandTimeouts: DatabaseTimeouts = { connectMs: 10_000 }

/**
 * What a new connection is told first. As start-up parameters they would be one round trip less, but
 * PgBouncer refuses connections that send those.
 */
export function settingsOf({ statementMs = 0, lockMs = 0, isPooled }: DatabaseTimeouts) {
  if (isPooled) return ''
  return (
    `/* session: without a pooler it is ours alone */ set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs}; ` +
    'set idle_in_transaction_session_timeout = 60000; '
  )
}
