import type { Db } from '../../kernel/db/db.ts'
import { zoneOf } from '../campaigns/index.ts'
import type { BookedCampaign, CampaignBook } from './campaign-book.ts'
import type { Lane } from './lane.ts'
import type { LaneRow } from './lane-queries.ts'
import type { LeadPool } from './lead-pool.ts'
import { dayOf, type PlannedMailbox } from './plan/plan.ts'
import * as queries from './work-queries.ts'

/** A lane whose mailbox could send now, and the campaigns that it sends for. */
export interface ReadyLane {
  lane: Lane
  row: LaneRow
  mailbox: PlannedMailbox
  /** In the mailbox's own zone. */
  day: string
  campaigns: BookedCampaign[]
}

/** Everything that lanes plan from, read once for all of them. */
export interface Work {
  now: Date
  lanes: ReadyLane[]
  sentByMailbox: (ready: ReadyLane) => { day: string; sent: number }
  /** Counts on as this round plans. */
  campaignDay: (campaign: BookedCampaign) => { day: string; sent: number; new_leads: number }
  followUps: (ready: ReadyLane, campaign: BookedCampaign) => queries.Candidate[]
}

/** Mails that a lane claims at once when nothing has to pass between them. */
const burstMax = 64
/** It sends them in: what is changed meanwhile concerns the next ones. */
const burstMs = 1_000
const followUpsMin = 8

/** With a gap between them, one mail is claimed at a time. */
export function claimsMax({ planned }: BookedCampaign, { lane, mailbox }: ReadyLane): number {
  const { email_gap, random_wait_max } = planned
  if (email_gap > 0 || random_wait_max > 0 || mailbox.gap_seconds > 0) return 1
  return Math.max(1, Math.min(burstMax, Math.floor(burstMs / lane.mailMs)))
}

/** What is due, of every campaign of every lane, in a handful of statements. */
export async function gatherWork(
  db: Db,
  now: Date,
  rows: { lane: Lane; row: LaneRow }[],
  { book, pool }: { book: CampaignBook; pool: LeadPool },
): Promise<Work> {
  const lanes = await withCampaigns(db, now, rows, book)
  const pairs = lanes.flatMap((ready) => ready.campaigns.map((campaign) => ({ ready, campaign })))
  const campaigns = new Map(pairs.map(({ campaign }) => [campaign.id, campaign]))
  const days = new Map(
    [...campaigns.values()].map((campaign) => [
      campaign.id,
      dayOf(zoneOf(campaign.planned.schedule), now),
    ]),
  )
  const campaignDays = await queries.findCampaignDays(
    db,
    [...campaigns.values()].map(({ workspace_id, id }) => ({
      ...{ workspace_id, id, day: days.get(id) ?? '' },
    })),
  )
  const mailboxDays = await queries.findMailboxDays(
    db,
    lanes.map(({ lane, day }) => ({ workspace_id: lane.workspaceId, id: lane.mailboxId, day })),
  )
  const followUps = await queries.findFollowUps(
    db,
    pairs.map(({ ready, campaign }) => ({
      ...sourceOf(ready, campaign),
      limit: Math.max(followUpsMin, 2 * claimsMax(campaign, ready)),
    })),
    now,
  )
  await pool.fill(db, wantedOf(pairs), now)

  const bySource = Map.groupBy(followUps, ({ position }) => position)
  const places = new Map(
    pairs.map(({ ready, campaign }, index) => [
      `${ready.row.mailbox_id} ${campaign.id}`,
      index + 1,
    ]),
  )
  return {
    now,
    lanes,
    sentByMailbox: ({ lane, day }) => ({ day, sent: mailboxDays.get(lane.mailboxId)?.sent ?? 0 }),
    campaignDay(campaign) {
      const day = days.get(campaign.id) ?? ''
      const none = { workspace_id: campaign.workspace_id, id: campaign.id, day }
      const found = campaignDays.get(campaign.id) ?? { ...none, sent: 0, new_leads: 0 }
      campaignDays.set(campaign.id, found)
      return found
    },
    followUps: ({ row }, campaign) =>
      (bySource.get(places.get(`${row.mailbox_id} ${campaign.id}`) ?? 0) ?? []).filter(
        ({ id, is_open }) => !is_open && !pool.isBusy(id),
      ),
  }
}

/** When something of these falls due that is not due yet. */
export async function findNextDue(
  db: Db,
  pairs: { ready: ReadyLane; campaign: BookedCampaign }[],
  now: Date,
): Promise<Map<ReadyLane, Date>> {
  if (pairs.length === 0) return new Map()
  const sources = pairs.map(({ ready, campaign }) => sourceOf(ready, campaign))
  const next = new Map<ReadyLane, Date>()
  for (const { position, due_at } of await queries.findNextDue(db, sources, now)) {
    const ready = pairs[position - 1]?.ready
    const known = ready && next.get(ready)
    if (ready && (!known || due_at < known)) next.set(ready, due_at)
  }
  return next
}

const sourceOf = ({ lane }: ReadyLane, campaign: BookedCampaign) => ({
  workspace_id: lane.workspaceId,
  mailbox_id: lane.mailboxId,
  campaign_id: campaign.id,
})

async function withCampaigns(
  db: Db,
  now: Date,
  rows: { lane: Lane; row: LaneRow }[],
  book: CampaignBook,
): Promise<ReadyLane[]> {
  const workspaces = [...new Set(rows.map(({ lane }) => lane.workspaceId))]
  const active = await queries.findActiveCampaigns(db, workspaces)
  const byMailbox = new Map<string, queries.ActiveCampaign[]>()
  for (const campaign of active) {
    for (const address of campaign.email_list) {
      const key = `${campaign.workspace_id} ${address}`
      const campaigns = byMailbox.get(key)
      if (campaigns) campaigns.push(campaign)
      else byMailbox.set(key, [campaign])
    }
  }
  const campaignsOf = ({ workspace_id, address }: LaneRow) =>
    byMailbox.get(`${workspace_id} ${address}`) ?? []
  const used = new Set(rows.flatMap(({ row }) => campaignsOf(row)))
  const booked = await book.read(db, [...used])
  return rows.map(({ lane, row }) => ({
    lane,
    row,
    mailbox: plannedMailbox(row),
    day: dayOf(row.timezone ?? 'UTC', now),
    campaigns: campaignsOf(row).flatMap(({ id }) => booked.get(id) ?? []),
  }))
}

function wantedOf(pairs: { ready: ReadyLane; campaign: BookedCampaign }[]) {
  const wanted = new Map<string, { workspace_id: string; campaign_id: string; leads: number }>()
  for (const { ready, campaign } of pairs) {
    const { id: campaign_id, workspace_id } = campaign
    const leads = claimsMax(campaign, ready) + (wanted.get(campaign_id)?.leads ?? 0)
    wanted.set(campaign_id, { workspace_id, campaign_id, leads })
  }
  return [...wanted.values()]
}

const plannedMailbox = (row: LaneRow): PlannedMailbox => ({
  id: row.mailbox_id,
  status: row.status,
  timezone: row.timezone,
  daily_limit: row.daily_limit,
  ramp_up:
    row.ramp_up_start === null || row.ramp_up_step === null || row.ramp_up_from === null
      ? null
      : { start: row.ramp_up_start, step: row.ramp_up_step, from: row.ramp_up_from },
  gap_seconds: row.gap_seconds,
  next_send_at: row.next_send_at,
})
