import type { Selectable } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { Webhooks } from '../../kernel/db/types.gen.ts'
import { dayMs } from '../../kernel/durations.ts'
import { notFound } from '../../kernel/errors.ts'
import type { ChangedBy } from '../audit/index.ts'
import { findFailingSince } from '../deliveries/lane-health/index.ts'
import { eventDaysOf } from '../kept-settings/index.ts'
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
  /** When the period before it was over, which may be replayed and forgotten by now. */
  previous_to?: string | undefined
  /** The period is missed no more, and kept while it is the last, for when it was over. */
  replayed?: boolean
  /** Somebody said that it is not to be replayed: it is offered no more. */
  dismissed?: boolean
}

const periodsMax = 20

/** Of a disabled destination since then, else what nobody has replayed or dismissed, the oldest first. */
export async function findMissedPeriods(ctx: Context, row: Row) {
  const { timestamp_disabled: from } = row
  if (from) return [toWindow(await findCurrentPeriod(ctx, row, from))]
  return keptPeriods(row)
    .filter(({ replayed, dismissed }) => !(replayed || dismissed))
    .map(toWindow)
}

async function findCurrentPeriod(ctx: Context, row: Row, from: Date): Promise<KeptPeriod> {
  const failingSince = await findFailingSince(ctx.db, row.workspace_id, row.id)
  return {
    from: from.toISOString(),
    to: ctx.now().toISOString(),
    ended_from: (failingSince ?? from).toISOString(),
    previous_to: keptPeriods(row).at(-1)?.to,
  }
}

/** When the period before the one that begins then was over. */
export async function findPreviousTo(ctx: Context, workspaceId: string, id: string, from: Date) {
  const row = await queries.findWebhook(ctx.db, workspaceId, id)
  if (!row) return undefined
  const windows = keptPeriods(row).map(toWindow)
  return windows.find((window) => window.from.getTime() === from.getTime())?.previousTo
}

/** The periods that are kept once a destination goes on, so that what it missed may be replayed later. */
export async function missedSoFar(tx: Context, row: Row): Promise<string> {
  const periods = keptPeriods(row).filter(({ replayed }) => !replayed)
  if (row.timestamp_disabled) {
    periods.push(await findCurrentPeriod(tx, row, row.timestamp_disabled))
  }
  return JSON.stringify(limited(tx, periods))
}

/**
 * Of too many one that was dismissed goes, or whose events are past their retention time, else the
 * shortest; never the last, for when it was over.
 */
function limited(tx: Context, periods: KeptPeriod[]) {
  if (periods.length <= periodsMax) return periods
  const storedFromMs = tx.now().getTime() - eventDaysOf(tx) * dayMs
  const lengths = periods
    .slice(0, -1)
    .map(({ from, to, ended_from, dismissed }) =>
      dismissed || Date.parse(to) < storedFromMs
        ? -1
        : Date.parse(to) - Date.parse(ended_from ?? from),
    )
  return periods.toSpliced(lengths.indexOf(Math.min(...lengths)), 1)
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
    const left = periods.flatMap((kept, at) => {
      const period = toWindow(kept)
      const { endedFrom: begun = period.from } = period
      if (from > period.from || endedFrom > begun) return [kept]
      if (to >= period.to) return at === periods.length - 1 ? [{ ...kept, replayed: true }] : []
      if (to <= begun) return [kept]
      // All of it may be too much for one replay: the next window goes on where this one ends. Whoever
      // replays a part is offered the rest, also of what somebody dismissed.
      if (to <= period.from) return [{ ...kept, ended_from: to.toISOString() }]
      return [{ ...kept, from: to.toISOString(), ended_from: null, dismissed: false }]
    })
    const missed = JSON.stringify(left)
    if (missed === JSON.stringify(periods)) return
    await queries.updateWebhook(tx.db, workspaceId, id, { missed })
    // Another page would offer to replay it once more.
    tellPages(tx, workspaceId, ['webhooks'])
  })
}

/** What is dismissed stays with the destination, to be offered again; what was replayed meanwhile does not. */
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
    const changes = (kept: KeptPeriod) =>
      toWindow(kept).from.getTime() === from.getTime() &&
      !kept.replayed &&
      (kept.dismissed ?? false) !== dismissed
    const periods = keptPeriods(row)
    if (!periods.some(changes)) return toRecord(tx, row)
    const changed = periods.map((kept) => (changes(kept) ? { ...kept, dismissed } : kept))
    const missed = JSON.stringify(changed)
    await recordWebhookChange(tx, row, 'webhook.updated', by, { fields: ['missed'] })
    return toRecord(tx, await queries.updateWebhook(tx.db, workspaceId, id, { missed }))
  })

const keptPeriods = (row: Row) => row.missed as unknown as KeptPeriod[]

const toWindow = ({ from, to, ended_from, previous_to }: KeptPeriod) => ({
  from: new Date(from),
  to: new Date(to),
  endedFrom: ended_from === null ? undefined : new Date(ended_from),
  previousTo: previous_to === undefined ? undefined : new Date(previous_to),
})
