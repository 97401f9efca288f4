-- What is done keeps until when it was put off, in case that is undone, and is no longer looked for among
-- what is put off.
drop index threads_snoozed;
create index threads_snoozed on threads (workspace_id, sort_id)
  where snoozed_until is not null and timestamp_done is null;

-- Leads that a block has stopped, by their domain: a block of a domain that was a mistake is undone for all.
create index leads_blocked on leads (workspace_id, split_part(email_folded, '@', -1), id)
  where stop_reason = 'blocked';
