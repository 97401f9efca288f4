-- Events, the destinations they go to, what is still to be delivered, and every attempt.

-- The exact bytes that are signed and sent: text, because jsonb reorders keys. The id is a UUIDv7, so it holds the time.
create table events (
  workspace_id uuid not null,
  id           uuid not null,
  type         text not null,
  campaign_id  uuid,
  lead_email   text,
  body         text not null,
  test         boolean not null default false, -- of a test call: never replayed
  primary key (workspace_id, id)
) partition by range (id);

create table webhooks (
  workspace_id            uuid not null references workspaces (id),
  id                      uuid not null,
  campaign                uuid,
  name                    text not null,
  target_hook_url         text not null,
  event_type              text not null,
  custom_interest_value   text,
  headers                 bytea,               -- encrypted JSON object
  secret                  bytea not null,      -- encrypted
  previous_secret         bytea,               -- encrypted; signs too until it expires
  previous_secret_expires timestamptz,
  status                  text not null default 'active' check (status in ('active', 'disabled')),
  disabled_reason         text check (disabled_reason in ('manual', 'gone', 'failing')),
  timestamp_disabled      timestamptz,
  timestamp_created       timestamptz not null,
  timestamp_updated       timestamptz not null,
  primary key (workspace_id, id)
);
create index webhooks_subscribed on webhooks (workspace_id, event_type) where status = 'active';
create index webhooks_campaign on webhooks (workspace_id, campaign, id) where campaign is not null;

-- Every URL a destination ever had: finds the destinations behind a webhook_url filter without an index on every attempt.
create table webhook_urls (
  workspace_id uuid not null,
  webhook_id   uuid not null,
  url          text not null,
  url_hash     bytea not null,
  primary key (workspace_id, url_hash, webhook_id)
);
-- The runner's sweep walks all destinations in this order, deleted ones too.
create index webhook_urls_sweep on webhook_urls (workspace_id, webhook_id);

-- A destination's health, apart from its settings: written only while it fails or recovers.
create table webhook_lanes (
  workspace_id         uuid not null,
  webhook_id           uuid not null,
  consecutive_failures integer not null default 0,
  not_before           timestamptz,
  failing_since        timestamptz,            -- first failure after the last success
  failures             integer not null default 0, -- since then
  abandons             integer not null default 0, -- expired leases with a request of this lane in flight
  in_flight_id         uuid,                   -- the one delivery under way while abandons >= 3
  primary key (workspace_id, webhook_id)
);

-- Only what is pending: a row is deleted when it is settled. Its id is the retry group of its attempts.
create table deliveries (
  workspace_id uuid not null,
  id           uuid not null,
  bucket       smallint not null,
  webhook_id   uuid not null,
  event_id     uuid not null,
  due_at       timestamptz not null,
  expires_at   timestamptz not null,
  attempt      integer not null default 0,     -- attempts made
  primary key (workspace_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index deliveries_due on deliveries (bucket, due_at, id);
create index deliveries_lane on deliveries (workspace_id, webhook_id, due_at, id);

-- An event with more deliveries than one transaction should write, expanded in chunks by a runner.
create table fanouts (
  workspace_id     uuid not null,
  event_id         uuid not null,
  bucket           smallint not null,
  webhook_ids      uuid[] not null,   -- in order; those that matched when the event was stored
  after_webhook_id uuid,
  due_at           timestamptz not null,
  expires_at       timestamptz not null,
  primary key (workspace_id, event_id)
);
create index fanouts_due on fanouts (bucket, due_at);

-- One row per attempt, append-only.
create table webhook_events (
  workspace_id         uuid not null,
  id                   uuid not null,
  webhook_id           uuid not null,
  webhook_url          text not null,
  event_id             uuid not null,
  event_type           text not null,
  campaign_id          uuid,
  lead_email           text,
  retry_group_id       uuid not null,
  retry_count          integer not null,
  status_code          integer,
  success              boolean not null,
  will_retry           boolean not null,
  timestamp_next_retry timestamptz,
  error_message        text,
  response_time_ms     integer,
  response_body        text,
  primary key (workspace_id, id)
) partition by range (id);
create index webhook_events_retries on webhook_events (workspace_id, retry_group_id) where retry_count > 0;
create index webhook_events_failures on webhook_events (workspace_id, id) where not success;
-- One destination, one URL of it, one outcome, as one value: three columns would each be thought to
-- narrow the search, and the planner would then sort what it takes for a handful of rows.
create index webhook_events_run on webhook_events
  (workspace_id, hashtextextended(webhook_url, uuid_hash_extended(webhook_id, success::integer::bigint)), id);
create index webhook_events_type on webhook_events (workspace_id, event_type, id);
-- The failures of one type, without walking its successes.
create index webhook_events_type_failures on webhook_events (workspace_id, event_type, id) where not success;
create index webhook_events_lead on webhook_events (workspace_id, lead_email, id) where lead_email is not null;

create table webhook_event_counts (
  workspace_id uuid not null,
  date         date not null,
  slot         smallint not null,   -- the writing process, so that writers do not wait for one another
  succeeded    bigint not null default 0,
  failed       bigint not null default 0,
  primary key (workspace_id, date, slot)
) with (fillfactor = 50);
