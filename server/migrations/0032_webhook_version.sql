-- Grows with every change of a destination. A runner reads it with the deliveries that are due, and so
-- never sends one by a destination that is older than the delivery.
alter table webhooks add column version integer not null default 1;
