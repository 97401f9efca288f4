import type { Config } from '../../config.ts'
import { codeOf } from '../errors.ts'
import { describeError } from '../log.ts'

/** The network has swallowed what was asked. */
export const databaseSilent = () =>
  Object.assign(new Error('The database has been silent for 3 s.'), { code: 'ETIMEDOUT' })

/** A standby, or a server that was set so: what is to be written has to go elsewhere, or wait. */
export const databaseReadOnly = () =>
  Object.assign(new Error('The database takes no changes.'), { code: readOnly })

export const isReadOnly = (error: unknown) => codeOf(error) === readOnly

// PostgreSQL's errcode.
const readOnly = '25006'

/**
 * Why the database could not do what was asked, where the same may succeed later; undefined for
 * every other failure, as for a value that it refuses.
 *
 * @returns a sentence for a client, and the seconds after which to ask again
 */
export function explainUnavailable(
  error: unknown,
): { message: string; retryAfterS: number } | undefined {
  if (!(error instanceof Error)) return
  const code = codeOf(error)
  if (code === '') return driverFailures.test(error.message) ? unreachable : undefined
  if (networkCodes.has(code)) return unreachable
  if (code === readOnly) return { message: takesNoChanges, retryAfterS: 1 }
  if (code === diskFull) return { message: storageFull, retryAfterS: 30 }
  if (code === moving) return { message: beingMoved, retryAfterS: 2 }
  if (busyStates.has(code)) return { message: busy, retryAfterS: 1 }
  return unreachableStates.test(code) || letsNobodyIn(error) ? unreachable : undefined
}

/**
 * The server lets nobody in this way: the user, the password or the machine (28), the database is missing
 * (3D000), or takes no connections, which has codes that mean something else elsewhere. An operator mends
 * it while processes run.
 */
export function letsNobodyIn(error: unknown): boolean {
  const { file } = (error ?? {}) as { file?: unknown }
  return file === 'postinit.c' || /^(28|3D)/.test(codeOf(error))
}

const unreachable = {
  message: 'The database is not reachable; try again shortly.',
  retryAfterS: 1,
}

/** The connection was lost or refused; not that the database was busy, full or moving something. */
export const isUnreachable = (error: unknown) => explainUnavailable(error) === unreachable

/** This process has closed its handle: no later attempt succeeds. */
export const isClosed = (error: unknown) =>
  error instanceof Error &&
  /^(Cannot use a pool after calling end|driver has already been destroyed)/.test(error.message)

/** As `describeError`, for the log: of a database that is away its place says more than a stack. */
export function describeFailure(
  error: unknown,
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
): Record<string, unknown> {
  const described = describeError(error)
  const { code, shard, cause } = described
  const isAway = code === undefined || networkCodes.has(String(code))
  if (!(isUnreachable(error) || isReadOnly(error)) || !(cause || isAway)) return described
  if (cause) return { code, shard, cause }
  const { host, pathname } = (databaseUrl && URL.parse(databaseUrl)) || { host: '', pathname: '' }
  const place = host === '' ? 'on this machine' : `at ${host}${pathname}`
  return { code, shard, cause: `the database ${shard ? 'of this shard' : place} does not answer` }
}

const busy = 'The database was too busy with other changes to do this in time; try again shortly.'
const takesNoChanges =
  'The database takes no changes for the moment, as while another one takes over from it; try again shortly.'
const storageFull =
  'The storage of the database is full, so nothing can be written; tell the operator, and try again once there is space.'

/** The database's disk, whose owner has to make room. */
export const isStorageFull = (error: unknown) => codeOf(error) === diskFull

const diskFull = '53100'

/** What was to be locked was somebody else's for as long as it could be waited for. */
export const isLockTimeout = (error: unknown) => codeOf(error) === lockTimeout

const lockTimeout = '55P03'

/** Two transactions waited for each other, and PostgreSQL ended this one. */
export const isDeadlock = (error: unknown) => codeOf(error) === deadlock

const deadlock = '40P01'

/**
 * A value that the database never takes: a data exception (22), more than PostgreSQL can hold (54), or
 * what no row may have (a check, a null). What only another row stands in the way of may pass later, and
 * so may a missing partition, which has the code of a check and names none.
 */
export function isAboutData(error: unknown): boolean {
  const code = codeOf(error)
  if (code === '23514') return constraintOf(error) !== undefined
  return /^((22|54)[0-9A-Z]{3}|23502)$/.test(code)
}

/** A value that may be there once was there already, as this unique index says. */
export const isTakenIn = (error: unknown, index: string) =>
  codeOf(error) === '23505' && constraintOf(error) === index

const constraintOf = (error: unknown) => ((error ?? {}) as { constraint?: unknown }).constraint

/**
 * The workspace that could not be written to because it is moved to another database. Nothing was
 * written, and the same succeeds there, or here if it is not moved after all.
 */
export interface Moving {
  workspaceId: string
  /** The workspace is there: what is still to be written here concerns nobody any more. */
  isMoved: boolean
}

/** Undefined for every other failure. */
export function movingOf(error: unknown): Moving | undefined {
  const { detail, hint } = (error ?? {}) as Record<'detail' | 'hint', unknown>
  if (codeOf(error) !== moving || typeof detail !== 'string') return undefined
  return { workspaceId: detail, isMoved: hint === 'moved' }
}

/** A class of our own: to PostgreSQL it means nothing. See migration 0115. */
const moving = 'OR503'

const beingMoved =
  'The workspace is being moved to another database: reading goes on, and changes are taken again once it is there, mostly within seconds; try again shortly, and tell the operator if this lasts.'

// PostgreSQL's errcodes: serialisation failure, deadlock, lock timeout, statement timeout or cancel.
const busyStates = new Set(['40001', deadlock, lockTimeout, '57014'])

/**
 * Connection lost or refused (08; also what PgBouncer says), too few resources (53: memory,
 * connections), the server stopping or starting (57P), a transaction that was idle too long (25P03),
 * and a failing disk (58030).
 */
const unreachableStates = /^(08|53|57P)|^(25P03|58030)$/

const networkCodes = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'EMFILE',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

/**
 * The driver gives its own failures no code, only a text. These are those of pg 8.23 and pg-pool 3.14;
 * whatever else has no code is a fault of ours and stays a 500.
 */
const driverFailures =
  /^(Connection terminated|Client (was closed|has encountered a connection error)|Query read timeout|timeout e(xpired|xceeded when trying to connect)|Cannot use a pool after calling end|the pipeline is closed|driver has already been destroyed|There was an error establishing an SSL connection)/
