-- Who took the lease of a request that calls the network: when it expires another request may take
-- it over, and the first one must then leave it alone.
alter table idempotency_answers add column lease_owner uuid;
