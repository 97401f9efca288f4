-- What has arrived at a try-out receiver of webhooks, for an hour. The receiver itself is not stored:
-- its address holds all that there is to know of it.
create table try_out_calls (
  workspace_id      uuid not null,
  try_out_id        uuid not null,      -- the time at which the receiver was made is in it
  id                uuid not null,
  headers           text not null,      -- [{name, value}], secrets masked
  body              text not null,
  verified_by       uuid,               -- the webhook whose secret has signed it
  problem           text,               -- why none has
  timestamp_created timestamptz not null,
  primary key (workspace_id, try_out_id, id)
);
