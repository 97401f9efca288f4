import { timestampArray } from '../../../kernel/db/binary-array.ts'
import { column } from '../../../kernel/db/column.ts'
import type { AnyDb } from '../../../kernel/db/db.ts'
import { preparedForBatch } from '../../../kernel/db/prepared.ts'
import { askedNobody, claimsLock } from '../../leads/index.ts'
import type { ClaimedLead, ClaimRequest, EarlierSend, SendKey, SendState } from '../ledger.ts'
import { mayClaim } from '../restore-guard/hold-queries.ts'
import { eligibleAt } from './eligibility.ts'

// Claims of lanes of many workspaces share a transaction: every statement here joins workspace_id to
// its own unnest parameter, and says so in its first comment. What is looked up by key is so in a
// subquery of its own: in a table without statistics the planner would else take the workspace for
// the key, and walk through all of it.

export interface Sendable extends ClaimedLead {
  /** Place of the request, from 1. */
  position: number
  daily_limit: number | null
  daily_max_leads: number | null
  /** What the ledger has of this step. */
  state: SendState | null
  /** Id of the attempt that it has. */
  attempt_id: string | null
  attempt: number | null
  /** The database is the one that is sent from: see `mayClaim`. */
  allowed: boolean
}

/** How often a server was asked to take it, so far: any other attempt says nothing of the mail. */
const attempts = `s.attempt - ${askedNobody}::int`

const leadColumns = `l.id, l.email, l.first_name, l.last_name, l.company_name, l.company_domain,
       l.job_title, l.phone, l.website, l.personalization, l.custom_variables, l.timestamp_updated,
       l.thread_subject`

const selectSendable = preparedForBatch<unknown[], Sendable>(
  'find_sendable',
  `/* batch */
   select k.position::int as position, g.*, s.state, s.id as attempt_id, s.attempt,
     ${mayClaim('$12')} as allowed
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::timestamptz[],
     $7::uuid[], $8::timestamptz[], $9::timestamptz[]) with ordinality
     as k (workspace_id, lead_id, step_id, campaign_id, mailbox_id, until, after_step_id,
       campaign_version, mailbox_version, position)
   join lateral (
     select ${leadColumns}, c.daily_limit, c.daily_max_leads
     from ${eligibleAt('$10', '$11')}
     order by l.id
     limit 1
   ) g on true
   left join lateral (
     select s.state, s.id, ${attempts} as attempt
     from sends s
     where s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id
     order by s.id
     limit 1
   ) s on true
   where pg_try_advisory_xact_lock_shared(${claimsLock('k.campaign_id')})
   order by k.position`,
)

/**
 * The requests that nothing speaks against at this instant, whatever the plan was made from: the
 * lead is to be written to, and due, and its window open; nobody suppressed it; campaign, mailbox and
 * plan allow it; the mailbox of a follow-up was read; and nobody is deleting or moving leads of the campaign.
 */
export const findSendable = (
  db: AnyDb,
  requests: ClaimRequest[],
  now: Date,
  { readSince, epoch }: { readSince: Date; epoch: number },
) =>
  selectSendable(
    db,
    column(requests, 'workspace_id'),
    column(requests, 'lead_id'),
    column(requests, 'step_id'),
    column(requests, 'campaign_id'),
    column(requests, 'mailbox_id'),
    timestampArray(column(requests, 'until')),
    column(requests, 'after_step_id'),
    timestampArray(column(requests, 'campaign_version')),
    timestampArray(column(requests, 'mailbox_version')),
    now,
    readSince,
    epoch,
  )

const selectOwn = preparedForBatch<string[][], Sendable>(
  'find_own_claims',
  `/* batch */
   select k.position::int as position, ${leadColumns}, null::integer as daily_limit,
     null::integer as daily_max_leads, s.state, s.id as attempt_id, ${attempts} as attempt,
     true as allowed
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[]) with ordinality
     as k (workspace_id, lead_id, step_id, id, position)
   join lateral (
     select s.state, s.id, s.attempt, s.error_stage from sends s
     where s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id
     order by s.id
     limit 1
   ) s on s.id = k.id and s.state = 'claimed'
   join lateral (
     select * from leads l
     where l.workspace_id = k.workspace_id and l.id = k.lead_id
     order by l.id
     limit 1
   ) l on true
   order by k.position`,
)

/** What these requests have claimed already, whatever speaks against it by now. */
export const findOwnClaims = (db: AnyDb, requests: ClaimRequest[]) =>
  selectOwn(
    db,
    column(requests, 'workspace_id'),
    column(requests, 'lead_id'),
    column(requests, 'step_id'),
    column(requests, 'id'),
  )

const claimKeys = `unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[],
     $7::integer[], $8::integer[], $9::uuid[], $10::text[], $11::bigint[], $12::boolean[],
     $13::date[], $14::date[])
     as k (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, step, variant, variant_id,
       message_id, token, is_new, campaign_day, mailbox_day)`

const claimValues = (claims: ClaimRequest[]) => [
  column(claims, 'workspace_id'),
  column(claims, 'lead_id'),
  column(claims, 'step_id'),
  column(claims, 'id'),
  column(claims, 'campaign_id'),
  column(claims, 'mailbox_id'),
  column(claims, 'step'),
  column(claims, 'variant'),
  column(claims, 'variant_id'),
  column(claims, 'message_id'),
  column(claims, 'token'),
  column(claims, 'is_new'),
  column(claims, 'campaign_day'),
  column(claims, 'mailbox_day'),
]

const insert = preparedForBatch<unknown[], { id: string }>(
  'insert_claims',
  `/* batch */
   insert into sends (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, step, variant,
     variant_id, message_id, claim_token, is_new, campaign_day, mailbox_day, starts_thread, state,
     timestamp_claimed)
   select k.workspace_id, k.lead_id, k.step_id, k.id, k.campaign_id, k.mailbox_id, k.step,
     k.variant, k.variant_id, k.message_id, k.token, k.is_new, k.campaign_day, k.mailbox_day,
     true, 'claimed', $15::timestamptz
   from ${claimKeys}
   order by k.workspace_id, k.lead_id, k.step_id
   on conflict (workspace_id, lead_id, step_id) do nothing
   returning id`,
)

/** The first attempt. Whoever was faster with the lead and step keeps it. */
export async function insertClaims(db: AnyDb, claims: ClaimRequest[], now: Date) {
  if (claims.length === 0) return []
  return column(await insert(db, ...claimValues(claims), now), 'id')
}

const retake = preparedForBatch<unknown[], { id: string }>(
  'retake_claims',
  `/* batch */
   update sends s
   set id = k.id, campaign_id = k.campaign_id, mailbox_id = k.mailbox_id, step = k.step,
     variant = k.variant, variant_id = k.variant_id, message_id = k.message_id,
     claim_token = k.token, is_new = k.is_new, campaign_day = k.campaign_day,
     mailbox_day = k.mailbox_day, state = 'claimed', attempt = ${attempts} + 1,
     error_stage = null, error_code = null, error_message = null,
     timestamp_claimed = $15::timestamptz, timestamp_transmitting = null, timestamp_settled = null
   from ${claimKeys}
   where s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id
     and s.state = 'failed'
   returning s.id`,
)

/** Another attempt, only where the last one certainly sent nothing. */
export async function retakeClaims(db: AnyDb, claims: ClaimRequest[], now: Date) {
  if (claims.length === 0) return []
  return column(await retake(db, ...claimValues(claims), now), 'id')
}

export interface EarlierRow extends EarlierSend {
  lead_id: string
}

const selectEarlier = preparedForBatch<string[][], EarlierRow>(
  'find_earlier_sends',
  `/* batch */
   select s.lead_id, s.step_id, coalesce(s.provider_message_id, s.message_id) as message_id,
     s.starts_thread
   from sends s
   join unnest($1::uuid[], $2::uuid[]) as k (workspace_id, lead_id)
     on s.workspace_id = k.workspace_id and s.lead_id = k.lead_id
   where s.kind = 'step' and s.state in ('sent', 'uncertain')
   order by s.timestamp_transmitting, s.id`,
)

/** What these leads were sent before: the chain that a follow-up hangs on. */
export const findEarlier = (db: AnyDb, claims: SendKey[]) =>
  selectEarlier(db, column(claims, 'workspace_id'), column(claims, 'lead_id'))
