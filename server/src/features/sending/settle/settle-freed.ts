import type { AnyContext } from '../../../kernel/context.ts'
import { column } from '../../../kernel/db/column.ts'
import { addToDays } from '../../daily-counts/index.ts'
import { postponeLeads } from '../../leads/index.ts'
import { type LaneKey, markCampaigns, wakeMailboxes } from '../../mailbox-lanes/index.ts'
import { countDays } from '../claim/days.ts'
import type { CachedCampaign } from '../next-mail/campaign-cache.ts'
import { inEachWorkspace } from './in-each-workspace.ts'
import { findMailboxesOfLeads } from './settle-queries.ts'
import type { Settled } from './settlement.ts'

/** Leads whose mail was put off wait until then. */
export async function postpone(tx: AnyContext, settled: Settled[]) {
  const postponed = settled.flatMap(({ row, transition: { effect } }) =>
    effect?.kind === 'later'
      ? [{ workspace_id: row.workspace_id, lead_id: row.lead_id, until: effect.at }]
      : [],
  )
  if (postponed.length > 0) await postponeLeads(tx.db, postponed, tx.now())
}

/**
 * Takes what was not sent off the counters of its days.
 *
 * @returns ids of the campaigns that had used up a limit, and have room again
 */
export async function releaseReservations(
  tx: AnyContext,
  settled: Settled[],
  known: Map<string, CachedCampaign>,
): Promise<Set<string>> {
  const back = settled.filter(({ transition }) => transition.givesBack).map(({ row }) => row)
  if (back.length === 0) return new Set()
  const { campaigns, mailboxes } = countDays(back)
  const less = <Day extends { sent: number }>(day: Day) => ({ ...day, sent: -day.sent })
  const left = await addToDays(
    tx.db,
    campaigns.map((day) => ({ ...less(day), new_leads: -day.new_leads })),
    mailboxes.map(less),
  )
  const wasFull = left.filter(({ id, day, sent, new_leads }) => {
    const given = campaigns.find((each) => each.id === id && each.day === day)
    const { daily_limit, daily_max_leads } = known.get(id)?.planned ?? noLimit
    return (
      sent + (given?.sent ?? 0) >= (daily_limit ?? Number.POSITIVE_INFINITY) ||
      new_leads + (given?.new_leads ?? 0) >= (daily_max_leads ?? Number.POSITIVE_INFINITY)
    )
  })
  return new Set(wasFull.map(({ id }) => id))
}

/** The limits of a campaign that is gone. */
const noLimit = { daily_limit: null, daily_max_leads: null }

/**
 * Lanes that have something to do again: those that the mails left from, which have room in their day,
 * and those whose leads they are by now, where somebody handed conversations over in between.
 */
export async function findFreedLanes(tx: AnyContext, settled: Settled[]): Promise<LaneKey[]> {
  const freed = settled.filter(({ transition }) => transition.givesBack).map(({ row }) => row)
  if (freed.length === 0) return []
  return [...freed, ...(await findMailboxesOfLeads(tx.db, freed))]
}

/**
 * A lead that was not written to yet is any mailbox's: again, or when its time comes. Its follow-ups
 * are its own mailbox's, and so is the place in that mailbox's day; a place in a campaign's day that
 * was full is everybody's.
 */
export async function markCampaignsFreed(tx: AnyContext, settled: Settled[], roomIn: Set<string>) {
  const freed = settled.filter(({ transition }) => transition.givesBack)
  await inEachWorkspace(tx, freed, workspaceOf, (own, workspaceId, rows) => {
    const byCampaign = Map.groupBy(rows, ({ row }) => row.campaign_id)
    const marks = [...byCampaign].flatMap(([campaign_id, ofCampaign]) => {
      const changed = roomIn.has(campaign_id)
      const wake_at = firstDue(ofCampaign, changed)
      return wake_at ? [{ campaign_id, wake_at, changed }] : []
    })
    return markCampaigns(own, workspaceId, marks)
  })
}

const workspaceOf = ({ row }: Settled) => row.workspace_id

function firstDue(freed: Settled[], hasRoom: boolean): Date | null {
  const times = freed.flatMap(({ settlement, row, transition: { effect } }) => {
    if (hasRoom || (row.is_new && effect?.kind === 'again')) return [settlement.at]
    return row.is_new && effect?.kind === 'later' ? [effect.at] : []
  })
  return times.reduce<Date | null>((first, at) => (first && first < at ? first : at), null)
}

export const wakeMailboxesOf = (tx: AnyContext, freed: LaneKey[]) =>
  inEachWorkspace(
    tx,
    freed,
    ({ workspace_id }) => workspace_id,
    (own, workspaceId, lanes) => wakeMailboxes(own, workspaceId, column(lanes, 'mailbox_id')),
  )
