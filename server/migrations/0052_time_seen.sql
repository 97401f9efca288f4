-- The latest time that any process saw by the database's clock: a clock that was put back is noticed.
alter table instance
  add column timestamp_seen timestamptz; -- null: no process has looked yet
