-- What comes in: how far each folder was read, and the conversations that it belongs to.

create table mailbox_folders (
  workspace_id   uuid not null,
  mailbox_id     uuid not null,
  folder         text not null,
  uid_validity   text not null,           -- of the server: with another one all UIDs mean something else
  next_uid       bigint not null,         -- everything below it was dealt with
  timestamp_read timestamptz not null,
  primary key (workspace_id, mailbox_id, folder)
) with (fillfactor = 70);

-- A conversation that somebody has answered in; its mails are in messages, by thread_id.
create table threads (
  workspace_id      uuid not null,
  id                uuid not null,        -- of its lead
  last_message_id   uuid not null,        -- newest first by it
  mailbox_id        uuid not null,
  campaign_id       uuid not null,
  kind              text not null check (kind in ('reply', 'auto_reply', 'bounce', 'complaint')), -- of what came in last
  from_address      text not null,
  subject           text not null,
  snippet           text not null,
  unread            boolean not null,
  suggestion        text check (suggestion in ('unsubscribed')), -- what a person may want to do
  timestamp_created timestamptz not null,
  timestamp_updated timestamptz not null,
  primary key (workspace_id, id)
) with (fillfactor = 80);
create index threads_newest on threads (workspace_id, last_message_id);
create index threads_unread on threads (workspace_id, last_message_id) where unread;
create index threads_kind on threads (workspace_id, kind, last_message_id);
create index threads_mailbox on threads (workspace_id, mailbox_id, last_message_id);
create index threads_campaign on threads (workspace_id, campaign_id, last_message_id);

-- Whether a reply that asks for it unsubscribes by itself; else it is only suggested.
alter table workspaces add column unsubscribe_by_reply boolean not null default false;
