-- Until then one process refreshes the access token of a mailbox's login. Many providers take each
-- refresh token once, and some withdraw the whole consent when one is used twice.
alter table mailboxes add column token_lease_until timestamptz;

-- Addresses of a campaign's cc_list and bcc_list that mail servers refused, since those lists were
-- last changed. The mails went out without these copies.
create table refused_copies (
  workspace_id uuid not null,
  campaign_id uuid not null,
  address text not null,
  code text,
  message text not null,
  mails bigint not null,
  timestamp_first timestamptz not null,
  timestamp_last timestamptz not null,
  primary key (workspace_id, campaign_id, address),
  foreign key (workspace_id, campaign_id) references campaigns (workspace_id, id) on delete cascade
);
