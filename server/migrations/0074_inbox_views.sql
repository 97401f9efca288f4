-- What a person still has to do about a conversation, and when: the inbox is read by it.

alter table threads
  add column sort_id        uuid,                            -- newest first by it: of the last message, or as new as the end of a snooze
  add column waiting        boolean not null default false,  -- a person wrote last, and nobody has answered
  add column timestamp_done timestamptz,                     -- until something comes in that nobody has read
  add column snoozed_until  timestamptz;                     -- it waits from then on, wherever it stood before

update threads t
set sort_id = last_message_id,
  waiting = kind = 'reply' and not exists (
    select from sends s
    where s.workspace_id = t.workspace_id and s.lead_id = t.id and s.kind = 'manual'
      and s.id = t.last_message_id);

alter table threads alter column sort_id set not null;

drop index threads_newest, threads_unread, threads_kind, threads_mailbox, threads_campaign;
create index threads_newest on threads (workspace_id, sort_id);
create index threads_unread on threads (workspace_id, sort_id) where unread;
create index threads_kind on threads (workspace_id, kind, sort_id);
create index threads_mailbox on threads (workspace_id, mailbox_id, sort_id);
create index threads_campaign on threads (workspace_id, campaign_id, sort_id);
create index threads_waiting on threads (workspace_id, sort_id)
  where timestamp_done is null and (waiting or snoozed_until is not null);
create index threads_snoozed on threads (workspace_id, sort_id) where snoozed_until is not null;
create index threads_done on threads (workspace_id, sort_id) where timestamp_done is not null;
