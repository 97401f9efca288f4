import type { Result } from '../engine/backends.ts'
import type { Call, Connection } from '../engine/connection.ts'
import { aside, type Fault, pass, rewriting } from '../engine/faults.ts'
import { ConnectionLost } from '../engine/statement.ts'
import type { DeliveryConditions } from './conditions.ts'

const nothing: Result = { rows: [], rowCount: 0, command: 'SELECT' }

/** The statements that faults are about, by what only they say. */
const statement = {
  poll: /select distinct workspace_id, webhook_id\s+from deliveries\s+where bucket = any\(\$1::smallint\[\]\) and due_at > /,
  sweep: /as has_work/,
  read: /\(d\.due_at, d\.id\) > /,
  findDestinations: /where w\.workspace_id = \$1 and w\.id = any\(\$2/,
  findSubscribers: /w\.event_type = any\(\$2/,
  insertDeliveries: /insert into deliveries/,
  settle: /delete from deliveries d\s+using|update deliveries d\s+set/,
  settleEnded: /delete from deliveries d\s+using/,
  settleRetried: /update deliveries d\s+set/,
  count: /insert into webhook_event_counts/,
  renew: /update bucket_leases l\s+set leased_until/,
  take: /with free as/,
}

const crashes: Partial<DeliveryConditions> = {
  ...{ calm: false, crashes: 6, resetChance: 0.02, failovers: [] },
}
const resets: Partial<DeliveryConditions> = {
  calm: false,
  failovers: [],
  crashes: 0,
  stalls: 0,
  resetChance: 0.03,
}
const lostLeases: Partial<DeliveryConditions> = {
  ...{ calm: false, stalls: 8, leaseMs: 2_000, failovers: [] },
}

export const faults: Fault<DeliveryConditions>[] = [
  {
    name: 'unlocked-fence',
    about: 'A settlement reads that the lease is its own, and then writes whatever became of it.',
    conditions: lostLeases,
    create: () => async (call) => {
      if (!statement.settle.test(call.text)) return pass(call)
      const { connection, process, values } = call
      const [, ids, seen] = values as [string[], string[], (number | null)[]]
      const held = await connection.send(
        `select d.id, d.attempt from deliveries d
         join bucket_leases l on l.kind = 'deliveries' and l.bucket = d.bucket
         where d.id = any($1::uuid[]) and l.runner_id = $2 order by d.id`,
        [ids, process.runnerId],
      )
      const isHeld = new Set(held.rows.map(({ id }) => id))
      const ofHeld = (column: unknown) =>
        (column as unknown[]).filter((_value, at) => isHeld.has(ids[at]))
      const blind = call.text.replace(/d\.attempt = k\.seen/, 'true')
      await connection.send(blind, values.map(ofHeld))
      const rows = held.rows.map(({ id, attempt }) => ({
        id,
        attempt: seen[ids.indexOf(String(id))] ?? attempt,
      }))
      return { ...held, rows }
    },
  },
  rewriting(
    'settle-without-attempt-check',
    'A failure counts as the attempt the row waits for, whichever attempt it was of.',
    { ...lostLeases, resetChance: 0.05, troubled: true },
    statement.settle,
    [/d\.attempt = k\.seen/, '(true or d.attempt = k.seen)'],
  ),
  aside(
    'delete-before-record',
    'A delivery is deleted before the transaction that records its attempt.',
    crashes,
    statement.settleEnded,
  ),
  aside(
    'counters-outside-transaction',
    'Counters are written on another connection than the attempts they count.',
    { ...crashes, resetChance: 0.05 },
    statement.count,
  ),
  rewriting(
    'counters-overwritten',
    'A counter is set to what this batch added.',
    {},
    statement.count,
    [/c\.succeeded \+ excluded/, 'excluded'],
    [/c\.failed \+ excluded/, 'excluded'],
  ),
  {
    name: 'unknown-commit-taken-for-done',
    about: 'A settlement whose COMMIT was never answered is not run again.',
    conditions: resets,
    create: () => async (call) => {
      if (call.text !== 'commit' || call.process.role !== 'runner') return pass(call)
      return pass(call).catch((error: Error) => {
        if (error instanceof ConnectionLost) return { ...nothing, command: 'COMMIT' }
        throw error
      })
    },
  },
  rewriting(
    'retry-at-once',
    'A failed delivery keeps its old due time.',
    { troubled: true },
    statement.settleRetried,
    [/due_at = k\.due_at/, 'due_at = case when k.due_at is null then k.due_at else d.due_at end'],
  ),
  {
    name: 'no-sweep',
    about: 'Only the watermark finds due rows: one that was committed late lies behind it.',
    conditions: { lateCommitChance: 0.5 },
    create: () => (call) =>
      statement.sweep.test(call.text) ? Promise.resolve(nothing) : pass(call),
  },
  {
    name: 'hints-only',
    about: 'Due rows are looked for only when a hint says so.',
    conditions: { hintLossChance: 0.5 },
    create: () => (call) => {
      if (statement.sweep.test(call.text)) return Promise.resolve(nothing)
      if (!statement.poll.test(call.text)) return pass(call)
      // A poll that nobody asked for looks back two seconds.
      const [, from, to] = call.values as [number[], Date, Date]
      return to.getTime() - from.getTime() > 2_000 ? Promise.resolve(nothing) : pass(call)
    },
  },
  {
    name: 'taken-ignored',
    about: 'A read gives rows that are in flight already.',
    conditions: {},
    create: () => async (call) => {
      const result = await pass(call)
      if (!statement.read.test(call.text)) return result
      const { rows } = result
      return { ...result, rows: Object.assign(rows, { filter: () => [...rows] }) }
    },
  },
  {
    name: 'deliveries-after-commit',
    about: 'Deliveries are written after the transaction of their events.',
    conditions: crashes,
    create: () => {
      const heldBack = new Map<Connection, Call>()
      return async (call) => {
        const { connection, process, text } = call
        if (process.role === 'api' && statement.insertDeliveries.test(text)) {
          heldBack.set(connection, call)
          return { ...nothing, command: 'INSERT' }
        }
        const result = await pass(call)
        const late = heldBack.get(connection)
        if (late && text === 'commit') await pass(late)
        return result
      }
    },
  },
  rewriting(
    'renewal-without-token',
    'A runner renews leases that another has taken since.',
    lostLeases,
    statement.renew,
    [/l\.token = mine\.token/, '(true or l.token = mine.token)'],
    [/l\.runner_id = (\$\d+::uuid)/, '(true or l.runner_id = $1)'],
  ),
  rewriting(
    'live-leases-taken',
    'Leases are taken without a look at their expiry.',
    {},
    statement.take,
    [/\(runner_id is null or leased_until <= outrider_now\(\)\)/, 'true'],
  ),
  {
    name: 'destination-remembered',
    about: 'What was read of a destination is used for ten minutes.',
    conditions: {},
    create: () => {
      const known = new Map<string, { readMs: number; rows: Result['rows'] }>()
      return async (call) => {
        const { process, text, values } = call
        const result = await pass(call)
        if (process.role !== 'runner') return result
        const nowMs = process.ctx.monotonicMs()
        const remembered = (id: string, read: Result['rows']) => {
          const key = `${process.label} ${id}`
          const before = known.get(key)
          if (before && nowMs - before.readMs < 600_000) return before.rows
          known.set(key, { readMs: nowMs, rows: read })
          return read
        }
        if (statement.findDestinations.test(text)) {
          const rows = (values[1] as string[]).flatMap((id) =>
            remembered(
              `${id} refreshed`,
              result.rows.filter((row) => row.id === id),
            ),
          )
          return { ...result, rows }
        }
        if (!statement.read.test(text)) return result
        for (const row of result.rows) {
          const { webhook_id: id, destination, version } = row
          if (destination) Object.assign(row, remembered(`${id}`, [{ destination, version }])[0])
        }
        return result
      }
    },
  },
  rewriting(
    'subscribers-of-all-workspaces',
    'Destinations are looked up without the workspace of the event.',
    {},
    statement.findSubscribers,
    [/w\.workspace_id = \$1/, '$1::uuid is not null'],
  ),
]
