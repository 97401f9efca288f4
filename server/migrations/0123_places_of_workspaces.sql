-- What a workspace has left here after a move is being deleted, or was: only where it went has it whole.
-- Until then the row says so of itself, however long ago the move was.
alter table workspaces add column is_emptied boolean not null default false;

-- As it was judged before.
update workspaces set is_emptied = true
where moved_to is not null
  and coalesce(timestamp_moving, '-infinity') <= outrider_now() - interval '1 hour';

-- Where a workspace has gone to has its name, as it is by now: here it is free. Its handle stays taken,
-- which never changes.
alter table workspaces drop constraint workspaces_name_key;
create unique index workspaces_name on workspaces (name) where moved_to is null;
