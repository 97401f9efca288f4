-- Lists that read every row that was ever revoked, or all entries back to the first, to find a few.
create index service_accounts_live on service_accounts (workspace_id, id) where timestamp_revoked is null;
create index audit_log_actor on audit_log (workspace_id, actor_id, id) where actor_id is not null;
create index audit_log_kind on audit_log (workspace_id, split_part(action, '.', 1), id);
