-- An entry of the suppression list has a row for each reason, so that lifting one lifts no other.
alter table suppressions drop constraint suppressions_pkey,
  add primary key (workspace_id, kind, value, reason);
insert into suppressions (workspace_id, kind, value, reason, timestamp_created)
select workspace_id, kind, value, 'blocked', blocked_since
from suppressions
where blocked_since is not null;
-- An unsubscribe had taken the place of a bounce, of which the leads of the address tell. Whoever has
-- answered is reached there: that bounce was lifted.
insert into suppressions (workspace_id, kind, value, reason, campaign_id, timestamp_created)
select s.workspace_id, s.kind, s.value, 'bounced', l.campaign_id, s.timestamp_created
from suppressions s
join leads l on l.workspace_id = s.workspace_id and l.email_folded = s.value
  and l.stop_reason = 'bounced'
where s.kind = 'address' and s.reason = 'unsubscribed'
  and not exists (
    select from leads a
    where a.workspace_id = s.workspace_id and a.email_folded = s.value and a.email_reply_count > 0)
on conflict do nothing;
alter table suppressions drop column blocked_since;
