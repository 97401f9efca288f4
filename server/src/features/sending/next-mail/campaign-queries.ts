import { column } from '../../../kernel/db/column.ts'
import type { AnyDb, Db } from '../../../kernel/db/db.ts'
import { prepared, preparedForBatch } from '../../../kernel/db/prepared.ts'
import type { CampaignSequence } from '../../campaigns/index.ts'
import type { MailCampaign, MailVariant } from '../../messages/index.ts'

// Lanes of many workspaces read their campaigns together: workspace_id comes from a list.

export interface CampaignVersion {
  workspace_id: string
  id: string
  /** Later with every change. */
  version: Date
}

type CampaignKey = Pick<CampaignVersion, 'workspace_id' | 'id'>

export interface CampaignColumns extends MailCampaign {
  id: string
  version: Date
  /** Without the texts of their variants. */
  steps: CampaignSequence['steps']
  daily_limit: number | null
  daily_max_leads: number | null
  email_gap: number
  random_wait_max: number
  prioritize_new_leads: boolean
  expire_after_days: number | null
}

const select = preparedForBatch<string[][], CampaignColumns>(
  'read_sending_campaigns',
  `/* batch */
   select c.workspace_id, c.id, c.timestamp_updated as version, c.campaign_schedule,
     (
       select coalesce(jsonb_agg(jsonb_build_object(
         'id', s.step -> 'id', 'delay', s.step -> 'delay', 'delay_unit', s.step -> 'delay_unit',
         'variants', (
           select jsonb_agg(
             jsonb_build_object('id', v.variant -> 'id', 'v_disabled', v.variant -> 'v_disabled')
             order by v.n)
           from jsonb_array_elements(s.step -> 'variants') with ordinality as v (variant, n)
         )) order by q.n, s.n), '[]')
       from jsonb_array_elements(c.sequences) with ordinality as q (sequence, n),
         jsonb_array_elements(q.sequence -> 'steps') with ordinality as s (step, n)
     ) as steps,
     c.daily_limit, c.daily_max_leads, c.email_gap, c.random_wait_max,
     c.prioritize_new_leads, c.expire_after_days, c.open_tracking, c.link_tracking, c.text_only,
     c.first_email_text_only, c.insert_unsubscribe_header, c.cc_list, c.bcc_list
   from campaigns c
   join unnest($1::uuid[], $2::uuid[]) as k (workspace_id, id)
     on c.workspace_id = k.workspace_id and c.id = k.id`,
)

const selectText = prepared<[string, string, Date, string, string], MailText>(
  'read_variant_text',
  `select v.variant ->> 'subject' as subject, v.variant ->> 'body' as body
   from campaigns c, jsonb_array_elements(c.sequences) as q (sequence),
     jsonb_array_elements(q.sequence -> 'steps') as s (step),
     jsonb_array_elements(s.step -> 'variants') as v (variant)
   where c.workspace_id = $1 and c.id = $2 and date_trunc('milliseconds', c.timestamp_updated) = $3
     and s.step ->> 'id' = $4 and v.variant ->> 'id' = $5`,
)

type MailText = Pick<MailVariant, 'subject' | 'body'>

/** Finds a variant's text in this version of a campaign; nothing once that has changed. */
export async function findVariantText(
  db: Db,
  { workspace_id, id, version }: CampaignVersion,
  stepId: string,
  variantId: string,
): Promise<MailText | undefined> {
  const [text] = await selectText(db, workspace_id, id, version, stepId, variantId)
  return text
}

/** What mails are planned from, and all that they are made from but their texts. */
export const readCampaigns = (db: AnyDb, campaigns: CampaignKey[]) =>
  select(db, column(campaigns, 'workspace_id'), column(campaigns, 'id'))

const hold = preparedForBatch<string[][], CampaignVersion>(
  'hold_campaigns',
  `/* batch */
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
export const holdCampaigns = (db: AnyDb, campaigns: CampaignKey[]) =>
  hold(db, column(campaigns, 'workspace_id'), column(campaigns, 'id'))
