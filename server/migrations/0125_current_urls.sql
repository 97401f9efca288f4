-- Which of the URLs that a deleted destination had was its last: its closing records name it.
alter table webhook_urls add column timestamp_used timestamptz; -- when it became the destination's
update webhook_urls u set timestamp_used = w.timestamp_updated
from webhooks w
where w.workspace_id = u.workspace_id and w.id = u.webhook_id and w.target_hook_url = u.url;
