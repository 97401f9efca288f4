// A model of what a load takes, from the processor time and the bytes that were measured for one of each.

/** What an operator knows of the load. */
export interface Load {
  mailsPerDay: number
  /** Webhooks a second in the busiest hour. */
  deliveries: number
  /** Changes a second through the API in the busiest hour. */
  changes: number
  leads: number
  mailboxes: number
  /** How long attempts are kept: WEBHOOK_RETENTION_DAYS. */
  attemptDays: number
  /** How long mails are kept: MESSAGE_RETENTION_DAYS. */
  messageDays: number
}

/** Microseconds of a core. */
interface Cost {
  node: number
  postgres: number
}

/**
 * Of one of each, with the bench that measured it; where it gave a range, the dearer end. They stand,
 * with how they were measured, in bench/JOURNAL.md.
 */
export const unitCosts: Record<'mail' | 'delivery' | 'change', Cost & { bench: string }> = {
  mail: { node: 1653, postgres: 1233, bench: 'sending --only usual' },
  delivery: { node: 100, postgres: 43, bench: 'deliveries' },
  change: { node: 990, postgres: 1080, bench: 'capacity --only changes' },
}

/** Bytes on disk, indexes included, by `capacity --only disk`. */
export const unitBytes = { lead: 683, mail: 7382, attempt: 2051 }

/** Megabytes of a process, the busiest that was measured, and what each mailbox adds to a runner. */
const unitMemory = { api: 175, runner: 256, mailbox: 0.021 }

/** Where the load is not told to the second. */
export const assumptions = {
  /** Mails go out in so many hours of a day. */
  sendingHours: 8,
  /** Of the busiest hour's deliveries, what an average hour has. */
  averageShare: 0.25,
  /** Of a core that may be busy, so that nobody waits. */
  busyShare: 0.7,
  /** What a process has to do without any load, as a share of a core. */
  idleShare: 0.02,
  /** Room for vacuum, WAL and growth, as a factor. */
  diskSpare: 1.5,
  /**
   * An API or a runner opens so many: DATABASE_CONNECTIONS, one for reads, one that asks whether the
   * database answers, one that listens.
   */
  connectionsPerProcess: 13,
  /** What PostgreSQL takes unless it is told otherwise, a few kept for operators. */
  connectionsMax: 90,
  /** Of PostgreSQL, in megabytes: shared buffers, and each connection. */
  postgresBase: 512,
  postgresConnection: 10,
  /** Connections between a pooler and each core of PostgreSQL. */
  pooledPerCore: 4,
  mailboxesPerRunner: 5000,
  /** Cores of Node and PostgreSQL together that the machine has on which the costs were measured. */
  coresTogether: 2,
  /** Of a backup that is put back, bytes a second. */
  restoredPerSecond: 100e6,
  /** What one PostgreSQL can be expected to have at most: cores, and bytes of fast disk. */
  coresMax: 32,
  diskMax: 4e12,
}

/** What a load takes. */
export interface Capacity {
  mailsPerSecond: number
  /** Busy cores, before any room is added. */
  busy: { mails: Cost; deliveries: Cost; changes: Cost }
  /** Cores to provide. */
  cores: Cost
  /** `together` in one process, as `npm start` runs them. */
  processes: { together: boolean; apis: number; runners: number }
  connections: number
  /** Megabytes. */
  memory: Cost
  /** Bytes. `total` has the room to spare, the others have not. */
  disk: { leads: number; mails: number; attempts: number; total: number }
  /** Connections between a pooler and PostgreSQL; undefined: none is needed. */
  pooled: number | undefined
  needs: { ownPostgres: boolean; standby: boolean; shards: number }
}

export function reckon(load: Load): Capacity {
  const { sendingHours, idleShare, busyShare, connectionsPerProcess, connectionsMax } = assumptions
  const mailsPerSecond = load.mailsPerDay / (sendingHours * 3600)
  const busy = {
    mails: times(unitCosts.mail, mailsPerSecond),
    deliveries: times(unitCosts.delivery, load.deliveries),
    changes: times(unitCosts.change, load.changes),
  }
  const processes = processesFor(load, busy)
  const roles = processes.apis + processes.runners
  const toProvide = (side: keyof Cost) =>
    (busy.mails[side] + busy.deliveries[side] + busy.changes[side] + roles * idleShare) / busyShare
  const cores = { node: toProvide('node'), postgres: toProvide('postgres') }
  const connections = roles * connectionsPerProcess
  const pooled =
    connections > connectionsMax
      ? Math.max(20, Math.ceil(cores.postgres) * assumptions.pooledPerCore)
      : undefined
  const disk = diskFor(load)
  return {
    ...{ mailsPerSecond, busy, cores, processes, connections, pooled, disk },
    memory: memoryFor(
      load,
      processes,
      Math.max(pooled ?? 0, Math.min(connections, connectionsMax)),
    ),
    needs: needsOf(cores, disk.total),
  }
}

const times = ({ node, postgres }: Cost, perSecond: number): Cost => ({
  node: (node * perSecond) / 1e6,
  postgres: (postgres * perSecond) / 1e6,
})

/** An API has one thread to answer with, a runner one to send with. */
function processesFor(load: Load, { mails, deliveries, changes }: Capacity['busy']) {
  const { busyShare, idleShare, mailboxesPerRunner } = assumptions
  const each = busyShare - idleShare
  const sending = mails.node + deliveries.node
  return {
    together: changes.node + sending <= each && load.mailboxes <= mailboxesPerRunner,
    apis: Math.max(1, Math.ceil(changes.node / each)),
    runners: Math.max(1, Math.ceil(sending / each), Math.ceil(load.mailboxes / mailboxesPerRunner)),
  }
}

function diskFor(load: Load): Capacity['disk'] {
  const leads = load.leads * unitBytes.lead
  const mails = load.mailsPerDay * load.messageDays * unitBytes.mail
  const perDay = load.deliveries * assumptions.averageShare * 86_400
  const attempts = perDay * load.attemptDays * unitBytes.attempt
  return { leads, mails, attempts, total: (leads + mails + attempts) * assumptions.diskSpare }
}

/** Leads and their indexes are read all the time; the rest is written once and read by few. */
function memoryFor(
  { mailboxes, leads }: Load,
  { apis, runners }: Capacity['processes'],
  connections: number,
): Cost {
  const { postgresBase, postgresConnection } = assumptions
  const { api, runner, mailbox } = unitMemory
  return {
    node: apis * api + runners * runner + mailboxes * mailbox,
    postgres: postgresBase + connections * postgresConnection + (leads * unitBytes.lead) / 1e6,
  }
}

function needsOf({ node, postgres }: Cost, bytes: number): Capacity['needs'] {
  const { coresTogether, restoredPerSecond, coresMax, diskMax } = assumptions
  const ownPostgres = node + postgres > coresTogether
  const restoreHours = bytes / restoredPerSecond / 3600
  const shards = Math.max(1, Math.ceil(postgres / coresMax), Math.ceil(bytes / diskMax))
  return { ownPostgres, standby: ownPostgres || restoreHours > 1, shards }
}
