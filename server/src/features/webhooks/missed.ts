import type { Selectable } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { Webhooks } from '../../kernel/db/types.gen.ts'
import { findFailingSince } from '../deliveries/lane-health/index.ts'
import * as queries from './queries.ts'

type Row = Selectable<Webhooks>

/** As it is kept with the destination from its resumption until it is replayed. */
interface KeptPeriod {
  from: string
  to: string
  /** Null where the beginning of it was replayed, and with it what had ended before. */
  ended_from: string | null
}

/** Events of the moment in which it goes on may be meant for nobody: twice is better than never. */
const overlapMs = 5_000
const periodsMax = 20

/** Of a disabled destination since then, else the oldest period that nobody has replayed. */
export async function findMissedPeriod(ctx: Context, row: Row) {
  const [kept] = keptPeriods(row)
  if (!row.timestamp_disabled) return kept && toWindow(kept)
  const from = row.timestamp_disabled
  const failingSince = await findFailingSince(ctx.db, row.workspace_id, row.id)
  return { from, to: ctx.now(), endedFrom: failingSince ?? from }
}

/** With what a destination has missed that goes on now: it may be replayed whenever somebody wants to. */
export async function keepMissed(tx: Context, row: Row): Promise<string> {
  const periods = keptPeriods(row)
  const period = await findMissedPeriod(tx, row)
  if (period?.endedFrom && row.timestamp_disabled) {
    periods.push({
      from: period.from.toISOString(),
      to: new Date(tx.now().getTime() + overlapMs).toISOString(),
      ended_from: period.endedFrom.toISOString(),
    })
  }
  return JSON.stringify(periods.slice(-periodsMax))
}

/** What was replayed from its beginning on is missed no more; the rest of it, if any, is. */
export async function forgetMissed(
  ctx: Context,
  workspaceId: string,
  id: string,
  { from, to, endedFrom = from }: { from: Date; to: Date; endedFrom?: Date | undefined },
) {
  await transaction(ctx, async (tx) => {
    const row = await queries.lockWebhook(tx.db, workspaceId, id)
    if (!row || keptPeriods(row).length === 0) return
    const left = keptPeriods(row).flatMap((kept) => {
      const period = toWindow(kept)
      if (from > period.from || endedFrom > (period.endedFrom ?? period.from) || to <= period.from)
        return [kept]
      if (to >= period.to) return []
      return [{ ...kept, from: to.toISOString(), ended_from: null }]
    })
    await queries.updateWebhook(tx.db, workspaceId, id, { missed: JSON.stringify(left) })
  })
}

const keptPeriods = (row: Row) => row.missed as unknown as KeptPeriod[]

const toWindow = ({ from, to, ended_from }: KeptPeriod) => ({
  from: new Date(from),
  to: new Date(to),
  endedFrom: ended_from === null ? undefined : new Date(ended_from),
})
