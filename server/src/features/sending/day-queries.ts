import { column } from '../../kernel/db/column.ts'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'

// What mailboxes and campaigns have sent on a day, each by its own zone. Mails of many workspaces are
// counted together: workspace_id comes from a list.

/** The day of an instant by UTC, in SQL. */
export const utcDay = (at: string) => `(${at}::timestamptz at time zone 'UTC')::date`

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

const insertMailboxDays = prepared<string[][], never>(
  'ensure_mailbox_days',
  `/* settle */
   insert into mailbox_days (workspace_id, mailbox_id, day)
   select workspace_id, id, day from ${dayKeys}
   order by workspace_id, id, day
   on conflict (workspace_id, mailbox_id, day) do nothing`,
)

const insertCampaignDays = prepared<string[][], never>(
  'ensure_campaign_days',
  `/* settle */
   insert into campaign_days (workspace_id, campaign_id, day)
   select workspace_id, id, day from ${dayKeys}
   order by workspace_id, id, day
   on conflict (workspace_id, campaign_id, day) do nothing`,
)

const selectMailboxDays = prepared<string[][], CountedDay>(
  'lock_mailbox_days',
  `/* settle */
   select d.workspace_id, d.mailbox_id as id, d.day, d.sent
   from mailbox_days d
   join ${dayKeys} on d.workspace_id = k.workspace_id and d.mailbox_id = k.id and d.day = k.day
   order by d.workspace_id, d.mailbox_id, d.day
   for update of d`,
)

const selectCampaignDays = prepared<string[][], CountedCampaignDay>(
  'lock_campaign_days',
  `/* settle */
   select d.workspace_id, d.campaign_id as id, d.day, d.sent, d.new_leads
   from campaign_days d
   join ${dayKeys} on d.workspace_id = k.workspace_id and d.campaign_id = k.id and d.day = k.day
   order by d.workspace_id, d.campaign_id, d.day
   for update of d`,
)

/** Nobody else reserves of these days until the transaction ends. */
export async function lockMailboxDays(db: Db, wanted: Day[]): Promise<CountedDay[]> {
  const found = await selectMailboxDays(db, ...keysOf(wanted))
  if (found.length === wanted.length) return found
  await insertMailboxDays(db, ...keysOf(wanted))
  return selectMailboxDays(db, ...keysOf(wanted))
}

/** The same; they come first. */
export async function lockCampaignDays(db: Db, wanted: Day[]): Promise<CountedCampaignDay[]> {
  const found = await selectCampaignDays(db, ...keysOf(wanted))
  if (found.length === wanted.length) return found
  await insertCampaignDays(db, ...keysOf(wanted))
  return selectCampaignDays(db, ...keysOf(wanted))
}

const addToBoth = prepared<unknown[], CountedCampaignDay>(
  'add_to_days',
  `/* settle */
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
export const addToDays = (db: Db, campaigns: CountedCampaignDay[], mailboxes: CountedDay[]) =>
  addToBoth(
    db,
    ...keysOf(mailboxes),
    column(mailboxes, 'sent'),
    ...keysOf(campaigns),
    column(campaigns, 'sent'),
    column(campaigns, 'new_leads'),
  )
