-- Conversations go on from their mailbox or not at all: what a mailbox was known by outlives it.

-- A mailbox that was removed, without its settings. Added again, it is the same one.
create table removed_mailboxes (
  workspace_id      uuid not null references workspaces (id),
  address_folded    text not null,
  id                uuid not null,
  address           text not null,       -- as email_list spells it
  timestamp_removed timestamptz not null,
  primary key (workspace_id, address_folded)
);
create index removed_mailboxes_address on removed_mailboxes (workspace_id, address);

alter table campaigns
  add column former_senders text[] not null default '{}'; -- addresses that left email_list: leads may wait in their threads
