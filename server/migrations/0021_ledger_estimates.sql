-- A vacuum of the empty ledger tells the planner that there is nothing in it, and the first mails were
-- marked and settled by reading all of it (decision 0014): it comes once there are mails, and what ANALYZE
-- found in some rows stays known.

alter table sends set (autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_threshold = 10000);
insert into sends (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, step, variant,
  variant_id, message_id, starts_thread, state, claim_token, is_new, campaign_day, mailbox_day,
  timestamp_claimed)
select id, id, id, id, id, id, 1, 1, id, '', false, 'failed', 0, false, 'epoch', 'epoch', 'epoch'
from (
  select lpad(to_hex(n), 32, '0')::uuid as id from generate_series(1, 4000) n
  where not exists (select from sends)
) as filling;
analyze sends;
delete from sends where timestamp_claimed = 'epoch';
