-- How a later process can tell that a runner is gone without waiting for its leases to end.

alter table runners add column process text;
