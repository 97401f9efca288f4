-- People who are being taken out of a workspace, step by step, and how far that is.
create table erasures (
  workspace_id      uuid not null references workspaces (id),
  id                uuid not null,
  asked_by          jsonb not null,               -- actor and request, for the audit log
  address           text,                         -- folded; null once nobody is to be found any more
  lead_ids          uuid[] not null,
  state             text not null default 'running' check (state in ('running', 'finished')),
  is_waiting        boolean not null default false,  -- for a mail to the person that is under way
  error             text,                         -- why the last step failed: it is tried again
  looked_at         bigint not null default 0,    -- records
  erased            jsonb not null,               -- how many records the person was taken out of, by kind
  place             text,                         -- where it is; null: before the first
  after             text,                         -- the last key there that was looked at
  since             timestamptz,                  -- only what was written since is looked at; null: everything
  timestamp_pass    timestamptz,                  -- when it began with the first place
  claim             uuid,                         -- of the process that works on it
  due               timestamptz not null,         -- from when on another process may take it
  timestamp_created timestamptz not null,
  timestamp_updated timestamptz not null,
  primary key (workspace_id, id)
);
create index erasures_due on erasures (due) where state = 'running';
create unique index erasures_address on erasures (workspace_id, address) where address is not null;
