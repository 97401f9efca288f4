-- What the application shows of leads: lists newest first, and the history of one.

create index leads_campaign on leads (workspace_id, campaign_id, id);
create index leads_status on leads (workspace_id, status, id);
create index events_lead on events (workspace_id, lead_email, id) where lead_email is not null;
create index audit_log_subject on audit_log (workspace_id, subject_id, id) where subject_id is not null;

-- Ways to look at leads that a person has given a name: filters and columns.
create table saved_views (
  workspace_id      uuid not null references workspaces (id),
  user_id           uuid not null references users (id) on delete cascade,
  views             jsonb not null,      -- [{name, search}]
  timestamp_updated timestamptz not null,
  primary key (workspace_id, user_id)
);

-- What is done to many leads at once: by the request itself, or, when there are very many, by a runner.
create table lead_jobs (
  workspace_id       uuid not null references workspaces (id),
  id                 uuid not null,
  user_id            uuid not null,
  action             jsonb not null,
  target             jsonb not null,      -- ids, or a filter and what is left out of it
  state              text not null default 'running'
                       check (state in ('running', 'finished', 'cancelled', 'failed')),
  total              integer not null,
  looked_at          integer not null default 0,
  changed            integer not null default 0,
  refused            integer not null default 0,
  refusals           jsonb not null default '[]',   -- the first ones: lead, reason
  place              uuid,                -- the last lead that was looked at
  undo               jsonb,               -- leads as they were; null: there is no way back
  error              text,
  claim              uuid,                -- of the process that works on it
  timestamp_claimed  timestamptz,
  timestamp_created  timestamptz not null,
  timestamp_updated  timestamptz not null,
  primary key (workspace_id, id)
);
create index lead_jobs_running on lead_jobs (timestamp_claimed) where state = 'running';
