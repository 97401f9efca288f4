-- When something was last done for a workspace: by this workspaces take turns.
create index lead_jobs_turn on lead_jobs (workspace_id, timestamp_claimed)
where timestamp_claimed is not null;
create index erasures_turn on erasures (workspace_id, timestamp_updated) where claim is not null;
