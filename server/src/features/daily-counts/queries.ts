import { sql } from 'kysely'
import { column } from '../../kernel/db/column.ts'
import type { AnyDb, Db } from '../../kernel/db/db.ts'
import { preparedForBatch } from '../../kernel/db/prepared.ts'

// What mailboxes and campaigns have sent on a day, each by its own zone. Mails of many workspaces are
// counted together: workspace_id comes from a list.

/** The day of an instant by UTC, in SQL. */
const utcDay = (at: string) => `(${at}::timestamptz at time zone 'UTC')::date`

/** Wherever somebody is, it is the day by UTC, the one before or the one after, in SQL. */
export const isAboutToday = (day: string, now: string) =>
  `${day} between ${utcDay(now)} - 1 and ${utcDay(now)} + 1`

/** What a day's row is counted for. */
export interface Day {
  workspace_id: string
  id: string
  day: string
}

export interface CountedDay extends Day {
  sent: number
}

export interface CountedCampaignDay extends CountedDay {
  new_leads: number
}

const dayKeys = 'unnest($1::uuid[], $2::uuid[], $3::date[]) as k (workspace_id, id, day)'
const keysOf = (rows: Day[]) =>
  [column(rows, 'workspace_id'), column(rows, 'id'), column(rows, 'day')] as const

/** @param counts columns of the table, of which each row begins with zero */
function dayLocker<Counted extends Day>(owner: 'mailbox' | 'campaign', counts: string) {
  const insert = preparedForBatch<string[][], never>(
    `ensure_${owner}_days`,
    `/* batch */
     insert into ${owner}_days (workspace_id, ${owner}_id, day)
     select workspace_id, id, day from ${dayKeys}
     order by workspace_id, id, day
     on conflict (workspace_id, ${owner}_id, day) do nothing`,
  )
  const select = preparedForBatch<string[][], Counted>(
    `lock_${owner}_days`,
    `/* batch */
     select d.workspace_id, d.${owner}_id as id, d.day, ${counts}
     from ${owner}_days d
     join ${dayKeys} on d.workspace_id = k.workspace_id and d.${owner}_id = k.id and d.day = k.day
     order by d.workspace_id, d.${owner}_id, d.day
     for update of d`,
  )
  return async (db: AnyDb, wanted: Day[]): Promise<Counted[]> => {
    const found = await select(db, ...keysOf(wanted))
    if (found.length === wanted.length) return found
    await insert(db, ...keysOf(wanted))
    return select(db, ...keysOf(wanted))
  }
}

/** Nobody else reserves of these days until the transaction ends. */
export const lockMailboxDays = dayLocker<CountedDay>('mailbox', 'd.sent')

/** Nobody else reserves of these days of campaigns either, which are locked before those of mailboxes. */
export const lockCampaignDays = dayLocker<CountedCampaignDay>('campaign', 'd.sent, d.new_leads')

const addToBoth = preparedForBatch<unknown[], CountedCampaignDay>(
  'add_to_days',
  `/* batch */
   with mailboxes as (
     update mailbox_days d
     set sent = d.sent + k.sent
     from unnest($1::uuid[], $2::uuid[], $3::date[], $4::integer[])
       as k (workspace_id, id, day, sent)
     where d.workspace_id = k.workspace_id and d.mailbox_id = k.id and d.day = k.day
   )
   update campaign_days d
   set sent = d.sent + k.sent, new_leads = d.new_leads + k.new_leads
   from unnest($5::uuid[], $6::uuid[], $7::date[], $8::integer[], $9::integer[])
     as k (workspace_id, id, day, sent, new_leads)
   where d.workspace_id = k.workspace_id and d.campaign_id = k.id and d.day = k.day
   returning d.workspace_id, d.campaign_id as id, d.day, d.sent, d.new_leads`,
)

/** Of days that are locked. @returns those of the campaigns as they are now */
export const addToDays = (db: AnyDb, campaigns: CountedCampaignDay[], mailboxes: CountedDay[]) =>
  addToBoth(
    db,
    ...keysOf(mailboxes),
    column(mailboxes, 'sent'),
    ...keysOf(campaigns),
    column(campaigns, 'sent'),
    column(campaigns, 'new_leads'),
  )

export interface BouncedDay {
  workspace_id: string
  campaign_id: string
  day: string
  bounced: number
  refused: number
}

/** Hard bounces, of the day on which they count. */
export const addBounces = (db: AnyDb, days: BouncedDay[]) =>
  sql`
    /* batch */
    insert into campaign_days as d (workspace_id, campaign_id, day, bounced, refused)
    select k.workspace_id, k.campaign_id, k.day, k.bounced, k.refused
    from unnest(
      ${column(days, 'workspace_id')}::uuid[],
      ${column(days, 'campaign_id')}::uuid[],
      ${column(days, 'day')}::date[],
      ${column(days, 'bounced')}::integer[],
      ${column(days, 'refused')}::integer[]
    ) as k (workspace_id, campaign_id, day, bounced, refused)
    order by k.workspace_id, k.campaign_id, k.day
    on conflict (workspace_id, campaign_id, day) do update
      set bounced = d.bounced + excluded.bounced, refused = d.refused + excluded.refused`.execute(
    db,
  )

/** What was sent and bounced until now is no reason to pause the campaign again. */
export const forgiveBounces = (db: Db, workspaceId: string, campaignId: string) =>
  sql`
    update campaign_days
    set forgiven = bounced, forgiven_sent = sent + refused
    where workspace_id = ${workspaceId}::uuid and campaign_id = ${campaignId}::uuid
      and (forgiven, forgiven_sent) <> (bounced, sent + refused)`.execute(db)
