import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import type { StoredLead } from './record.ts'

export interface WalkedLead {
  id: string
  timestamp_next_send: Date | '-infinity'
}

type Walk = [
  workspaceId: string,
  campaignId: string,
  afterNext: Date | '-infinity',
  afterId: string,
  max: number,
]

/** In the order of their index, which those that are written again move in: twice at most. */
export const walkPending = prepared<Walk, WalkedLead>(
  'walk_pending_leads',
  `select id, timestamp_next_send
   from leads
   where workspace_id = $1 and campaign_id = $2 and sending_state = 'pending'
     and (timestamp_next_send, id) > ($3::timestamptz, $4::uuid)
   order by timestamp_next_send, id
   limit $5`,
)

export const walkActive = prepared<[...Walk, mailboxId: string], WalkedLead>(
  'walk_active_leads',
  `select id, timestamp_next_send
   from leads
   where workspace_id = $1 and mailbox_id = $6 and campaign_id = $2 and sending_state = 'active'
     and (timestamp_next_send, id) > ($3::timestamptz, $4::uuid)
   order by timestamp_next_send, id
   limit $5`,
)

/** Whose threads leads of a workspace can be in; those of a removed one wait for it. */
export const findMailboxIds = (db: Db, workspaceId: string) =>
  db
    .selectFrom('mailboxes')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .union(db.selectFrom('removed_mailboxes').select('id').where('workspace_id', '=', workspaceId))
    .orderBy('id')
    .execute()

export type FollowingLead = Pick<
  StoredLead,
  | 'id'
  | 'email_folded'
  | 'sending_state'
  | 'sent_step_ids'
  | 'current_step'
  | 'timestamp_created'
  | 'timestamp_last_contact'
  | 'timestamp_next_send'
  | 'postponed_until'
  | 'company'
>

/** In id order; only what tells when their next mail is due. */
export const lockFollowing = prepared<[workspaceId: string, ids: string[]], FollowingLead>(
  'lock_following_leads',
  `select id, email_folded, sending_state, sent_step_ids, current_step, timestamp_created,
     timestamp_last_contact, timestamp_next_send, postponed_until, company
   from leads
   where workspace_id = $1 and id = any(array(select unnest($2::uuid[])))
   order by id
   for update`,
)

/** What the service works out by itself is no change of the lead to anybody: its time stays. */
export const updateFollowing = (
  db: Db,
  workspaceId: string,
  leads: Pick<FollowingLead, 'id' | 'timestamp_next_send' | 'company'>[],
) =>
  sql`
    update leads l
    set timestamp_next_send = batch.timestamp_next_send, company = batch.company
    from unnest(
      ${leads.map((lead) => lead.id)}::uuid[],
      ${leads.map((lead) => lead.timestamp_next_send)}::timestamptz[],
      ${leads.map((lead) => lead.company)}::text[]
    ) as batch (id, timestamp_next_send, company)
    where l.workspace_id = ${workspaceId}::uuid and l.id = batch.id
      and l.id = any(array(select unnest(${leads.map((lead) => lead.id)}::uuid[])))`.execute(db)
