-- No follow-up leaves before its mailbox was read: whoever has answered gets none.

-- By the database's clock: what lay in the mailbox before it is known. Null: not read since it was
-- paused, given another server, or lost its connection. Written every five minutes, within the page.
alter table mailboxes add column inbox_read_at timestamptz;
alter table mailboxes set (fillfactor = 70);
