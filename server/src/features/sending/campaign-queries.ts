import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { MailCampaign } from '../messages/index.ts'
import type { CampaignVersion } from './campaign-book.ts'

// Lanes of many workspaces read their campaigns together: workspace_id comes from a list.

const column = <Row, Name extends keyof Row>(rows: Row[], name: Name): Row[Name][] =>
  rows.map((row) => row[name])

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

/** What a mail is planned and made from. */
export async function readCampaigns(
  db: Db,
  campaigns: Pick<CampaignVersion, 'workspace_id' | 'id'>[],
) {
  const { rows } = await sql<CampaignColumns>`
    /* settle */
    select c.workspace_id, c.id, c.name, c.timestamp_updated as version, c.campaign_schedule, c.sequences,
      c.daily_limit, c.daily_max_leads, c.email_gap, c.random_wait_max, c.prioritize_new_leads,
      c.expire_after_days, c.open_tracking, c.link_tracking, c.text_only, c.first_email_text_only,
      c.insert_unsubscribe_header, c.cc_list, c.bcc_list
    from campaigns c
    join unnest(
      ${column(campaigns, 'workspace_id')}::uuid[],
      ${column(campaigns, 'id')}::uuid[]
    ) as k (workspace_id, id)
      on c.workspace_id = k.workspace_id and c.id = k.id`.execute(db)
  return rows
}

/**
 * Until the transaction ends the steps of these campaigns stay as they are: what a lead gets next is
 * told by its campaign and by the mail that is recorded here, and both must be the same for everybody.
 */
export async function holdCampaigns(
  db: Db,
  campaigns: Pick<CampaignVersion, 'workspace_id' | 'id'>[],
) {
  const { rows } = await sql<CampaignVersion>`
    /* settle */
    select c.workspace_id, c.id, c.timestamp_updated as version
    from campaigns c
    join unnest(
      ${column(campaigns, 'workspace_id')}::uuid[],
      ${column(campaigns, 'id')}::uuid[]
    ) as k (workspace_id, id)
      on c.workspace_id = k.workspace_id and c.id = k.id
    order by c.workspace_id, c.id
    for key share of c`.execute(db)
  return rows
}
