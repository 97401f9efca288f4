-- Whether a colleague has answered is asked before leads that were stopped are written to again.
create index leads_company_answered on leads (workspace_id, campaign_id, company)
  where company is not null and email_reply_count > 0;
