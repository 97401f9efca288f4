-- Who is erased is in no list of leads, and counts among them no more (see the feature `erasure`); those of
-- before were still counted. Their rows are done with, so none of them counts as active. The counters are
-- locked in the order in which processes that still run lock those of several campaigns.
with erased as materialized (
  select workspace_id, campaign_id, count(*) as total,
    count(*) filter (where sending_state = 'finished') as completed,
    count(*) filter (where email_reply_count > 0) as replied,
    count(*) filter (where stop_reason = 'bounced') as bounced,
    count(*) filter (where stop_reason = 'unsubscribed') as unsubscribed
  from leads where email_folded like '%@erased.invalid'
  group by workspace_id, campaign_id
), locked as materialized (
  select workspace_id, campaign_id from campaign_lead_counts
  where (workspace_id, campaign_id) in (select workspace_id, campaign_id from erased)
  order by workspace_id, campaign_id
  for update
)
update campaign_lead_counts c set
  total = c.total - e.total, completed = c.completed - e.completed, replied = c.replied - e.replied,
  bounced = c.bounced - e.bounced, unsubscribed = c.unsubscribed - e.unsubscribed
from locked join erased e using (workspace_id, campaign_id)
where c.workspace_id = e.workspace_id and c.campaign_id = e.campaign_id;
