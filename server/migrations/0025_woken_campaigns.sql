-- Adding a lead writes one row, however many mailboxes its campaign has: a runner wakes those.

-- Campaigns that leads were added to, until their mailboxes are woken.
create table woken_campaigns (
  workspace_id uuid not null,
  campaign_id  uuid not null,
  primary key (workspace_id, campaign_id)
) with (fillfactor = 50);

-- As wake_at when the lane went to sleep, if no new lead changes what it does until then; else null.
alter table mailbox_lanes add column rests_until timestamptz;
