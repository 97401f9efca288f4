-- What the mails of a variant came to stays with it when others are removed or moved: counted by ids
-- instead of by numbers, which change (decision 0064).
alter table campaign_step_days rename to numbered_step_days;
alter table numbered_step_days rename constraint campaign_step_days_pkey to numbered_step_days_pkey;

create table campaign_step_days (
  workspace_id uuid not null,
  campaign_id  uuid not null,
  day          date not null,               -- in the zone of the campaign's first schedule
  -- Nil (RFC 9562): counted by a number that was no more in 0104.
  step_id      uuid not null default '00000000-0000-0000-0000-000000000000',
  variant_id   uuid not null default '00000000-0000-0000-0000-000000000000',
  sent         integer not null default 0,  -- with those that are uncertain
  opened       integer not null default 0,  -- the first open of a mail
  clicked      integer not null default 0,  -- the first click in a mail
  replied      integer not null default 0,  -- leads, at their first reply
  auto_replied integer not null default 0,
  bounced      integer not null default 0,  -- leads, for good
  interested   integer not null default 0,  -- leads; less one where somebody takes it back
  unsubscribed integer not null default 0,  -- leads
  primary key (workspace_id, campaign_id, day, step_id, variant_id)
) with (fillfactor = 50);

-- A number means what it means now; which others it had before is told nowhere.
with steps as materialized (
  select c.workspace_id, c.id as campaign_id, s.number as step, (s.step ->> 'id')::uuid as step_id,
    array(
      select (v.variant ->> 'id')::uuid
      from jsonb_array_elements(s.step -> 'variants') with ordinality as v (variant, number)
      order by v.number) as variant_ids
  from campaigns c
  cross join lateral jsonb_path_query(c.sequences, '$[*].steps[*]')
    with ordinality as s (step, number)
), counted as (
  insert into campaign_step_days (workspace_id, campaign_id, day, step_id, variant_id, sent, opened,
    clicked, replied, auto_replied, bounced, interested, unsubscribed)
  select d.workspace_id, d.campaign_id, d.day, coalesce(s.step_id, '00000000-0000-0000-0000-000000000000'),
    coalesce(s.variant_ids[d.variant], '00000000-0000-0000-0000-000000000000'), sum(d.sent), sum(d.opened), sum(d.clicked), sum(d.replied), sum(d.auto_replied), sum(d.bounced),
    sum(d.interested), sum(d.unsubscribed)
  from numbered_step_days d
  left join steps s
    on s.workspace_id = d.workspace_id and s.campaign_id = d.campaign_id and s.step = d.step
  group by d.workspace_id, d.campaign_id, d.day, s.step_id, s.variant_ids[d.variant]
), places as (
  -- The variant of one that was noted without was that of the lead's mail at this step.
  select l.workspace_id, l.campaign_id, l.id as lead_id, o.outcome, o.place ->> 'day' as day,
    (o.place ->> 'step')::integer as step,
    coalesce((o.place ->> 'variant')::integer, (
      select s.variant from sends s
      where s.workspace_id = l.workspace_id and s.lead_id = l.id and s.kind = 'step'
        and s.step = (o.place ->> 'step')::integer
      order by s.timestamp_transmitting desc nulls last
      limit 1), 1) as variant
  from leads l
  cross join lateral jsonb_each(l.outcomes_counted) as o (outcome, place)
), moved as (
  select p.workspace_id, p.lead_id,
    jsonb_object_agg(p.outcome, jsonb_build_object('day', p.day, 'step_id', s.step_id,
      'variant_id', s.variant_ids[p.variant])) as outcomes
  from places p
  left join steps s
    on s.workspace_id = p.workspace_id and s.campaign_id = p.campaign_id and s.step = p.step
  group by p.workspace_id, p.lead_id
)
update leads l
set outcomes_counted = m.outcomes
from moved m
where l.workspace_id = m.workspace_id and l.id = m.lead_id;

drop table numbered_step_days;
