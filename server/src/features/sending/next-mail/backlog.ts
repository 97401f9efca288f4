import { dayOf } from '../../../kernel/calendar.ts'
import type { AnyDb } from '../../../kernel/db/db.ts'
import { zoneOf } from '../../campaigns/index.ts'
import type { Lane } from '../lanes/lane.ts'
import type { LaneRow } from '../lanes/lane-queries.ts'
import type { PlannedMailbox } from '../planning/plan.ts'
import { plannedMailbox } from '../planning/planned-from.ts'
import * as queries from './backlog-queries.ts'
import type { CachedCampaign, CampaignCache } from './campaign-cache.ts'
import type { LeadPrefetch } from './lead-prefetch.ts'

/** A lane whose mailbox could send now, and the campaigns that it sends for. */
export interface ReadyLane {
  lane: Lane
  row: LaneRow
  mailbox: PlannedMailbox
  /** In the mailbox's own zone. */
  day: string
  campaigns: CachedCampaign[]
}

interface CampaignDay {
  day: string
  sent: number
  new_leads: number
}

/** What a batch of lanes plans from, read once for all of them. */
export interface Backlog {
  now: Date
  lanes: ReadyLane[]
  sentByMailbox: (ready: ReadyLane) => { day: string; sent: number }
  /** Counts on as this batch is planned. */
  campaignDay: (campaign: CachedCampaign) => CampaignDay
  followUps: (ready: ReadyLane, campaign: CachedCampaign) => FollowUps
}

interface FollowUps {
  /** The first that are due, and free. */
  leads: queries.DueLead[]
  /** Others may be due behind those that were read. */
  isCut: boolean
}

/** A mailbox without a gap claims so many mails at most, and no more than it sends in this time. */
const burstMax = 64
const burstMs = 1_000
const followUpsMin = 8

/** With a gap between them, one mail is claimed at a time. */
export function claimsMax({ planned }: CachedCampaign, { lane, mailbox }: ReadyLane): number {
  const { email_gap, random_wait_max } = planned
  if (email_gap > 0 || random_wait_max > 0 || mailbox.gap_seconds > 0) return 1
  return Math.max(1, Math.min(burstMax, Math.floor(burstMs / lane.mailMs)))
}

/** What is due, of every campaign of every lane, in a handful of statements. */
export async function loadBacklog(
  db: AnyDb,
  now: Date,
  rows: { lane: Lane; row: LaneRow }[],
  { cache, prefetch }: { cache: CampaignCache; prefetch: LeadPrefetch },
): Promise<Backlog> {
  const { lanes, campaignDays } = await withCampaigns(db, now, rows, cache)
  const pairs = lanes.flatMap((ready) => ready.campaigns.map((campaign) => ({ ready, campaign })))
  const sources = pairs.map(({ ready, campaign }) => ({
    ...sourceOf(ready, campaign),
    limit: Math.max(followUpsMin, 2 * claimsMax(campaign, ready)),
  }))
  const followUps = await queries.findFollowUps(db, sources, now)
  await prefetch.fill(db, wantedOf(pairs), now)

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
    sentByMailbox: ({ row, day }) => ({
      day,
      sent: row.days?.find((counted) => counted.day === day)?.sent ?? 0,
    }),
    campaignDay(campaign) {
      const found = campaignDays.get(campaign.id) ?? dayOfCampaign(campaign, now, null)
      campaignDays.set(campaign.id, found)
      return found
    },
    followUps({ row }, campaign) {
      const place = places.get(`${row.mailbox_id} ${campaign.id}`) ?? 0
      const read = bySource.get(place) ?? []
      return {
        leads: read.filter(({ id, is_open }) => !is_open && !prefetch.isBusy(id)),
        isCut: read.length === sources[place - 1]?.limit,
      }
    },
  }
}

/** When something of these falls due that is not due yet. */
export async function findNextDue(
  db: AnyDb,
  pairs: { ready: ReadyLane; campaign: CachedCampaign }[],
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

const sourceOf = ({ lane }: ReadyLane, campaign: CachedCampaign) => ({
  workspace_id: lane.workspaceId,
  mailbox_id: lane.mailboxId,
  campaign_id: campaign.id,
})

async function withCampaigns(
  db: AnyDb,
  now: Date,
  rows: { lane: Lane; row: LaneRow }[],
  cache: CampaignCache,
): Promise<{ lanes: ReadyLane[]; campaignDays: Map<string, CampaignDay> }> {
  const senders = rows.map(({ row: { workspace_id, address } }) => ({
    workspace_id,
    address: address ?? '',
  }))
  const active = await queries.findActiveCampaigns(db, senders, now)
  const byRow = rows.map(() => [] as string[])
  for (const { id, positions } of active) {
    for (const position of positions) byRow[position - 1]?.push(id)
  }
  const cached = await cache.read(db, active)
  const campaignDays = new Map(
    active.flatMap(({ id, days }) => {
      const campaign = cached.get(id)
      return campaign ? [[id, dayOfCampaign(campaign, now, days)] as const] : []
    }),
  )
  const lanes = rows.map(({ lane, row }, index) => ({
    lane,
    row,
    mailbox: plannedMailbox({ ...row, id: row.mailbox_id }),
    day: dayOf(row.timezone ?? 'UTC', now),
    campaigns: (byRow[index] ?? []).flatMap((id) => cached.get(id) ?? []),
  }))
  return { lanes, campaignDays }
}

function dayOfCampaign({ planned }: CachedCampaign, now: Date, days: CampaignDay[] | null) {
  const day = dayOf(zoneOf(planned.schedule), now)
  return days?.find((counted) => counted.day === day) ?? { day, sent: 0, new_leads: 0 }
}

function wantedOf(pairs: { ready: ReadyLane; campaign: CachedCampaign }[]) {
  const wanted = new Map<string, { workspace_id: string; campaign_id: string; leads: number }>()
  for (const { ready, campaign } of pairs) {
    const { id: campaign_id, workspace_id } = campaign
    const leads = claimsMax(campaign, ready) + (wanted.get(campaign_id)?.leads ?? 0)
    wanted.set(campaign_id, { workspace_id, campaign_id, leads })
  }
  return [...wanted.values()]
}
