-- Which runner owns which lanes. Local to the coordinator, never part of a tenant's transaction.

create table runners (
  id           uuid primary key,
  slot         smallint not null,
  heartbeat_at timestamptz not null
);

create table bucket_leases (
  kind         text not null,
  bucket       smallint not null,
  token        bigint not null default 0,   -- grows with every change of owner
  runner_id    uuid,
  leased_until timestamptz,
  primary key (kind, bucket)
);
insert into bucket_leases (kind, bucket) select 'deliveries', b from generate_series(0, 255) b;
