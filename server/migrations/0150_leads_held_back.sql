-- Processes still run that lock a lead and then change it: an index that is made lets the first pass and not
-- the second, while the update below would wait for that lead.
lock table lead_jobs, leads in exclusive mode;

-- A campaign tells how many of its leads are held back because their mail could not be made or was refused,
-- and those whose mail could not be made go on once its text is changed.
create index leads_held_back on leads (workspace_id, campaign_id, id)
where sending_state = 'paused' and skip_reason is not null;
create index leads_lacking on leads (workspace_id, campaign_id, id)
where sending_state = 'paused' and skip_reason like 'template_failed: %';

-- Until now a person could pause a lead that was held back, and one that a person had paused got a reason, too.
-- Nobody knows which of them a person has paused: all wait until somebody resumes them, as they did before,
-- also where they were stopped since, or are put back by undoing a change of many.
update leads set skip_reason = null
where skip_reason like 'template_failed: %' and (sending_state = 'paused' or stopped_from = 'paused');

update lead_jobs set undo = (
  select jsonb_agg(
    case when each ->> 'skip_reason' like 'template_failed: %' then each || '{"skip_reason": null}' else each end)
  from jsonb_array_elements(undo) as each)
where jsonb_path_exists(undo, '$[*] ? (@.skip_reason starts with "template_failed: ")');
