import type { Result } from '../engine/backends.ts'
import type { Call } from '../engine/connection.ts'
import type { FailoverPlan } from '../engine/failover.ts'
import { answering, type Fault, pass } from '../engine/faults.ts'
import type { SendingConditions } from './conditions.ts'

/** The statements that faults are about, by what only they say. */
const statement = {
  mark: /set state = 'transmitting'/,
  ask: /select k\.id\s+from unnest.*where not exists \(\s+select from workspaces .*select from sends s\s/s,
  keepMissing: /insert into missing_marks/,
  countUnasked: /from senders\s+where database_identity <>/,
  isSentFrom: /i\.sending_identity = outrider_database_identity\(\)/g,
  readInstance: /outrider_database_identity\(\) as current_identity/,
}

const lags: FailoverPlan = {
  ...{ after: 2, afterMs: 60_000, downMs: 3_000, takesRunner: false },
  lag: { after: 3, ms: 20_000, atLeastMs: 0 },
}

const lagging: Partial<SendingConditions> = {
  ...{ runners: 2, mailboxes: 2, leads: 8, steps: 2, pace: 'unhindered', actions: 0 },
  ...{ crashes: 0, stalls: 0, restarts: 0, resetChance: 0, stuckChance: 0, doubtChance: 0 },
  ...{ lostAnswerChance: 0, refusalChance: 0, mailResetChance: 0, failovers: [lags] },
}

export const failoverFaults: Fault<SendingConditions>[] = [
  answering(
    'nobody-asked',
    'A standby that took over is said to lack nothing, whatever it lacks.',
    lagging,
    statement.ask,
    () => [],
  ),
  {
    name: 'last-marks-forgotten',
    about: 'A process does not remember what it marked within the last seconds.',
    conditions: lagging,
    create: () => {
      const markedMs = new Map<unknown, number>()
      return async (call) => {
        const nowMs = call.process.ctx.monotonicMs()
        const result = await pass(call)
        if (statement.mark.test(call.text))
          for (const { id } of result.rows) markedMs.set(id, nowMs)
        if (!statement.ask.test(call.text)) return result
        const isOld = ({ id }: Result['rows'][number]) => nowMs - (markedMs.get(id) ?? 0) > 20_000
        return { ...result, rows: result.rows.filter(isOld) }
      }
    },
  },
  answering(
    'dead-sender-taken-for-asked',
    'A process that died with the primary counts as one that misses nothing.',
    { ...lagging, failovers: [{ ...lags, takesRunner: true }] },
    statement.countUnasked,
    () => [{ count: 0 }],
  ),
  {
    name: 'sent-while-asked',
    about: 'Mails are claimed and marked before it is known what the new primary lacks.',
    // One that has died is waited for, longer than its leases last.
    conditions: { ...lagging, failovers: [{ ...lags, takesRunner: true }] },
    create: () => (call: Call) => {
      const { connection, text, values } = call
      return connection.send(text.replace(statement.isSentFrom, 'true'), values)
    },
  },
  {
    name: 'missing-mails-not-named',
    about: 'Sending is held because mails are missing, and nobody writes down which.',
    conditions: lagging,
    create: () => async (call) =>
      statement.keepMissing.test(call.text)
        ? { rows: [], rowCount: 0, command: 'INSERT' }
        : pass(call),
  },
  answering(
    'lag-not-seen',
    'The standby is taken for one that has come as far as the last look of everybody.',
    { ...lagging, failovers: [{ ...lags, lag: { after: 3, ms: 40_000, atLeastMs: 30_000 } }] },
    statement.readInstance,
    (rows) =>
      rows.map((row) => (row.failover_epoch === null ? row : { ...row, failover_epoch: 1e9 })),
  ),
]
