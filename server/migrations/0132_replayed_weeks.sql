-- Weeks of events that were replayed late: they stay until the last attempt of a replay has gone. Of no
-- workspace, as the partitions that are dropped.
create table replayed_weeks (
  week           date primary key,  -- its Monday, UTC
  attempts_until date not null      -- no replay is attempted on this day or later
);
