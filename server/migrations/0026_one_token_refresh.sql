-- Until then one process refreshes the access token of a mailbox's login. Many providers take each
-- refresh token once, and some withdraw the whole consent when one is used twice.
alter table mailboxes add column token_lease_until timestamptz;
