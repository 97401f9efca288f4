-- Workspaces, their keys and what happened in them. Every tenant table has workspace_id first in its primary key.

-- Leases use the database's clock through this one function, so that a simulation can set it.
create function outrider_now() returns timestamptz
  language sql stable as 'select statement_timestamp()';

-- One row: what must be the same for every process on this database.
create table instance (
  id            uuid primary key,
  secret_key_id text not null,
  timestamp_created timestamptz not null
);

create table workspaces (
  id                     uuid primary key,
  name                   text not null unique,
  plan_api               boolean not null default true,
  plan_webhooks          boolean not null default true,
  plan_acquisition       boolean not null default true,
  plan_rate              integer not null default 10000 check (plan_rate >= 0), -- requests per 10 s, 0 = unlimited
  plan_leads_max         integer check (plan_leads_max >= 0),
  leadbank_scope_required boolean not null default false,
  timestamp_created      timestamptz not null,
  timestamp_updated      timestamptz not null
);

create table service_accounts (
  workspace_id        uuid not null references workspaces (id),
  id                  uuid not null,
  name                text not null,
  scopes              text[] not null,
  key_prefix          text not null,
  created_by_type     text not null check (created_by_type in ('user', 'key', 'operator')),
  created_by_id       uuid,
  timestamp_created   timestamptz not null,
  timestamp_updated   timestamptz not null,
  timestamp_last_used timestamptz,
  timestamp_expires   timestamptz,
  timestamp_revoked   timestamptz,
  primary key (workspace_id, id)
);
create index service_accounts_children on service_accounts (workspace_id, created_by_id) where created_by_id is not null;

-- Read before the workspace is known, hence no tenant table. A hash of 256 random bits needs no salt.
create table key_hashes (
  hash         bytea primary key,
  workspace_id uuid not null,
  key_id       uuid not null
);

create table audit_log (
  workspace_id      uuid not null,
  id                uuid not null,
  actor_type        text not null,
  actor_id          uuid,
  action            text not null,
  subject_type      text not null,
  subject_id        uuid,
  request_id        text,
  details           jsonb not null default '{}',
  timestamp_created timestamptz not null,
  primary key (workspace_id, id)
);

-- Answers kept for Idempotency-Key, 24 h; a day's partition is dropped once the day after it has passed.
create table idempotency_answers (
  workspace_id      uuid not null,
  day               date not null,
  key_hash          bytea not null,
  fingerprint       bytea not null,
  status            smallint,
  answer            bytea,                -- encrypted; null while the first request runs
  in_progress_until timestamptz,
  timestamp_created timestamptz not null,
  primary key (workspace_id, day, key_hash)
) partition by range (day);
