-- A campaign says why it does not send: whether the leads that are left are paused.
create index leads_paused on leads (workspace_id, campaign_id) where sending_state = 'paused';
