-- What a lead was before it was bounced, unsubscribed or blocked; null: it was sent to. Undoing that
-- makes it so again.
alter table leads
  add column stopped_from text
    check (stopped_from in ('paused', 'finished', 'replied', 'auto_replied', 'company_replied', 'manual'));

-- Whether a colleague has answered is asked before leads that were stopped are written to again.
create index leads_company_answered on leads (workspace_id, campaign_id, company)
  where company is not null and email_reply_count > 0;
