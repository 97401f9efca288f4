import type { Config } from '../config.ts'
import {
  countBacklogFull,
  leaseKind,
  readBacklog,
  readFailing,
} from '../features/deliveries/index.ts'
import { isReindexDue } from '../features/directory/index.ts'
import { listKeptSettings, toldMsMax } from '../features/kept-settings/index.ts'
import { type Leaving, listLeaving, standingOf } from '../features/moves/index.ts'
import { countWaiting } from '../features/tracking/index.ts'
import { countSecondFactors } from '../features/users/index.ts'
import type { WorkspacesOn } from '../features/workspaces/index.ts'
import { createSecretBox } from '../kernel/crypto.ts'
import { bringStandbyBack, findAwayStandby, standbyIsAway } from '../kernel/db/away-standby.ts'
import type { ProcessDb } from '../kernel/db/db.ts'
import {
  findInstance,
  readDatabaseTime,
  readServerVersion,
  readTimeBehind,
} from '../kernel/db/instance.ts'
import { newerDatabase } from '../kernel/db/migrate.ts'
import { findTimeMigrated, readMigrationGap } from '../kernel/db/migration-gap.ts'
import { listPartitions } from '../kernel/db/partitions.ts'
import { listIdleReplicationSlots } from '../kernel/db/replication-slots.ts'
import { dayMs } from '../kernel/durations.ts'
import {
  countRunners,
  findProcessesOlderThan,
  findProcessesWithoutKey,
} from '../kernel/runner/lease-queries.ts'
import { describeMark } from '../kernel/runner/process-mark.ts'
import { findUnreadable } from '../kernel/sealed-columns/index.ts'
import { keyIdsOf, readSecretKeys } from '../kernel/secret-key.ts'
import { counted, firstOf } from '../kernel/text.ts'
import { partitionedTables } from '../partitions.ts'
import { clockBehind, clockMsMax } from '../process/judge-clocks.ts'
import { sealedColumns } from '../sealed-columns.ts'
import { examineMail } from './doctor-mail.ts'
import { type Finding, fine, found } from './finding.ts'

/** What a shard works for, and what has left it. */
export interface SaidByShard extends WorkspacesOn {
  leaving: Leaving[]
}

/** What the databases of the installation say that answer. */
export interface Said {
  shards: SaidByShard[]
  /** None of them is missing. */
  areAll: boolean
  /** What processes were told, by the first. */
  keptSettings: Map<string, string>
}

/**
 * What the database tells, once it answers.
 *
 * @param isOurs it was started for this examination, so no server runs
 */
export async function examineDatabase(
  db: ProcessDb,
  config: Config,
  isOurs: boolean,
  said: Said,
): Promise<Finding[]> {
  const version = await readServerVersion(db)
  const first = [
    fine('database', `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`),
    await migrations(db),
    ...(await awayStandby(config)),
  ]
  // What follows reads tables that migrations make, and what processes have written lately.
  if (first.some(({ status }) => status === 'fail')) return first
  const now = await readDatabaseTime(db)
  return [
    ...first,
    await clock(db, now),
    await secretKey(db, config),
    await partitions(db, now),
    await slots(db),
    await runners(db, config, isOurs),
    await backlog(db, now),
    await webhooks(db, now),
    await directory(db),
    await moves(db, said),
    await unsubscribes(db, now),
    ...(await contradictions(db, now)),
    ...(await examineMail(db, config, said.keptSettings)),
  ]
}

/** Of processes that run; on the first database alone. */
async function contradictions(db: ProcessDb, now: Date): Promise<Finding[]> {
  const kept = (await listKeptSettings(db)).filter(
    ({ value, contradicting_value, timestamp_contradicted }) =>
      contradicting_value !== value &&
      now.getTime() - (timestamp_contradicted?.getTime() ?? 0) < toldMsMax,
  )
  if (kept.length === 0) return []
  const detail = kept
    .map(
      ({ name, value, contradicting_value }) =>
        `${name} is ${value}, a process that runs was told ${contradicting_value}`,
    )
    .join('; ')
  const remedy = 'Give the same settings to every process.'
  return [found('settings of processes', 'warn', detail, remedy)]
}

/** A runner writes them down within seconds once it can. */
const waitingMsMax = 3_600_000

/** Wishes to unsubscribe that came by a link while their workspace could not be written to. */
async function unsubscribes(db: ProcessDb, now: Date): Promise<Finding> {
  const { count, oldest } = await countWaiting(db)
  if (!oldest) return fine('unsubscribes', 'none waits for its workspace')
  const detail = `${count} wait for their workspaces since ${oldest.toISOString()}`
  if (now.getTime() - oldest.getTime() < waitingMsMax) return fine('unsubscribes', detail)
  const remedy =
    'Bring back the databases that are away, and end moves that were left. What an older OUTRIDER_SECRET_KEY sealed is read once that is in the list again.'
  return found('unsubscribes', 'warn', detail, remedy)
}

async function directory(db: ProcessDb): Promise<Finding> {
  if (!(await isReindexDue(db))) return fine('directory', 'searches find all contacts')
  const remedy = 'Run "npx outrider directory reindex".'
  return found('directory', 'warn', 'searches do not find all contacts', remedy)
}

/** A workspace whose move was left sends nothing, and nothing else says so. */
async function moves(db: ProcessDb, { shards, areAll }: Said): Promise<Finding> {
  const places = shards.flatMap(({ workspaces, leaving: gone }) => [
    ...workspaces.map(({ id }) => ({ id, moved_to: null, timestamp_moving: null })),
    ...gone,
  ])
  const leaving = (await listLeaving(db)).map((each) => {
    const itsPlaces = places.filter(({ id }) => id === each.id)
    return { ...each, standing: standingOf(each, itsPlaces, areAll) }
  })
  const left = leaving.filter(({ standing }) => standing === 'left' || standing === 'nowhere')
  if (left.length > 0) {
    const detail = left
      .map(({ name, moving_to, standing }) => {
        const state = standing === 'left' ? 'was begun and left' : 'was left before it arrived'
        return `a move of ${name} to ${moving_to} ${state}`
      })
      .join(', ')
    const commands = left.map(({ id, moving_to }) => `"${moveCommand(id)} --to ${moving_to}"`)
    const remedy = `Meanwhile it sends nothing, and may refuse changes. Run ${commands.join(' and ')}, or the same with --cancel alone.`
    return found('moves', 'fail', detail, remedy)
  }
  const unknown = leaving.filter(({ standing }) => standing === 'unknown')
  if (unknown.length > 0) {
    const names = unknown.map(({ name }) => name).join(', ')
    const detail = `${names} left this shard, and not every other one could be asked`
    return found('moves', 'warn', detail, 'Mend what is said of the other shards.')
  }
  const late = leaving.filter(
    ({ standing, since_ms }) => standing === 'deletable' && since_ms > remainsMsMax,
  )
  if (late.length > 0) {
    const detail = `rows of ${late.map(({ name }) => name).join(', ')} were left behind`
    return found('moves', 'warn', detail, 'Keep a runner alive: it deletes them hourly.')
  }
  const underWay = leaving.filter(({ standing }) => standing === 'under_way')
  return fine('moves', underWay.length > 0 ? `${underWay.length} under way` : 'none under way')
}

const moveCommand = (id: string) => `npx outrider workspaces move ${id}`

/** What is left of a move is deleted after an hour, by what runs hourly. */
const remainsMsMax = 3 * 3_600_000

async function migrations(db: ProcessDb): Promise<Finding> {
  const { missing, unknown } = await readMigrationGap(db)
  if (missing.length > 0) {
    const detail = `missing ${firstOf(missing)}`
    const remedy =
      'A server that has just been started does it itself in a while. Else restart the server, or stop every process and run "npx outrider migrate".'
    return found('migrations', 'fail', detail, remedy)
  }
  if (unknown.length === 0) return fine('migrations', 'all applied')
  const detail = `${firstOf(unknown)} come from a newer version`
  return found('migrations', 'fail', detail, newerDatabase(unknown))
}

async function awayStandby(config: Config): Promise<Finding[]> {
  const names = await findAwayStandby(config)
  if (names === undefined) return []
  return [found('standby', 'fail', standbyIsAway(names), bringStandbyBack)]
}

async function clock(db: ProcessDb, databaseTime: Date): Promise<Finding> {
  const behindMs = await readTimeBehind(db)
  if (behindMs > clockMsMax) {
    const remedy =
      'Set the clock of the machine of the database by NTP. If it is right, it was ahead before: what was written then is due at those times.'
    return found('clock', 'fail', clockBehind(behindMs), remedy)
  }
  const differenceMs = Math.abs(databaseTime.getTime() - Date.now())
  const detail = `${(differenceMs / 1000).toFixed(1)} s from the database's`
  if (differenceMs <= clockMsMax) return fine('clock', detail)
  const remedy = 'The service goes by the database; set both clocks by NTP for logs that agree.'
  return found('clock', 'warn', detail, remedy)
}

async function secretKey(db: ProcessDb, config: Config): Promise<Finding> {
  const check = 'secret key'
  const instance = await findInstance(db)
  const keys = await readSecretKeys(config).catch((error: Error) => error)
  if (keys instanceof Error) return found(check, 'fail', keys.message, 'Restore the key.')
  if (!instance) return fine(check, 'made at the first start')
  const sealing = instance.secret_key_id
  if (keys && keyIdsOf(keys).includes(sealing)) {
    const secrets = createSecretBox(keys)
    const others = await countSecondFactors({ db, secrets })
    const unreadable = await findUnreadable(db, secrets, sealedColumns, others)
    if (unreadable !== undefined) return found(check, 'fail', unreadable, reopen)
    const lacking = await findProcessesWithoutKey(db, sealing, config.leaseMs)
    if (lacking.length === 0) return fine(check, sealing)
    const detail = `${counted(lacking.length, 'runner that is alive lacks', 'runners that are alive lack')} the key ${sealing}, with which the service seals`
    const remedy = 'Restart every process with the same OUTRIDER_SECRET_KEY.'
    return found(check, 'fail', detail, remedy)
  }
  const detail = `the database is sealed with ${sealing}, which is ${keys ? 'not ours' : 'missing'}`
  return found(check, 'fail', detail, 'Set OUTRIDER_SECRET_KEY to it, or restore secret.key.')
}

async function partitions(db: ProcessDb, now: Date): Promise<Finding> {
  const remedy = 'Keep a runner alive: it makes them ahead of time. Restarting a server does too.'
  let until = Number.POSITIVE_INFINITY
  for (const table of partitionedTables) {
    const newest = (await listPartitions(db, table)).at(-1)
    if (!newest || newest.end <= now) {
      return found('partitions', 'fail', `${table.name} has none for the present`, remedy)
    }
    until = Math.min(until, newest.end.getTime())
  }
  const detail = `ready until ${new Date(until).toISOString().slice(0, 10)}`
  const daysAhead = (until - now.getTime()) / dayMs
  if (daysAhead >= 2) return fine('partitions', detail)
  return found('partitions', 'warn', detail, remedy)
}

/** A standby that is restarted is behind by less. */
const idleBytesMax = 100_000_000

/** A standby or a copy that has gone away without its slot fills the disk, and then nothing is written. */
async function slots(db: ProcessDb): Promise<Finding> {
  const check = 'replication slots'
  const idle = (await listIdleReplicationSlots(db)).filter(
    ({ kept_bytes }) => kept_bytes > idleBytesMax,
  )
  if (idle.length === 0) return fine(check, 'none keeps WAL that nobody reads')
  const kept = idle.map(
    ({ name, kept_bytes }) => `${name} keeps ${Math.round(kept_bytes / 1e6)} MB of WAL`,
  )
  const drops = idle.map(({ name }) => `"select pg_drop_replication_slot('${name}')"`)
  const remedy = `Bring back who reads it, or end it by ${drops.join(' and ')}. Set max_slot_wal_keep_size, so that none fills the disk.`
  return found(check, 'warn', `${kept.join(', ')} that nobody reads`, remedy)
}

async function runners(
  db: ProcessDb,
  { leaseMs, databaseShards }: Config,
  isOurs: boolean,
): Promise<Finding> {
  const alive = await countRunners(db, leaseKind, leaseMs)
  const migratedAt = await findTimeMigrated(db)
  const older = migratedAt ? await findProcessesOlderThan(db, migratedAt, leaseMs) : []
  if (older.length > 0) {
    const detail = `older than the last migration, of ${migratedAt?.toISOString()}: ${firstOf(older.map(describeMark))}`
    return found('runners', 'fail', detail, stopOlder)
  }
  if (alive > 0) return fine('runners', `${alive} alive`)
  if (isOurs) return found('runners', 'warn', 'no server runs', 'Run "npm start".')
  const others = databaseShards.length > 0 ? ', or restart those that run with these settings' : ''
  return found('runners', 'fail', 'none alive', `Start one ("npx outrider runner")${others}.`)
}

const stopOlder =
  'They are of the version before, whose tables have changed: stop them, and start them with this version.'

const reopen =
  'Restart with that key behind the first (OUTRIDER_SECRET_KEY=NEW,OLD), then run "npx outrider secrets reseal". If it is lost, give these mailboxes their passwords and these webhooks new secrets, and turn off the second factors of those who cannot sign in ("npx outrider users disable-second-factor").'

const lateMsMax = 300_000
const latelyMs = dayMs
/** Of more it is enough to know that there are many. */
const endedMax = 1_000

async function backlog(db: ProcessDb, now: Date): Promise<Finding> {
  const { pending, oldestDueMs } = await readBacklog({ db, now: () => now })
  const late = oldestDueMs > 0 ? `, the oldest due for ${Math.round(oldestDueMs / 1000)} s` : ''
  const detail = `${pending} pending${late}`
  const ended = await countBacklogFull(db, new Date(now.getTime() - latelyMs), endedMax)
  if (ended > 0) {
    const remedy =
      'Their destination takes less than comes: the log names it ("the oldest ended"). Run "npx outrider webhooks replay" once it keeps up.'
    const count = ended === endedMax ? `at least ${ended}` : `${ended}`
    return found('deliveries', 'warn', `${detail}; ${count} ended as backlog_full in 24 h`, remedy)
  }
  if (oldestDueMs <= lateMsMax) return fine('deliveries', detail)
  const remedy = 'Look at "runners" above and for slow destinations in the log; start more runners.'
  return found('deliveries', 'warn', detail, remedy)
}

/** One that does not answer keeps what it waits for, for days, and then it ends. */
async function webhooks(db: ProcessDb, now: Date): Promise<Finding> {
  const failing = await readFailing({ db, now: () => now })
  if (failing.length === 0) return fine('webhooks', 'none has failed for an hour')
  const named = failing.map(
    ({ webhook_id, workspace, target_hook_url, failing_since }) =>
      `${webhook_id} of ${workspace} at ${URL.parse(target_hook_url)?.host} fails since ${failing_since.toISOString()}`,
  )
  const remedy =
    'Mend what answers there; "npx outrider webhooks list --failing --workspace NAME" lists them. What waits is delivered then; run "npx outrider webhooks replay" for what has ended.'
  return found('webhooks', 'warn', firstOf(named), remedy)
}
