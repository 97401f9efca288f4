-- A campaign tells how many of its leads are held back because their mail could not be made or was refused,
-- and those whose mail could not be made go on once its text is changed.
create index leads_held_back on leads (workspace_id, campaign_id, id)
where sending_state = 'paused' and skip_reason is not null;
