-- Campaigns, leads, and what decides whether a lead may be written to.

create table labels (
  workspace_id       uuid not null references workspaces (id),
  id                 uuid not null,
  name               text not null,
  name_folded        text not null,
  value              text not null,
  effect             text not null check (effect in ('none', 'pause', 'stop')),
  sentiment          text not null check (sentiment in ('positive', 'neutral', 'negative')),
  timestamp_created  timestamptz not null,
  timestamp_updated  timestamptz not null,
  timestamp_archived timestamptz,
  primary key (workspace_id, id),
  unique (workspace_id, name_folded),
  unique (workspace_id, value)
);

create table mailboxes (
  workspace_id      uuid not null references workspaces (id),
  id                uuid not null,
  address           text not null,
  address_folded    text not null,
  display_name      text,
  status            text not null default 'connected' check (status in ('connected', 'error', 'paused')),
  status_reason     text,
  settings          bytea not null,       -- encrypted SMTP and IMAP settings
  daily_limit       integer not null default 50 check (daily_limit > 0),
  timestamp_created timestamptz not null,
  timestamp_updated timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, address_folded)
);
-- A campaign looks for its mailboxes by the spelling that its email_list keeps.
create index mailboxes_address on mailboxes (workspace_id, address);

create table campaigns (
  workspace_id              uuid not null references workspaces (id),
  id                        uuid not null,
  name                      text not null,
  status                    text not null default 'draft' check (status in ('draft', 'active', 'paused', 'completed')),
  status_reason             text,
  campaign_schedule         jsonb not null,
  sequences                 jsonb not null,
  email_list                text[] not null default '{}',
  daily_limit               integer,
  daily_max_leads           integer,
  email_gap                 integer not null,   -- minutes
  random_wait_max           integer not null,   -- minutes
  stop_on_reply             boolean not null,
  stop_on_auto_reply        boolean not null,
  stop_for_company          boolean not null,
  open_tracking             boolean not null,
  link_tracking             boolean not null,
  text_only                 boolean not null,
  first_email_text_only     boolean not null,
  insert_unsubscribe_header boolean not null,
  prioritize_new_leads      boolean not null,
  cc_list                   text[] not null default '{}',
  bcc_list                  text[] not null default '{}',
  expire_after_days         integer,
  timestamp_created         timestamptz not null,
  timestamp_updated         timestamptz not null,
  primary key (workspace_id, id)
);

-- Kept in the transaction that changes the leads, so that reading a campaign costs the same at any size.
create table campaign_lead_counts (
  workspace_id uuid not null,
  campaign_id  uuid not null,
  total        integer not null default 0,
  active       integer not null default 0,
  completed    integer not null default 0,
  replied      integer not null default 0,
  bounced      integer not null default 0,
  unsubscribed integer not null default 0,
  primary key (workspace_id, campaign_id)
);

create table leads (
  workspace_id           uuid not null,
  id                     uuid not null,
  campaign_id            uuid not null,
  email                  text not null,
  email_folded           text not null,
  first_name             text,
  last_name              text,
  company_name           text,
  company_domain         text,
  job_title              text,
  phone                  text,
  website                text,
  personalization        text,
  custom_variables       jsonb not null default '{}',
  status                 text not null default 'new',
  label_id               uuid,
  sending_state          text not null default 'pending',
  stop_reason            text,
  current_step           integer not null default 0,
  last_contacted_from    text,
  email_open_count       integer not null default 0,
  email_click_count      integer not null default 0,
  email_reply_count      integer not null default 0,
  timestamp_last_contact timestamptz,
  timestamp_last_open    timestamptz,
  timestamp_last_click   timestamptz,
  timestamp_last_reply   timestamptz,
  timestamp_next_send    timestamptz,
  timestamp_created      timestamptz not null,
  timestamp_updated      timestamptz not null,
  primary key (workspace_id, id)
);
-- One lead per campaign and address; also finds an address anywhere in the workspace.
create unique index leads_email on leads (workspace_id, email_folded, campaign_id);

create table suppressions (
  workspace_id      uuid not null references workspaces (id),
  kind              text not null check (kind in ('address', 'domain')),
  value             text not null,       -- folded
  reason            text not null check (reason in ('unsubscribed', 'bounced', 'blocked')),
  campaign_id       uuid,
  timestamp_created timestamptz not null,
  primary key (workspace_id, kind, value)
);
