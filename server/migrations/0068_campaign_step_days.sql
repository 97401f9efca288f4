-- What the mails of a campaign's steps came to, day by day: counting the ledger each time would be a scan.
create table campaign_step_days (
  workspace_id uuid not null,
  campaign_id  uuid not null,
  day          date not null,               -- in the zone of the campaign's first schedule
  step         integer not null,            -- from 1, as it was when the mail was claimed
  variant      integer not null,            -- from 1
  sent         integer not null default 0,  -- with those that are uncertain
  opened       integer not null default 0,  -- the first open of a mail
  clicked      integer not null default 0,  -- the first click in a mail
  replied      integer not null default 0,  -- leads, at their first reply
  auto_replied integer not null default 0,
  bounced      integer not null default 0,  -- leads, for good
  interested   integer not null default 0,  -- leads; less one where somebody takes it back
  unsubscribed integer not null default 0,  -- leads
  primary key (workspace_id, campaign_id, day, step, variant)
) with (fillfactor = 50);

-- What is known of the time before: mails by the ledger, leads by what became of them, each counted at
-- the last mail that it was sent.
with zones as materialized (
  select c.workspace_id, c.id,
    coalesce((
      select n.name from pg_timezone_names n
      where lower(n.name) = lower(c.campaign_schedule #>> '{schedules,0,timezone}')
      limit 1), 'UTC') as zone
  from campaigns c
), last as materialized (
  select distinct on (s.workspace_id, s.lead_id) s.workspace_id, s.lead_id, s.step, s.variant
  from sends s
  where s.kind = 'step'
  order by s.workspace_id, s.lead_id, s.timestamp_transmitting desc nulls last
), happened as (
  select s.workspace_id, s.campaign_id, s.campaign_day as day, s.step, s.variant, 'sent' as what
  from sends s
  where s.kind = 'step' and s.state in ('sent', 'uncertain')
  union all
  select l.workspace_id, l.campaign_id, (e.at at time zone z.zone)::date, s.step, s.variant, e.what
  from leads l
  join zones z on z.workspace_id = l.workspace_id and z.id = l.campaign_id
  join last s on s.workspace_id = l.workspace_id and s.lead_id = l.id
  cross join lateral (values
    ('opened', case when l.email_open_count > 0 then l.timestamp_last_open end),
    ('clicked', case when l.email_click_count > 0 then l.timestamp_last_click end),
    ('replied', case when l.email_reply_count > 0 then l.timestamp_last_reply end),
    ('bounced', case when l.stop_reason = 'bounced' then l.timestamp_updated end),
    ('unsubscribed', case when l.stop_reason = 'unsubscribed' then l.timestamp_updated end),
    ('interested', case when l.status in ('interested', 'meeting_booked', 'meeting_completed',
      'closed') then l.timestamp_updated end)
  ) as e (what, at)
  where e.at is not null
  union all
  select m.workspace_id, m.campaign_id, (m.timestamp at time zone z.zone)::date, s.step, s.variant,
    'auto_replied'
  from messages m
  join zones z on z.workspace_id = m.workspace_id and z.id = m.campaign_id
  join last s on s.workspace_id = m.workspace_id and s.lead_id = m.lead_id
  where m.direction = 'in' and m.kind = 'auto_reply'
)
insert into campaign_step_days (workspace_id, campaign_id, day, step, variant, sent, opened, clicked,
  replied, auto_replied, bounced, interested, unsubscribed)
select workspace_id, campaign_id, day, step, variant,
  count(*) filter (where what = 'sent'),
  count(*) filter (where what = 'opened'),
  count(*) filter (where what = 'clicked'),
  count(*) filter (where what = 'replied'),
  count(*) filter (where what = 'auto_replied'),
  count(*) filter (where what = 'bounced'),
  count(*) filter (where what = 'interested'),
  count(*) filter (where what = 'unsubscribed')
from happened
group by workspace_id, campaign_id, day, step, variant;
