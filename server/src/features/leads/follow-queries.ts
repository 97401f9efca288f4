import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import type { StoredLead } from './record.ts'

export interface WalkedLead {
  /** Whose thread it is in; of one that nothing was sent to, the first id of all. */
  mailbox_id: string
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
const selectPending = prepared<Walk, WalkedLead>(
  'walk_pending_leads',
  `select '00000000-0000-0000-0000-000000000000'::uuid as mailbox_id, id, timestamp_next_send
   from leads
   where workspace_id = $1 and campaign_id = $2 and sending_state = 'pending'
     and (timestamp_next_send, id) > ($3::timestamptz, $4::uuid)
   order by timestamp_next_send, id
   limit $5`,
)

// The threads of removed mailboxes wait for them.
const selectActive = prepared<[...Walk, afterMailboxId: string], WalkedLead>(
  'walk_active_leads',
  `select m.id as mailbox_id, l.id, l.timestamp_next_send
   from (
     select id from mailboxes where workspace_id = $1 and id >= $6
     union
     select id from removed_mailboxes where workspace_id = $1 and id >= $6
     order by id
   ) m
   cross join lateral (
     select l.id, l.timestamp_next_send
     from leads l
     where l.workspace_id = $1 and l.mailbox_id = m.id and l.campaign_id = $2
       and l.sending_state = 'active'
       and (m.id > $6 or (l.timestamp_next_send, l.id) > ($3::timestamptz, $4::uuid))
     order by l.timestamp_next_send, l.id
     limit $5
   ) l
   order by m.id, l.timestamp_next_send, l.id
   limit $5`,
)

export const beforeAll: WalkedLead = {
  mailbox_id: '00000000-0000-0000-0000-000000000000',
  id: '00000000-0000-0000-0000-000000000000',
  timestamp_next_send: '-infinity',
}

/** Leads that nothing was sent to. */
export const walkPending = (
  db: Db,
  workspaceId: string,
  campaignId: string,
  { timestamp_next_send, id }: WalkedLead,
  max: number,
) => selectPending(db, workspaceId, campaignId, timestamp_next_send, id, max)

/** Leads in the threads of one mailbox after the other. */
export const walkActive = (
  db: Db,
  workspaceId: string,
  campaignId: string,
  { mailbox_id, timestamp_next_send, id }: WalkedLead,
  max: number,
) => selectActive(db, workspaceId, campaignId, timestamp_next_send, id, max, mailbox_id)

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
