-- Where a lead is in its sequence, whose colleague it is, and which campaigns their leads have to follow.

alter table leads
  add column sent_step_ids   uuid[] not null default '{}', -- in the order they were sent
  add column postponed_until timestamptz,                  -- nothing before it, whatever the delays say
  add column company         text;                         -- domain of the organisation; only where the campaign stops for it
create index leads_company on leads (workspace_id, campaign_id, company)
  where company is not null and sending_state in ('pending', 'active', 'paused');

update leads set timestamp_next_send = timestamp_created where timestamp_next_send is null;

-- Set when steps or stop_for_company change: the leads' next times and companies are to be written again.
alter table campaigns add column leads_follow_due timestamptz;
create index campaigns_leads_follow on campaigns (leads_follow_due) where leads_follow_due is not null;
