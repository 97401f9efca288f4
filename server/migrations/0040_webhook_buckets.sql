-- Each runner sweeps the destinations of its own buckets, so the sweeps of all runners cost together what one did.
-- The last byte of the id, as the application computes it for deliveries.
alter table webhook_urls add column bucket smallint not null
  generated always as (get_byte(uuid_send(webhook_id), 15)) stored;
create index webhook_urls_bucket on webhook_urls (bucket, workspace_id, webhook_id);
