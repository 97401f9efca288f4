-- No statement read it.
alter table runners drop column slot;
-- Always equal to `failures`.
alter table webhook_lanes drop column consecutive_failures;
