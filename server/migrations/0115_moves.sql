-- How a workspace is moved to another database: see docs/decisions/0143.

-- Since when it is being moved, or was moved: the latest of both.
alter table workspaces add column timestamp_moving timestamptz;

-- Keeps a workspace as it is, as long as its row says that it goes or has gone to another database. The
-- triggers are made for one workspace, whose id they are given, when it is moved, and dropped some time
-- after. The mover itself may write. Who reads by an old snapshot might not see what the row says, and is
-- refused in any case. OR503 is a class of our own: the service answers it like a database that is away
-- for a moment.
create function outrider_fence() returns trigger language plpgsql as $$
declare
  state text;
begin
  if current_setting('outrider.mover', true) is distinct from 'on' then
    select case when w.moved_to is not null then 'moved' when w.moving_to is not null then 'moving' end
      into state
      from workspaces w where w.id = tg_argv[0]::uuid;
    if state is not null or current_setting('transaction_isolation') <> 'read committed' then
      raise exception using errcode = 'OR503', detail = tg_argv[0], hint = coalesce(state, 'moving'),
        message = 'The workspace is being moved, or was moved, to another database.';
    end if;
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end
$$;
