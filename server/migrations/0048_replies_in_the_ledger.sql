-- What a person answers in a conversation is a row of the ledger of mails, too.

alter table sends
  add column kind        text not null default 'step' check (kind in ('step', 'manual')),
  add column reply       jsonb,        -- of a manual one: what the person wrote, to whom, and under which key
  add column waits_since timestamptz,  -- of a manual one: until the runner of its mailbox claims it
  alter column step drop not null,
  alter column variant drop not null,
  alter column variant_id drop not null,
  alter column campaign_day drop not null,
  alter column mailbox_day drop not null,
  drop constraint sends_state_check,
  add constraint sends_state_check
    check (state in ('waiting', 'claimed', 'transmitting', 'sent', 'failed', 'uncertain')),
  add constraint sends_kind_columns_check check (
    case kind when 'manual' then reply is not null
    else num_nulls(step, variant, variant_id, campaign_day, mailbox_day) = 0 end);
-- By columns that no change of state touches: settling a mail stays within its page.
create unique index sends_manual on sends (workspace_id, step_id) where kind = 'manual';
create index sends_waiting on sends (workspace_id, mailbox_id) where waits_since is not null;

-- Nobody sends while the schema changes: what was claimed was not sent, what was transmitting is uncertain.
insert into sends (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, message_id, subject,
  starts_thread, state, attempt, claim_token, is_new, error_stage, error_code, error_message,
  timestamp_claimed, timestamp_transmitting, timestamp_settled, kind, reply)
select workspace_id, thread_id,
  encode(substr(sha256(convert_to('reply ' || idempotency_key, 'UTF8')), 1, 16), 'hex')::uuid,
  id, campaign_id, mailbox_id, message_id, subject, false,
  case state when 'claimed' then 'failed' when 'transmitting' then 'uncertain' else state end,
  attempt, 0, false,
  case when state in ('claimed', 'transmitting') then 'process'
    when coalesce(error_code, error_message) is not null then 'message' end,
  error_code,
  case state when 'claimed' then 'The process that was sending it ended before it was sent.'
    when 'transmitting' then 'The process that was sending it ended before the mail server answered.'
    else error_message end,
  timestamp_claimed, timestamp_transmitting, coalesce(timestamp_settled, timestamp_claimed),
  'manual',
  jsonb_build_object('idempotency_key', idempotency_key, 'from_address', from_address,
    'to_address', to_address, 'in_reply_to', in_reply_to, 'references', to_jsonb(mail_references),
    'subject', subject, 'text', text, 'html', html, 'shown_html', null,
    'snippet', left(regexp_replace(coalesce(text, ''), '\s+', ' ', 'g'), 200), 'is_forced', is_forced,
    'timestamp_created', timestamp_created)
from replies
where campaign_id is not null;

-- An answer to one that was transmitting is found by its Message-ID.
insert into message_ids (workspace_id, hash, message_id, lead_id, campaign_id, mailbox_id)
select workspace_id,
  substr(sha256(convert_to(trim(both '<>' from message_id), 'UTF8')), 1, 16),
  id, thread_id, campaign_id, mailbox_id
from replies
where state = 'transmitting' and campaign_id is not null
on conflict (workspace_id, hash) do nothing;

drop table replies;
