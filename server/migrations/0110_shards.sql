-- Workspaces may lie on several databases, the shards. Each is a complete database of Outrider, with
-- leases, a leader and a directory of its own; who signs in, and which shards there are, is kept on the
-- first one alone.

-- The name under which this database is a shard; null: it is the only one.
alter table instance add column shard text;

-- On the first shard: those that every process has to know, so that none takes the keys of a shard that
-- it does not know for invalid ones.
create table shards (
  name              text primary key,
  instance_id       uuid not null unique,
  workspaces_max    integer check (workspaces_max >= 0),  -- no workspace is added beyond; null: no limit
  timestamp_created timestamptz not null
);

-- A workspace that is being moved is written to by nobody else; one that was moved leaves its row behind,
-- which says where it went.
alter table workspaces
  add column moving_to text,
  add column moved_to  text;

-- Users lie on the first shard, what belongs to a workspace lies with it.
alter table memberships drop constraint memberships_user_id_fkey;
alter table saved_views drop constraint saved_views_user_id_fkey;
