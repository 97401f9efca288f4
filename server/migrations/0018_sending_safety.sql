-- What keeps sending honest: bounces are counted anew after a pause, copies go to the Sent folder, and a database that was put back is noticed.

alter table campaign_days
  add column forgiven_sent integer not null default 0; -- of sent and refused, those before a person activated the campaign again

alter table mailboxes
  add column save_sent           boolean,                       -- a copy of each mail into the Sent folder; null: unless the provider does so
  add column provider_saves_sent boolean not null default false; -- told by its sending server's host

-- While it is set nothing is claimed: what this database does not know of may have been sent.
alter table instance
  add column sending_held_since  timestamptz,
  add column sending_held_reason text;

-- Another one after a restore or a failover: the cluster, its timeline, and the table itself, which a
-- dump makes anew. What a role may not ask, or a provider does not tell, is left out.
create function outrider_database_identity() returns text language plpgsql stable as $$
declare
  cluster  text := '-';
  timeline text := '-';
begin
  begin
    select system_identifier::text into cluster from pg_control_system();
  exception when others then null;
  end;
  begin
    timeline := substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
  exception when others then null;
  end;
  return cluster || '.' || timeline || '.' || 'sends'::regclass::oid;
end $$;
