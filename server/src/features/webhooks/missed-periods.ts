import type { Selectable } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { Webhooks } from '../../kernel/db/types.gen.ts'
import { notFound } from '../../kernel/errors.ts'
import type { ChangedBy } from '../audit/index.ts'
import { findFailingSince } from '../deliveries/lane-health/index.ts'
import { tellPages } from '../live/index.ts'
import * as queries from './queries.ts'
import type { Webhook } from './schema.ts'
import { recordWebhookChange, toRecord } from './webhooks.ts'

type Row = Selectable<Webhooks>

/** As it is kept with the destination from its resumption until it is replayed. */
interface KeptPeriod {
  from: string
  /** When it went on. */
  to: string
  /** Null where the beginning of it was replayed, and with it what had ended before. */
  ended_from: string | null
  /** Somebody said that it is not to be replayed: it is offered no more. */
  dismissed?: boolean
}

const periodsMax = 20

/** Of a disabled destination since then, else what nobody has replayed or dismissed, the oldest first. */
export async function findMissedPeriods(ctx: Context, row: Row) {
  const { timestamp_disabled: from } = row
  const periods = from
    ? [await findCurrentPeriod(ctx, row, from)]
    : keptPeriods(row)
        .filter(({ dismissed }) => !dismissed)
        .map(toWindow)
  return periods.map((period) => ({ ...period, previousTo: previousTo(row, period.from) }))
}

async function findCurrentPeriod(ctx: Context, row: Row, from: Date) {
  const failingSince = await findFailingSince(ctx.db, row.workspace_id, row.id)
  return { from, to: ctx.now(), endedFrom: failingSince ?? from }
}

/** When the time before this one, in which it was off and which nobody has replayed, was over. */
export async function findPreviousTo(ctx: Context, workspaceId: string, id: string, from: Date) {
  const row = await queries.findWebhook(ctx.db, workspaceId, id)
  return row && previousTo(row, from)
}

const previousTo = (row: Row, from: Date) =>
  keptPeriods(row)
    .map(toWindow)
    .findLast(({ to }) => to <= from)?.to

/** With what a destination has missed that goes on now: it may be replayed whenever somebody wants to. */
export async function keepMissed(tx: Context, row: Row): Promise<string> {
  const periods = keptPeriods(row)
  if (row.timestamp_disabled) {
    const { from, to, endedFrom } = await findCurrentPeriod(tx, row, row.timestamp_disabled)
    periods.push({
      from: from.toISOString(),
      to: to.toISOString(),
      ended_from: endedFrom.toISOString(),
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
    if (!row) return
    const periods = keptPeriods(row)
    const left = periods.flatMap((kept) => {
      const period = toWindow(kept)
      const { endedFrom: begun = period.from } = period
      if (from > period.from || endedFrom > begun) return [kept]
      if (to >= period.to) return []
      if (to <= begun) return [kept]
      // All of it may be too much for one replay: the next window goes on where this one ends.
      if (to <= period.from) return [{ ...kept, ended_from: to.toISOString() }]
      return [{ ...kept, from: to.toISOString(), ended_from: null }]
    })
    const missed = JSON.stringify(left)
    if (missed === JSON.stringify(periods)) return
    await queries.updateWebhook(tx.db, workspaceId, id, { missed })
    // Another page would offer to replay it once more.
    tellPages(tx, workspaceId, ['webhooks'])
  })
}

/** It stays with the destination, so that it can be offered again; one that was replayed meanwhile does not. */
export const dismissMissed = (
  ctx: Context,
  workspaceId: string,
  id: string,
  { from, dismissed }: { from: Date; dismissed: boolean },
  by: ChangedBy,
): Promise<Webhook> =>
  transaction(ctx, async (tx) => {
    const row = await queries.lockWebhook(tx.db, workspaceId, id)
    if (!row) throw notFound('webhook')
    const periods = keptPeriods(row).map((kept) =>
      toWindow(kept).from.getTime() === from.getTime() ? { ...kept, dismissed } : kept,
    )
    const missed = JSON.stringify(periods)
    if (missed === JSON.stringify(row.missed)) return toRecord(tx, row)
    await recordWebhookChange(tx, row, 'webhook.updated', by, { fields: ['missed'] })
    return toRecord(tx, await queries.updateWebhook(tx.db, workspaceId, id, { missed }))
  })

const keptPeriods = (row: Row) => row.missed as unknown as KeptPeriod[]

const toWindow = ({ from, to, ended_from }: KeptPeriod) => ({
  from: new Date(from),
  to: new Date(to),
  endedFrom: ended_from === null ? undefined : new Date(ended_from),
})
