-- Statements on sends are prepared, so a plan made while the table is empty meets a million rows later.

-- Some pages that the table keeps, however few rows it has: over an index is then always cheaper than
-- all of it.
alter table sends set (vacuum_truncate = off);
insert into sends (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, step, variant,
  variant_id, message_id, starts_thread, state, claim_token, is_new, campaign_day, mailbox_day,
  timestamp_claimed)
select id, id, id, id, id, id, 1, 1, id, '', false, 'failed', 0, false, 'epoch', 'epoch', 'epoch'
from (select lpad(to_hex(n), 32, '0')::uuid as id from generate_series(1, 4000) n) as filling;
delete from sends where timestamp_claimed = 'epoch';
