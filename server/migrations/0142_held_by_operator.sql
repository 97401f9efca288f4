-- What an operator holds stays held whole, whatever reason is found besides: after a failover alone
-- webhooks and the reading of mailboxes go on.
alter table instance add column sending_held_by_operator boolean not null default false;
update instance set sending_held_by_operator = true where sending_held_reason = 'operator';
