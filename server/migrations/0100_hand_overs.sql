-- Answers to a conversation that was handed over still come to the mailbox that began it.

-- Which mailboxes led conversations before the one that goes on with them, by way of others, too.
create table hand_overs (
  workspace_id    uuid not null references workspaces (id),
  to_mailbox_id   uuid not null,
  from_mailbox_id uuid not null,  -- may have been removed, and come back
  primary key (workspace_id, to_mailbox_id, from_mailbox_id)
);

insert into hand_overs (workspace_id, to_mailbox_id, from_mailbox_id)
with recursive told as (
  select workspace_id, (details ->> 'to')::uuid as to_id, subject_id as from_id
  from audit_log
  where action = 'mailbox.handed_over'
), taken_over as (
  select * from told
  union
  select told.workspace_id, told.to_id, taken_over.from_id
  from told
  join taken_over
    on taken_over.workspace_id = told.workspace_id and taken_over.to_id = told.from_id
)
select * from taken_over where to_id <> from_id;
