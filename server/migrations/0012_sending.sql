-- What is sent, by whom and when: the ledger, the mailboxes' lanes, the days' counters, and the mails themselves.

-- A mailbox as the runner's work: when to look at it next, and its pace.
create table mailbox_lanes (
  workspace_id uuid not null,
  mailbox_id   uuid not null,
  bucket       smallint not null,
  wake_at      timestamptz,                -- null: not before something wakes it. In the past as long as a claim is open
  seq          bigint not null default 0,  -- grows with every wake-up, so that a lane that goes to sleep cannot miss one
  token        bigint not null default 0,  -- of the last owner's lease: an older one claims nothing more
  next_send_at timestamptz,                -- the gap after the last mail ends
  last_sent_at timestamptz,
  last_campaign_id uuid,                   -- whose mail that was: the next one's turn comes first
  failures     integer not null default 0, -- connections, logins and quotas refused in a row
  not_before   timestamptz,                -- while it fails: when it is tried again
  primary key (workspace_id, mailbox_id)
) with (fillfactor = 50);
create index mailbox_lanes_due on mailbox_lanes (bucket, wake_at) where wake_at is not null;

-- One row per lead and step, before anything is on the wire: its key is what "never twice" rests on.
create table sends (
  workspace_id           uuid not null,
  lead_id                uuid not null,
  step_id                uuid not null,
  id                     uuid not null,     -- of the last attempt, and of its row in messages
  campaign_id            uuid not null,
  mailbox_id             uuid not null,
  step                   integer not null,  -- from 1, as it was when it was claimed
  variant                integer not null,  -- from 1
  variant_id             uuid not null,
  message_id             text not null,     -- made of lead and step: the same in every attempt, also after a restore
  provider_message_id    text,              -- what the provider put in its place
  subject                text,              -- from the mark on: what to tell of a mail whose sender died
  starts_thread          boolean not null,
  state                  text not null check (state in ('claimed', 'transmitting', 'sent', 'failed', 'uncertain')),
  attempt                integer not null default 1,
  claim_token            bigint not null,   -- of the bucket's lease: whoever lost it marks nothing
  is_new                 boolean not null,  -- counts as a new lead of its day
  campaign_day           date not null,     -- where it is counted, and given back when it was certainly not sent
  mailbox_day            date not null,
  error_stage            text,
  error_code             text,
  error_message          text,              -- for a person; never logged
  timestamp_claimed      timestamptz not null,
  timestamp_transmitting timestamptz,
  timestamp_settled      timestamptz,
  is_open                boolean not null generated always as (state in ('claimed', 'transmitting')) stored,
  is_uncertain           boolean not null generated always as (state = 'uncertain') stored,
  primary key (workspace_id, lead_id, step_id)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
-- Generated columns, so that a change of state that is none of theirs stays within the page.
create index sends_open on sends (workspace_id, mailbox_id) where is_open;
create index sends_uncertain on sends (workspace_id, id) where is_uncertain;

-- Reserved by the claim, in the same transaction; given back when a mail was certainly not sent.
create table campaign_days (
  workspace_id uuid not null,
  campaign_id  uuid not null,
  day          date not null,               -- in the zone of the campaign's first schedule
  sent         integer not null default 0,
  new_leads    integer not null default 0,
  bounced      integer not null default 0,  -- hard
  primary key (workspace_id, campaign_id, day)
) with (fillfactor = 50);

create table mailbox_days (
  workspace_id uuid not null,
  mailbox_id   uuid not null,
  day          date not null,               -- in the mailbox's own zone
  sent         integer not null default 0,
  primary key (workspace_id, mailbox_id, day)
) with (fillfactor = 50);

-- Every mail that was sent or received. The id is a UUIDv7, so it holds the time.
create table messages (
  workspace_id uuid not null,
  id           uuid not null,
  direction    text not null,       -- out, in
  kind         text not null,       -- step, manual, reply, auto_reply, bounce …
  mailbox_id   uuid not null,
  campaign_id  uuid,
  lead_id      uuid,
  step_id      uuid,
  step         integer,
  variant      integer,
  message_id   text,                -- with its angle brackets
  in_reply_to  text,
  thread_id    uuid not null,       -- the lead's id; without a lead, that of the first message
  from_address text not null,
  to_addresses text[] not null default '{}',
  cc_addresses text[] not null default '{}',
  subject      text not null default '',
  text         text not null default '',
  html         text,
  snippet      text not null default '',
  size_bytes   integer,
  details      jsonb not null default '{}', -- what only this kind has
  timestamp    timestamptz not null, -- sent, or received
  primary key (workspace_id, id)
) partition by range (id);
create index messages_thread on messages (workspace_id, thread_id, id);

-- The mail behind a Message-ID, ours or the one that the provider put in its place.
create table message_ids (
  workspace_id uuid not null,
  hash         bytea not null,
  message_id   uuid not null,       -- of messages
  lead_id      uuid,
  campaign_id  uuid,
  mailbox_id   uuid not null,
  primary key (workspace_id, hash)
);

alter table leads
  add column mailbox_id     uuid,    -- whose thread it is in
  add column thread_subject text,
  add column skip_reason    text;    -- why its mail could not be made, for a person
-- timestamp_next_send: the earliest instant of the next step by its delay alone; windows and limits come on top.
create index leads_follow_up on leads (workspace_id, mailbox_id, campaign_id, timestamp_next_send, id) where sending_state = 'active';
create index leads_pending on leads (workspace_id, campaign_id, timestamp_next_send, id) where sending_state = 'pending';

-- What a mailbox looks for its work in.
create index campaigns_active on campaigns (workspace_id, id) where status = 'active';

-- Which database was sent from last: another one is a copy, and what it does not know of may have been sent.
alter table instance
  add column sending_identity text,
  add column sending_epoch    bigint not null default 0;

insert into bucket_leases (kind, bucket)
select kind, bucket from unnest(array['mailboxes', 'inboxes']) kind, generate_series(0, 255) bucket;
-- Each kind of lease is shared among the runners of that kind.
alter table runners add column kind text not null default 'deliveries';
