-- After a failover each process is asked whether the new primary has every mail that it sent from the old one.

-- A process that sends, from before its first mail until it has ended what was under way.
create table senders (
  id                uuid primary key,
  database_identity text not null, -- of the database that it found all of its marks in
  timestamp_seen    timestamptz not null
);

-- Mails whose end was sent, and of which the database that took over knows nothing; until a person has looked.
create table missing_marks (
  workspace_id     uuid not null,
  lead_id          uuid not null,
  step_id          uuid not null,
  id               uuid not null, -- of the attempt
  campaign_id      uuid not null,
  mailbox_id       uuid not null,
  timestamp_marked timestamptz not null,
  primary key (workspace_id, lead_id, step_id, id)
);

-- The last failover, as who noticed it first found it.
alter table instance
  add column failover_from     text,   -- the identity of the database before it
  add column failover_identity text,   -- and after it
  add column failover_epoch    bigint, -- how far the new primary was
  add column failover_since    timestamptz;
