-- Where each thing that a lead came to was counted, {"<outcome>": {"day", "step", "variant"}}: what is
-- taken back is taken from there (decision 0064).
alter table leads add outcomes_counted jsonb;

-- Of the time before only the counts are known: each is given to one of the leads that came to it, in
-- the order of time, so that nothing is taken back twice. The counts stay as they are.
with places as (
  select d.workspace_id, d.campaign_id, o.outcome,
    jsonb_build_object('day', d.day, 'step', d.step, 'variant', d.variant) as place,
    row_number() over (
      partition by d.workspace_id, d.campaign_id, o.outcome
      order by d.day, d.step, d.variant) as number
  from campaign_step_days d
  cross join lateral (values
    ('replied', d.replied),
    ('bounced', d.bounced),
    ('unsubscribed', d.unsubscribed),
    ('interested', d.interested)
  ) as o (outcome, leads)
  cross join generate_series(1, o.leads)
), outcomes as (
  select l.workspace_id, l.campaign_id, l.id as lead_id, o.outcome,
    row_number() over (
      partition by l.workspace_id, l.campaign_id, o.outcome
      order by o.at, l.id) as number
  from leads l
  cross join lateral (values
    ('replied', case when l.email_reply_count > 0
      then coalesce(l.timestamp_last_reply, l.timestamp_updated) end),
    ('bounced', case when l.stop_reason = 'bounced' then l.timestamp_updated end),
    ('unsubscribed', case when l.stop_reason = 'unsubscribed' then l.timestamp_updated end),
    ('interested', case when l.status in ('interested', 'meeting_booked', 'meeting_completed',
      'closed') then l.timestamp_updated end)
  ) as o (outcome, at)
  where o.at is not null and l.current_step > 0 -- of nothing that was sent nothing was counted
), counted as (
  select workspace_id, lead_id, jsonb_object_agg(outcome, place) as outcomes
  from outcomes
  join places using (workspace_id, campaign_id, outcome, number)
  group by workspace_id, lead_id
)
update leads l
set outcomes_counted = c.outcomes
from counted c
where l.workspace_id = c.workspace_id and l.id = c.lead_id;
