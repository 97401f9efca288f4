-- Lifting a bounce, or an unsubscribe that was a mistake, must not lift the block that somebody has set.
alter table suppressions add column blocked_since timestamptz; -- there is a block under the stronger reason; null: none
