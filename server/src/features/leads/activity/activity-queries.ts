import { column } from '../../../kernel/db/column.ts'
import type { Db } from '../../../kernel/db/db.ts'
import { prepared } from '../../../kernel/db/prepared.ts'
import { mayFollowUp } from '../../mailboxes/index.ts'

// Ids are found first and locked afterwards, all together in id order. Lists are compared as
// `any(array(select unnest($n)))`: a length that the planner does not know keeps it on the index.

export interface LeadPlace {
  id: string
  email_folded: string
  campaign_id: string
  company: string | null
  sending_state: string
  /** Other leads that it was moved on to, or from, by a person. */
  moved_ids: string[]
  stop_for_company: boolean
  /** Nothing is sent to its address because mail to it came back for good. */
  is_bounced: boolean
}

/**
 * Whether `other` and `one` are leads of one address of which a person moved one on to the other;
 * `other` may be `one` itself.
 */
const inMoveChain = (other: string, one: string) =>
  `${other}.workspace_id = $1 and ${other}.email_folded = ${one}.email_folded
         and coalesce(${other}.moved_from, ${other}.id) = coalesce(${one}.moved_from, ${one}.id)`

export const findPlaces = prepared<[string, string[]], LeadPlace>(
  'find_lead_places',
  `select l.id, l.email_folded, l.campaign_id, l.company, l.sending_state, c.stop_for_company,
     array(
       select m.id from leads m
       where ${inMoveChain('m', 'l')} and m.id <> l.id
     ) as moved_ids,
     exists (
       select from suppressions s
       where s.workspace_id = $1 and s.kind = 'address' and s.value = l.email_folded
         and s.reason = 'bounced'
     ) as is_bounced
   from leads l
   join campaigns c on c.workspace_id = $1 and c.id = l.campaign_id
   where l.workspace_id = $1 and l.id = any(array(select unnest($2::uuid[])))`,
)

/** The leads of these addresses in every campaign. */
export const findIdsByAddress = prepared<[string, string[]], { id: string }>(
  'find_lead_ids_by_address',
  `select id
   from leads
   where workspace_id = $1 and email_folded = any(array(select unnest($2::text[])))`,
)

/** Leads at a domain that were stopped as blocked, some of them in id order from behind `$3`. */
export const listBlockedAt = prepared<
  [workspaceId: string, domain: string, after: string, limit: number],
  { id: string; email_folded: string }
>(
  'list_blocked_leads_at',
  `select id, email_folded
   from leads
   where workspace_id = $1 and id > $3 and stop_reason = 'blocked'
     and split_part(email_folded, '@', -1) = $2
   order by id
   limit $4`,
)

/** The leads of these companies in their campaigns that are still sent to. */
export const findIdsByCompany = prepared<[string, string[], string[]], { id: string }>(
  'find_lead_ids_by_company',
  `select l.id
   from (select distinct campaign_id, company from unnest($2::uuid[], $3::text[])
     as k (campaign_id, company)) as k
   join leads l
     on l.workspace_id = $1 and l.campaign_id = k.campaign_id and l.company = k.company
   where l.sending_state in ('pending', 'active', 'paused')`,
)

/** The leads, of these, of whose company somebody else has answered in the same campaign. */
export const findWithAnsweredColleague = prepared<
  [workspaceId: string, ids: string[], campaignIds: string[], companies: string[]],
  { id: string }
>(
  'find_leads_with_answered_colleague',
  `select k.id
   from unnest($2::uuid[], $3::uuid[], $4::text[]) as k (id, campaign_id, company)
   where exists (
     select from leads l
     where l.workspace_id = $1 and l.campaign_id = k.campaign_id and l.company = k.company
       and l.email_reply_count > 0 and l.id <> k.id
   )`,
)

/** The leads, of these, whose person has answered a mail of theirs, or of one that they were moved on to, or from. */
export const findAnsweredInMoveChain = prepared<[string, string[]], { id: string }>(
  'find_leads_answered_in_move_chain',
  `select l.id
   from leads l
   where l.workspace_id = $1 and l.id = any(array(select unnest($2::uuid[])))
     and exists (
       select from leads s
       where ${inMoveChain('s', 'l')} and s.email_reply_count > 0
     )`,
)

/** The leads, of these, that a person moved on to another campaign, which writes to them since. */
export const findMovedOn = prepared<[string, string[]], { id: string }>(
  'find_leads_moved_on',
  `select l.id
   from leads l
   where l.workspace_id = $1 and l.id = any(array(select unnest($2::uuid[])))
     and exists (
       select from leads m
       where ${inMoveChain('m', 'l')} and m.id > l.id
     )`,
)

/**
 * The leads, of these, who may have answered such a mail without anybody knowing it yet: a mailbox that wrote
 * to them, and is still there, does not count as read.
 */
export const findUnreadInMoveChain = prepared<[string, string[]], { id: string }>(
  'find_leads_unread_in_move_chain',
  `select l.id
   from leads l
   where l.workspace_id = $1 and l.id = any(array(select unnest($2::uuid[])))
     and exists (
       select from leads s
       join mailboxes m on m.workspace_id = $1 and m.id = s.mailbox_id
       where ${inMoveChain('s', 'l')} and not ${mayFollowUp('m')}
     )`,
)

export interface AnswersSince {
  id: string
  replied: boolean
  auto_replied: boolean
  colleague_replied: boolean
}

const selectAnswersSince = prepared<
  [workspaceId: string, string[], string[], (string | null)[], string[]],
  AnswersSince
>(
  'find_answers_since',
  `select k.id, ${hasAnswered('reply')} as replied, ${hasAnswered('auto_reply')} as auto_replied,
     exists (
       select from leads l
       join messages m on m.workspace_id = $1 and m.thread_id = l.id and m.id >= k.since
       where l.workspace_id = $1 and l.campaign_id = k.campaign_id and l.company = k.company
         and l.email_reply_count > 0 and l.id <> k.id
         and m.direction = 'in' and m.kind = 'reply'
     ) as colleague_replied
   from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[])
     as k (id, campaign_id, company, since)`,
)

function hasAnswered(kind: 'reply' | 'auto_reply') {
  return `exists (
       select from messages m
       where m.workspace_id = $1 and m.id >= k.since
         and m.thread_id = any(array(
           select s.id
           from leads l
           join leads s on ${inMoveChain('s', 'l')}
           where l.workspace_id = $1 and l.id = k.id
         ))
         and m.direction = 'in' and m.kind = '${kind}'
     )`
}

/**
 * What of their conversations came in since then, and of those of leads that they were moved on to, or from.
 *
 * @param leads `company` is null where a colleague's answer does not matter, `since` the smallest id of
 *   a message that counts
 */
export const findAnswersSince = (
  db: Db,
  workspaceId: string,
  leads: { id: string; campaign_id: string; company: string | null; since: string }[],
) =>
  selectAnswersSince(
    db,
    workspaceId,
    column(leads, 'id'),
    column(leads, 'campaign_id'),
    column(leads, 'company'),
    column(leads, 'since'),
  )
