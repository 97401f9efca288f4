import type pg from 'pg'
import type { CampaignSchedule } from '../../../src/features/campaigns/index.ts'
import { type Delay, sameSchedule } from './wall-clock.ts'

/** What of a campaign decides who may be sent what. */
export interface CommittedCampaign {
  id: string
  status: 'draft' | 'active' | 'paused' | 'completed'
  schedule: CampaignSchedule
  steps: (Delay & { id: string })[]
  email_list: string[]
  daily_limit: number | null
  daily_max_leads: number | null
  email_gap: number
  stop_on_reply: boolean
  stop_on_auto_reply: boolean
  stop_for_company: boolean
}

export interface CommittedMailbox {
  id: string
  address: string
  status: 'connected' | 'error' | 'paused'
  imap_error: string | null
  timezone: string | null
  daily_limit: number
  gap_seconds: number
  ramp_up_start: number | null
  ramp_up_step: number | null
  ramp_up_from: string | null
  /** Another one with each change of settings or status. */
  timestamp_updated: string
}

/** What is committed, from an instant on. */
export interface Committed {
  atMs: number
  campaigns: Map<string, CommittedCampaign>
  mailboxes: Map<string, CommittedMailbox>
  /** Addresses and domains. */
  suppressed: Set<string>
  planAllows: boolean
}

interface Row {
  campaigns: (CommittedCampaign & { sequences: { steps: CommittedCampaign['steps'] }[] })[]
  mailboxes: CommittedMailbox[]
  suppressed: string[]
  allows: boolean
}

export async function readCommitted(admin: pg.Client, atMs: number): Promise<Committed> {
  const { rows } = await admin.query<Row>({
    name: 'read_committed',
    text: `select
       (select coalesce(json_agg(c), '[]') from (
         select id, status, campaign_schedule as schedule, sequences, email_list, daily_limit,
           daily_max_leads, email_gap, stop_on_reply, stop_on_auto_reply, stop_for_company
         from campaigns order by id) c) as campaigns,
       (select coalesce(json_agg(m), '[]') from (
         select id, address, status, imap_error, timezone, daily_limit, gap_seconds, ramp_up_start,
           ramp_up_step, ramp_up_from, timestamp_updated
         from mailboxes order by id) m) as mailboxes,
       (select coalesce(json_agg(value order by value), '[]') from suppressions) as suppressed,
       (select plan_api from workspaces limit 1) as allows`,
  })
  const [row] = rows
  if (!row) throw new Error('There is no workspace.')
  const steps = ({ sequences }: Row['campaigns'][number]) => sequences.flatMap((each) => each.steps)
  return {
    atMs,
    campaigns: new Map(
      row.campaigns.map((each) => [
        each.id,
        { ...each, steps: steps(each), schedule: sameSchedule(each.schedule) },
      ]),
    ),
    mailboxes: new Map(row.mailboxes.map((each) => [each.id, each])),
    suppressed: new Set(row.suppressed),
    planAllows: row.allows,
  }
}

/** Somebody reads it, or tries to: not one that is paused, or whose server lets nobody read. */
export const isFollowed = ({ status, imap_error }: CommittedMailbox) =>
  status !== 'paused' && imap_error === null

export const isSuppressed = ({ suppressed }: Committed, email: string) =>
  suppressed.has(email) || suppressed.has(email.slice(email.indexOf('@') + 1))

/** What the mailbox may send on this day of its own. */
export function limitOf(mailbox: CommittedMailbox, date: string): number {
  const { daily_limit, ramp_up_start, ramp_up_step, ramp_up_from } = mailbox
  if (ramp_up_start === null || ramp_up_step === null || ramp_up_from === null) return daily_limit
  const days = Temporal.PlainDate.from(ramp_up_from).until(date, { largestUnit: 'days' }).days
  return Math.min(daily_limit, ramp_up_start + ramp_up_step * Math.max(0, days))
}

export const zoneOf = ({ schedule }: CommittedCampaign) => schedule.schedules[0]?.timezone ?? 'UTC'
