-- Deliveries are settled by their key (decision 0046).

-- Nobody looks for an id in a bucket: an index that has none is never taken for a search by key.
drop index deliveries_due;
create index deliveries_due on deliveries (bucket, due_at);

-- Set when the person of its event is erased while it is pending: its result must not name the person.
alter table deliveries add column person_erased boolean not null default false;
