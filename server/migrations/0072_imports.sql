-- Leads that come as a file: its parts, what is made of its columns, and how far it is.

create table imports (
  workspace_id      uuid not null references workspaces (id),
  id                uuid not null,
  user_id           uuid not null,
  campaign_id       uuid,
  file_name         text not null,
  file_bytes        bigint not null,
  parts_total       integer not null,
  state             text not null default 'uploading' check (state in
    ('uploading', 'ready', 'checking', 'checked', 'running', 'finished', 'cancelled', 'failed')),
  format            jsonb,               -- encoding, delimiter, row of headings
  preview           jsonb,               -- headings and the first rows; gone once it is over
  mapping           jsonb,               -- what becomes of each column
  duplicates        text not null default 'skip' check (duplicates in ('skip', 'update', 'skip_anywhere')),
  row_done          integer not null default 0,   -- the last row of the file that was looked at
  bytes_done        bigint not null default 0,
  checked           jsonb,               -- what would become of the rows
  result            jsonb,               -- what became of them so far
  error             text,
  claim             uuid,                -- of the process that works on it
  timestamp_claimed timestamptz,
  timestamp_started timestamptz,
  timestamp_created timestamptz not null,
  timestamp_updated timestamptz not null,
  primary key (workspace_id, id)
);
create index imports_waiting on imports (timestamp_claimed) where state in ('checking', 'running');

create table import_parts (
  workspace_id uuid not null,
  import_id    uuid not null,
  number       integer not null,
  content      bytea not null,
  primary key (workspace_id, import_id, number)
);
-- Text compresses well and slowly: a part lives for minutes.
alter table import_parts alter column content set storage external;

-- Rows that made no lead, those of a batch together.
create table import_skipped (
  workspace_id uuid not null,
  import_id    uuid not null,
  is_check     boolean not null,
  first_row    integer not null,
  rows         jsonb not null,           -- [{row, email, reason, column}]
  primary key (workspace_id, import_id, is_check, first_row)
);
