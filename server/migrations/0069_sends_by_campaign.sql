-- The mails of a campaign, newest first, a page at a time.
create index sends_campaign on sends (workspace_id, campaign_id, id) where kind = 'step';
