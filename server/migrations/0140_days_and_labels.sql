-- *Home* and *Usage* ask for some days of all campaigns, and *Leads* for those of a label: without these
-- every campaign, or every lead, that the workspace ever had is walked.
create index campaign_step_days_day on campaign_step_days (workspace_id, day);
create index leads_label on leads (workspace_id, label_id, id) where label_id is not null;
