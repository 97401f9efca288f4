-- Whom a change of many leads has changed: their histories tell of it, by the entries of the audit log that
-- are about the job. The job itself is kept for days, these for as long as those entries.
create table lead_job_changes (
  workspace_id uuid not null,
  job_id       uuid not null,
  lead_id      uuid not null,
  undone       boolean not null default false,  -- who was refused then stays as the job has left them
  primary key (workspace_id, job_id, lead_id),
  foreign key (workspace_id, lead_id) references leads on delete cascade
);
create index lead_job_changes_lead on lead_job_changes (workspace_id, lead_id, job_id);
