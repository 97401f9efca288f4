import { isAboutToday } from '../../daily-counts/index.ts'
import { mayFollowUp } from '../../mailboxes/index.ts'

/** What of the stored facts tells whether an active campaign sends just now. */
export interface StoredFacts {
  plan_api: boolean
  /** Nothing is sent by this database until a person confirms it; null: nobody has sent by it yet. */
  held: boolean | null
  /** The workspace is being moved to another database, or a move of it was left. */
  is_moving: boolean
  /** When the first of the leads that wait for their first mail is due; null: none waits. */
  new_next: string | null
  /** Some of the leads that are left are paused. */
  has_paused: boolean
  /** Mails of yesterday's, today's and tomorrow's days. */
  days: { day: string; sent: number; new_leads: number }[] | null
  /** The mailboxes of `email_list`, those that are alike together; null: there is none. */
  mailboxes: MailboxFacts[] | null
}

export interface MailboxFacts {
  connected: boolean
  /** The mailboxes, and whose conversations they took over, were read lately: before that no follow-up leaves them. */
  is_read: boolean
  timezone: string | null
  /** Days on which they have sent all they may. */
  full_days: string[]
  /** When the first follow-up in their threads is due. */
  next: string | null
}

const ofCampaign = 'l.workspace_id = c.workspace_id and l.campaign_id = c.id'

/**
 * Read with the campaign, in the one statement: a few searches of indexes for each mailbox. Which day
 * it is where a mailbox is, PostgreSQL is not asked: it may not know the zone.
 */
export const factsColumn = (now: string) => `
  case when c.status = 'active' then json_build_object(
    'plan_api', (select w.plan_api from workspaces w where w.id = c.workspace_id),
    'held', (
      select i.sending_held_since is not null from instance i order by i.id limit 1),
    'is_moving', (select w.moving_to is not null from workspaces w where w.id = c.workspace_id),
    'new_next', (
      select min(l.timestamp_next_send) from leads l
      where ${ofCampaign} and l.sending_state = 'pending'),
    'has_paused', exists (
      select from leads l
      where ${ofCampaign} and l.sending_state = 'paused'),
    'days', (
      select json_agg(json_build_object('day', d.day, 'sent', d.sent, 'new_leads', d.new_leads))
      from campaign_days d
      where d.workspace_id = c.workspace_id and d.campaign_id = c.id and ${isAboutToday('d.day', now)}),
    'mailboxes', (
      select json_agg(json_build_object('connected', g.connected, 'is_read', g.is_read,
        'timezone', g.timezone, 'full_days', g.full_days, 'next', g.next))
      from (
        select e.connected, e.is_read, e.timezone, e.full_days, min(e.next) as next
        from (
          select m.status = 'connected' as connected, ${mayFollowUp('m')} as is_read, m.timezone,
            ${fullDays('m', now)} as full_days, (
              select min(l.timestamp_next_send) from leads l
              where l.workspace_id = c.workspace_id and l.mailbox_id = m.id
                and l.campaign_id = c.id and l.sending_state = 'active'
            ) as next
          from mailboxes m
          where m.workspace_id = c.workspace_id and m.address = any(c.email_list)
        ) as e
        group by e.connected, e.is_read, e.timezone, e.full_days
      ) as g)
  ) end as sending_facts`

/**
 * Leads with a follow-up to come whose mailbox does not send for the campaign: it is paused or in
 * error, it left `email_list`, or it was removed. Only such mailboxes are looked at; there are few.
 */
export const leadsWaitingColumn = `
  case when c.status in ('active', 'paused') then (
    select coalesce(sum(w.leads), 0)::int
    from (
      select (
        select count(*) from leads l
        where l.workspace_id = c.workspace_id and l.mailbox_id = x.id and l.campaign_id = c.id
          and l.sending_state = 'active'
      ) as leads
      from (
        select m.id from mailboxes m
        where m.workspace_id = c.workspace_id and m.address = any(c.email_list)
          and m.status <> 'connected'
        union all
        select m.id from mailboxes m
        where m.workspace_id = c.workspace_id and m.address = any(c.former_senders)
        union all
        select r.id from removed_mailboxes r
        where r.workspace_id = c.workspace_id
          and r.address = any(c.email_list || c.former_senders)
      ) x
    ) w
  ) else 0 end as leads_waiting`

/** In SQL, leads whose mail could not be made, as `hasFailedTemplate` says it and the index `leads_lacking` has them. */
export const failedTemplate = (lead: string) =>
  `${lead}.sending_state = 'paused' and ${lead}.skip_reason like 'template_failed: %'`

const heldBackMax = 1000

/**
 * Leads that the service holds back: their mail could not be made, or was refused; and what the first of
 * those lacks whose mail could not be made. A person pauses without a reason. One variable may hold back
 * every lead: more than `heldBackMax` are not counted, and each of the two has an index of its own.
 */
export const heldBackColumns = `
  (select count(*)::int from (
     select from leads l
     where ${ofCampaign} and l.sending_state = 'paused' and l.skip_reason is not null
     order by l.id limit ${heldBackMax}
   ) as found) as leads_held_back,
  (select regexp_replace(l.skip_reason, '^template_failed: ', '') from leads l
   where ${ofCampaign} and ${failedTemplate('l')}
   order by l.id limit 1) as held_back_for`

/**
 * The days about now on which a mailbox has sent all it may, in SQL: `isFull` says whether today is one.
 *
 * @param mailbox name of the row
 */
export const fullDays = (mailbox: string, now: string) =>
  `array(
     select d.day::text from mailbox_days d
     where d.workspace_id = ${mailbox}.workspace_id and d.mailbox_id = ${mailbox}.id
       and ${isAboutToday('d.day', now)}
       and d.sent >= least(${mailbox}.daily_limit, ${mailbox}.ramp_up_start
         + ${mailbox}.ramp_up_step * greatest(0, d.day - ${mailbox}.ramp_up_from))
     order by d.day
   )`
