-- What a webhook missed while nothing was made for it: a list of {from, to, ended_from}, from the oldest
-- on, each as long as nobody has replayed it.
alter table webhooks add column missed jsonb not null default '[]';
