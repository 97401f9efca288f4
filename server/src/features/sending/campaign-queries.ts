import { column } from '../../kernel/db/column.ts'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import type { MailCampaign } from '../messages/index.ts'
import type { CampaignVersion } from './campaign-book.ts'

// Lanes of many workspaces read their campaigns together: workspace_id comes from a list.

type CampaignKey = Pick<CampaignVersion, 'workspace_id' | 'id'>

export interface CampaignColumns extends MailCampaign {
  id: string
  name: string
  version: Date
  sequences: unknown
  daily_limit: number | null
  daily_max_leads: number | null
  email_gap: number
  random_wait_max: number
  prioritize_new_leads: boolean
  expire_after_days: number | null
}

const select = prepared<string[][], CampaignColumns>(
  'read_sending_campaigns',
  `/* settle */
   select c.workspace_id, c.id, c.name, c.timestamp_updated as version, c.campaign_schedule,
     c.sequences, c.daily_limit, c.daily_max_leads, c.email_gap, c.random_wait_max,
     c.prioritize_new_leads, c.expire_after_days, c.open_tracking, c.link_tracking, c.text_only,
     c.first_email_text_only, c.insert_unsubscribe_header, c.cc_list, c.bcc_list
   from campaigns c
   join unnest($1::uuid[], $2::uuid[]) as k (workspace_id, id)
     on c.workspace_id = k.workspace_id and c.id = k.id`,
)

/** What a mail is planned and made from. */
export const readCampaigns = (db: Db, campaigns: CampaignKey[]) =>
  select(db, column(campaigns, 'workspace_id'), column(campaigns, 'id'))

const hold = prepared<string[][], CampaignVersion>(
  'hold_campaigns',
  `/* settle */
   select c.workspace_id, c.id, c.timestamp_updated as version
   from campaigns c
   join unnest($1::uuid[], $2::uuid[]) as k (workspace_id, id)
     on c.workspace_id = k.workspace_id and c.id = k.id
   order by c.workspace_id, c.id
   for key share of c`,
)

/**
 * Until the transaction ends the steps of these campaigns stay as they are: what a lead gets next is
 * told by its campaign and by the mail that is recorded here, and both must be the same for everybody.
 */
export const holdCampaigns = (db: Db, campaigns: CampaignKey[]) =>
  hold(db, column(campaigns, 'workspace_id'), column(campaigns, 'id'))
