import { type Committed, type CommittedCampaign, isFollowed, limitOf, zoneOf } from './committed.ts'
import { dateOf, opensAt, tomorrowMs } from './wall-clock.ts'

export interface Facts {
  leads: {
    campaign_id: string
    mailbox_id: string | null
    due_at: string
    /** Nothing is sent to it any more: it comes to its end when it is due. */
    is_suppressed: boolean
  }[]
  lanes: {
    mailbox_id: string
    wake_at: string | null
    next_send_at: string | null
    last_sent_at: string | null
    not_before: string | null
  }[]
  days: { id: string; day: string; sent: number; new_leads: number }[]
  readings: { mailbox_id: string; read_at: string | null }[]
  hand_overs: { from: string; to: string }[]
}

/**
 * Columns of a select. The times of leads that still have to follow a change of their campaign's steps
 * say nothing: the planner goes by the changed steps already.
 */
export const factColumns = `
    (select coalesce(json_agg(l), '[]') from (
      select campaign_id, mailbox_id, is_suppressed, min(timestamp_next_send) as due_at
      from leads l cross join lateral (select exists (select from suppressions x
        where x.value in (l.email_folded, split_part(l.email_folded, '@', 2))) as is_suppressed) s
      where sending_state in ('pending', 'active') and timestamp_next_send is not null
        and not exists (select from campaigns c
          where c.id = l.campaign_id and c.leads_follow_due is not null)
      group by campaign_id, mailbox_id, is_suppressed) l) as leads,
    (select coalesce(json_agg(l), '[]') from (
      select mailbox_id, wake_at, next_send_at, last_sent_at, not_before from mailbox_lanes) l) as lanes,
    (select coalesce(json_agg(d), '[]') from (
      select campaign_id as id, day, sent, new_leads from campaign_days
      union all select mailbox_id, day, sent, 0 from mailbox_days) d) as days,
    (select coalesce(json_agg(m), '[]') from (
      select id as mailbox_id, inbox_read_at as read_at from mailboxes) m) as readings,
    (select coalesce(json_agg(h), '[]') from (
      select from_mailbox_id as from, to_mailbox_id as to from hand_overs) h) as hand_overs`

/** Later than this after what can be sent nobody wakes. */
const lateMs = 5_000

/**
 * Mailboxes of which follow-ups may be sent: they were read since then, and so were those whose
 * conversations they go on with, where they are read at all.
 */
function findRead({ readings, hand_overs }: Facts, now: Committed, since: Date): Set<string> {
  const read = new Set(
    readings.flatMap(({ mailbox_id, read_at }) =>
      (msOf(read_at) ?? 0) > since.getTime() ? mailbox_id : [],
    ),
  )
  const isUnread = (id: string) => {
    const mailbox = now.mailboxes.get(id)
    return mailbox !== undefined && isFollowed(mailbox) && !read.has(id)
  }
  const waiting = hand_overs.filter(({ from }) => isUnread(from)).map(({ to }) => to)
  return read.difference(new Set(waiting))
}

/**
 * Mailboxes with a follow-up that is due, and that nobody has read since then. Leads that were suppressed
 * wait for the reading, too.
 */
export function findWaiting(facts: Facts, now: Committed, nowMs: number, since: Date): string[] {
  const read = findRead(facts, now, since)
  return facts.leads.flatMap(({ mailbox_id, due_at }) =>
    mailbox_id !== null &&
    !read.has(mailbox_id) &&
    now.mailboxes.get(mailbox_id)?.status === 'connected' &&
    Date.parse(due_at) <= nowMs
      ? mailbox_id
      : [],
  )
}

/**
 * Mailboxes that sleep longer than they should: something is due, its window opens and its limits
 * allow it before they wake. Worked out without the planner.
 */
export function findForgotten(facts: Facts, now: Committed, nowMs: number, since: Date): string[] {
  if (!now.planAllows) return []
  const read = findRead(facts, now, since)
  const sentOn = (id: string, day: string) =>
    facts.days.find((each) => each.id === id && each.day === day) ?? { sent: 0, new_leads: 0 }
  return [...now.mailboxes.values()].flatMap((mailbox) => {
    if (mailbox.status !== 'connected') return []
    const lane = facts.lanes.find(({ mailbox_id }) => mailbox_id === mailbox.id)
    const wakeMs = msOf(lane?.wake_at) ?? Number.POSITIVE_INFINITY
    // The gap may have grown since the last mail left.
    const gapMs = (msOf(lane?.last_sent_at) ?? 0) + mailbox.gap_seconds * 1_000
    const pacedMs = Math.max(gapMs, msOf(lane?.next_send_at) ?? 0)
    const freeMs = Math.max(nowMs, pacedMs, msOf(lane?.not_before) ?? 0)
    return facts.leads.flatMap(({ campaign_id, mailbox_id, due_at, is_suppressed }) => {
      if (is_suppressed) return []
      const campaign = now.campaigns.get(campaign_id)
      if (!campaign || !sendsFrom(campaign, mailbox.address)) return []
      if (mailbox_id !== null && mailbox_id !== mailbox.id) return []
      // Whoever reads it wakes it.
      if (mailbox_id !== null && !read.has(mailbox_id)) return []
      const dueMs = Math.max(freeMs, Date.parse(due_at))
      const possibleMs = firstPossible(dueMs, (ms) => {
        const openMs = opensAt(campaign.schedule, ms)
        if (openMs > ms) return openMs
        const [zone, own] = [zoneOf(campaign), mailbox.timezone ?? 'UTC']
        const { sent, new_leads } = sentOn(campaign.id, dateOf(zone, ms))
        const isFull =
          sent >= (campaign.daily_limit ?? Number.POSITIVE_INFINITY) ||
          (mailbox_id === null &&
            new_leads >= (campaign.daily_max_leads ?? Number.POSITIVE_INFINITY))
        if (isFull) return tomorrowMs(zone, ms)
        const today = dateOf(own, ms)
        if (sentOn(mailbox.id, today).sent >= limitOf(mailbox, today)) return tomorrowMs(own, ms)
        return ms
      })
      if (wakeMs <= possibleMs + lateMs) return []
      const wakes = Number.isFinite(wakeMs) ? new Date(wakeMs).toISOString() : 'never'
      const could = new Date(possibleMs).toISOString()
      return [`${mailbox.address} could send at ${could} and wakes ${wakes}`]
    })
  })
}

const sendsFrom = ({ status, email_list }: CommittedCampaign, address: string) =>
  status === 'active' && email_list.includes(address)

/** Until nothing speaks for a later one; not at all when that takes too long. */
function firstPossible(fromMs: number, later: (ms: number) => number): number {
  let ms = fromMs
  for (let tries = 0; tries < 40; tries++) {
    const next = later(ms)
    if (next === ms || !Number.isFinite(next)) return next
    ms = next
  }
  return Number.POSITIVE_INFINITY
}

const msOf = (text: string | null | undefined) => (text ? Date.parse(text) : undefined)
