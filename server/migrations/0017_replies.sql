-- What people write from the inbox, and which addresses could not be reached for the moment.

-- A person's answer in a conversation: here before anything is on the wire, with all that it is made of.
create table replies (
  workspace_id           uuid not null,
  idempotency_key        text not null,      -- the caller's: one mail for each, however often it is asked for
  id                     uuid not null,      -- of the last attempt, and of its row in messages
  thread_id              uuid not null,
  campaign_id            uuid,
  mailbox_id             uuid not null,
  message_id             text not null,      -- made of thread and key: the same in every attempt
  from_address           text not null,
  to_address             text not null,
  in_reply_to            text not null,
  mail_references        text[] not null,
  subject                text not null,      -- of the thread, without "Re:"
  text                   text,               -- as the person wrote it, or
  html                   text,
  is_forced              boolean not null,   -- also to an address that nothing is sent to
  state                  text not null check (state in ('claimed', 'transmitting', 'sent', 'failed', 'uncertain')),
  attempt                integer not null default 1,
  error_code             text,
  error_message          text,               -- for a person; never logged
  timestamp_created      timestamptz not null,
  timestamp_claimed      timestamptz not null,
  timestamp_transmitting timestamptz,
  timestamp_settled      timestamptz,
  primary key (workspace_id, idempotency_key),
  check (num_nonnulls(text, html) = 1)
);
create index replies_not_sent on replies (workspace_id, thread_id, id) where state <> 'sent';
create index replies_uncertain on replies (workspace_id, id) where state = 'uncertain';
create index replies_open on replies (timestamp_claimed) where state in ('claimed', 'transmitting');

-- Mails that came back for the moment, until the address is known to work: five in a row are for good.
create table soft_bounces (
  workspace_id      uuid not null,
  email_folded      text not null,
  send_id           uuid not null,           -- of sends
  is_failed         boolean not null,        -- the server gave up; else it only said that the mail is late
  timestamp_created timestamptz not null,
  primary key (workspace_id, email_folded, send_id)
);
