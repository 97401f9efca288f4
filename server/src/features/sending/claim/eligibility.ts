import { mayFollowUp } from '../../mailboxes/index.ts'

/** Whether the address of lead `l` of `k.workspace_id`, or its domain, is on the suppression list. */
export const suppressed = `
  exists (
    select from suppressions x
    where x.workspace_id = k.workspace_id and x.kind = 'address' and x.value = l.email_folded
    offset 0
  ) or exists (
    select from suppressions x
    where x.workspace_id = k.workspace_id and x.kind = 'domain'
      and x.value = split_part(l.email_folded, '@', -1)
    offset 0
  )`

/**
 * What must hold at this instant for a mail from `k.mailbox_id` to `k.lead_id` in `k.campaign_id`, of
 * `k.workspace_id`, that was planned by `k.campaign_version` and `k.mailbox_version` to be sent before
 * `k.until`, as the end of a FROM and its WHERE: looked at when it is claimed, and again just before it
 * is finished. Nothing is sent of a workspace that is being moved. A follow-up (of `k.after_step_id`) waits
 * until its mailbox was read, and those whose conversations that took over: its lead may have answered.
 * The last step that the lead has got must be the one that was planned from: it may have been taken back
 * meanwhile, and comes first then.
 * Nor is a step sent while another one is under way to its lead: the campaign may have got another first
 * step meanwhile, and another process may have read the lead before.
 *
 * Each row is looked up by its own key (`order by … limit 1`, `offset 0`): a plan made while a table
 * was small would else walk through the workspace's mailboxes, or its whole suppression list. For the
 * same reason the kind of another step is not said to be `step`, which a partial index fits.
 *
 * @param readSince mailboxes that were read before it count as unread
 */
export const eligibleAt = (now: string, readSince: string) => `leads l
     join workspaces w on w.id = k.workspace_id and w.plan_api and w.moving_to is null
     join lateral (
       select c.status, c.timestamp_updated, c.daily_limit, c.daily_max_leads from campaigns c
       where c.workspace_id = k.workspace_id and c.id = k.campaign_id
       order by c.id
       limit 1
     ) c on c.status = 'active' and c.timestamp_updated = k.campaign_version
     join lateral (
       select m.status, m.timestamp_updated, ${mayFollowUp('m', readSince)} as may_follow_up
       from mailboxes m
       where m.workspace_id = k.workspace_id and m.id = k.mailbox_id
       order by m.id
       limit 1
     ) m on m.status = 'connected' and m.timestamp_updated = k.mailbox_version
       and (k.after_step_id is null or m.may_follow_up)
     where l.workspace_id = k.workspace_id and l.id = k.lead_id and l.campaign_id = k.campaign_id
       and k.until > ${now}::timestamptz and l.timestamp_next_send <= ${now}::timestamptz
       and l.sending_state in ('pending', 'active')
       and l.sent_step_ids[cardinality(l.sent_step_ids)] is not distinct from k.after_step_id
       and (l.mailbox_id is null or l.mailbox_id = k.mailbox_id)
       and not (${suppressed})
       and not exists (
         select from sends o
         where o.workspace_id = k.workspace_id and o.lead_id = k.lead_id and o.step_id <> k.step_id
           and o.kind <> 'manual' and o.state in ('claimed', 'transmitting')
         offset 0
       )`
