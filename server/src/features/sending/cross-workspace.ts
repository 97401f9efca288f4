import { sql } from 'kysely'
import type { ProcessDb } from '../../kernel/db/db.ts'
import { isHere, writeThroughFences } from '../../kernel/db/here.ts'
import { preparedForAll } from '../../kernel/db/prepared.ts'
import { bucketOfMailbox, type LaneKey } from '../mailbox-lanes/index.ts'
import { mayStillLeave } from './ledger.ts'

// Discovery reads across workspaces: a runner serves them all. Nothing here answers a user.

/** Lanes of these buckets that are to be looked at since the window began. */
export const findWokenLanes = preparedForAll<[number[], Date, Date], LaneKey>(
  'find_woken_lanes',
  `/* cross-workspace: discovery */
   select workspace_id, mailbox_id
   from mailbox_lanes
   where bucket = any($1::smallint[]) and wake_at > $2 and wake_at <= $3 and ${isHere}`,
)

/** Woken lanes whenever they were woken: what a late commit hid from the window above. */
export const sweepWokenLanes = preparedForAll<[number[], Date], LaneKey>(
  'sweep_woken_lanes',
  `/* cross-workspace: discovery */
   select workspace_id, mailbox_id
   from mailbox_lanes
   where bucket = any($1::smallint[]) and wake_at <= $2 and ${isHere}`,
)

/** Lanes of these buckets that sleep although nobody has said what became of a mail of theirs. */
export const findInterruptedLanes = preparedForAll<[number[], Date], LaneKey>(
  'find_interrupted_lanes',
  `/* cross-workspace: reconciliation */
   select distinct l.workspace_id, l.mailbox_id
   from sends s
   join mailbox_lanes l on l.workspace_id = s.workspace_id and l.mailbox_id = s.mailbox_id
   where s.is_open and s.${isHere}
     and l.bucket = any($1::smallint[]) and (l.wake_at <= $2) is not true`,
)

export interface UncertainSend extends LaneKey {
  id: string
  lead_id: string
  step_id: string
  campaign_id: string
  message_id: string
  timestamp_transmitting: Date
}

/** Mails that nobody knows the fate of, and that are to be looked for now. There are few, if any. */
export const findUncertain = preparedForAll<
  [buckets: number[], at: Date, most: number, besides: string[]],
  UncertainSend
>(
  'find_uncertain_sends',
  `/* cross-workspace: discovery */
   select workspace_id, mailbox_id, id, lead_id, step_id, campaign_id, message_id,
     timestamp_transmitting
   from sends
   where is_uncertain and look_at <= $2 and ${bucketOfMailbox('mailbox_id')} = any($1::integer[])
     and mailbox_id <> all($4::uuid[]) and ${isHere}
   order by look_at, id
   limit $3`,
)

/** Which of these buckets have uncertain mails. */
export const findUncertainBuckets = preparedForAll<
  [buckets: number[], at: Date],
  { bucket: number }
>(
  'find_uncertain_buckets',
  `/* cross-workspace: discovery */
   select distinct ${bucketOfMailbox('mailbox_id')} as bucket
   from sends
   where is_uncertain and look_at <= $2 and ${bucketOfMailbox('mailbox_id')} = any($1::integer[])
     and ${isHere}`,
)

/**
 * Answers that no runner has claimed in time are sent no more, whether anybody waits for them or not:
 * sent again by a person, or left by a process that ended, they would leave hours later.
 *
 * @returns their workspaces
 */
export const withdrawUnclaimed = preparedForAll<
  [at: Date, stage: string, message: string],
  { workspace_id: string }
>(
  'withdraw_unclaimed_replies',
  `/* cross-workspace: reconciliation */
   update sends
   set state = 'failed', waits_since = null, timestamp_settled = $1::timestamptz,
     error_stage = $2, error_code = null, error_message = $3
   where waits_since is not null and not (${mayStillLeave('waits_since', '$1')})
     and state = 'waiting' and ${isHere}
   returning workspace_id`,
)

/** Counts sends of which nobody has said yet what became of them. */
export const countOpenSends = async (db: ProcessDb): Promise<number> => {
  const { rows } = await sql<{ count: number }>`/* cross-workspace: reconciliation */
    select count(*)::int as count from sends where is_open and ${sql.raw(isHere)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Leads of active campaigns whose next step is due by its delay alone; windows and limits come on top. */
export const countWaitingLeads = async (db: ProcessDb, now: Date): Promise<number> => {
  const { rows } = await sql<{ count: number }>`/* cross-workspace: upkeep */
    select count(*)::int as count
    from leads l
    join campaigns c on c.workspace_id = l.workspace_id and c.id = l.campaign_id
    where c.status = 'active' and l.sending_state in ('pending', 'active')
      and coalesce(l.timestamp_next_send, ${now}) <= ${now} and c.${sql.raw(isHere)}`.execute(db)
  return rows[0]?.count ?? 0
}

export interface RestoreEffects {
  /** Time of the newest mail of a campaign that this database knows of. */
  last_mail: Date | null
  active_campaigns: number
  /** Leads whose next step is due now or within the hour. */
  leads_due: number
  pending_deliveries: number
}

/**
 * What leaves a database that was put back as soon as somebody confirms it. Ids grow with the time, and
 * no index of all mails is by time.
 */
export const readRestoreEffects = async (db: ProcessDb, now: Date): Promise<RestoreEffects> => {
  const soon = new Date(now.getTime() + 3_600_000)
  const { rows } = await sql<Omit<RestoreEffects, 'leads_due'>>`/* cross-workspace: upkeep */
    select
      (select max(newest.timestamp_claimed)
       from campaigns c
       cross join lateral (
         select s.timestamp_claimed from sends s
         where s.workspace_id = c.workspace_id and s.campaign_id = c.id and s.kind = 'step'
         order by s.id desc
         limit 1
       ) newest
       where c.${sql.raw(isHere)}) as last_mail,
      (select count(*)::int from campaigns
       where status = 'active' and ${sql.raw(isHere)}) as active_campaigns,
      (select count(*)::int from deliveries where ${sql.raw(isHere)}) as pending_deliveries`.execute(
    db,
  )
  const [counts = { last_mail: null, active_campaigns: 0, pending_deliveries: 0 }] = rows
  return { ...counts, leads_due: await countWaitingLeads(db, soon) }
}

/** Counts sends of which the database refused to record what became of them. */
export const countSetAside = async (db: ProcessDb): Promise<number> => {
  const { rows } = await sql<{ count: number }>`/* cross-workspace: reconciliation */
    select count(*)::int as count from sends
    where is_uncertain and error_stage = 'ledger' and ${sql.raw(isHere)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Counts mails of which nobody knows whether they were sent. */
export const countUncertainSends = async (db: ProcessDb): Promise<number> => {
  const { rows } = await sql<{ count: number }>`/* cross-workspace: reconciliation */
    select count(*)::int as count from sends where is_uncertain and ${sql.raw(isHere)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** A mail that was sent, and of which the database that took over does not know so. */
export interface MissingMail {
  workspace_id: string
  workspace: string | null
  lead_id: string
  /** Null, as all names: the database has forgotten it, too. */
  lead: string | null
  campaign: string | null
  mailbox: string | null
  timestamp_marked: Date
}

/** Missing mails that would go out again: what was settled meanwhile is known by now. */
export const listMissingMails = async (db: ProcessDb): Promise<MissingMail[]> => {
  const { rows } = await sql<MissingMail>`/* cross-workspace: reconciliation */
    select k.workspace_id, w.name as workspace, k.lead_id, l.email as lead, c.name as campaign,
      m.address as mailbox, k.timestamp_marked
    from missing_marks k
    left join workspaces w on w.id = k.workspace_id
    left join leads l on l.workspace_id = k.workspace_id and l.id = k.lead_id
    left join campaigns c on c.workspace_id = k.workspace_id and c.id = k.campaign_id
    left join mailboxes m on m.workspace_id = k.workspace_id and m.id = k.mailbox_id
    where not exists (
      select from sends s
      where s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id
        and s.id = k.id and s.state in ('transmitting', 'sent', 'uncertain')
    )
    order by k.timestamp_marked, k.id`.execute(db)
  return rows
}

/** A person has seen them, also those of workspaces that this database takes for moved. */
export async function deleteMissingMarks(db: ProcessDb): Promise<void> {
  await writeThroughFences(db)
  await sql`/* cross-workspace: reconciliation */
    delete from missing_marks`.execute(db)
}
