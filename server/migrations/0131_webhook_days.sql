-- Attempts of a webhook by day, counted as they are recorded: a month of them is too much to count when
-- somebody looks at the page of a busy one.
create table webhook_days (
  workspace_id uuid not null,
  webhook_id   uuid not null,
  day          date not null,       -- of UTC
  slot         smallint not null,   -- as in webhook_event_counts
  succeeded    bigint not null default 0,
  failed       bigint not null default 0,
  primary key (workspace_id, webhook_id, day, slot)
) with (fillfactor = 50);

-- The first 48 bits of an id are its time in milliseconds.
insert into webhook_days (workspace_id, webhook_id, day, slot, succeeded, failed)
select e.workspace_id, e.webhook_id, d.day, 0, count(*) filter (where e.success),
  count(*) filter (where not e.success)
from webhook_events e
cross join lateral (
  select (to_timestamp(('x' || replace(left(e.id::text, 13), '-', ''))::bit(48)::bigint / 1000.0)
    at time zone 'UTC')::date as day
) d
where d.day > (outrider_now() at time zone 'UTC')::date - 31
group by e.workspace_id, e.webhook_id, d.day;
