-- The mailboxes that attempts left which a person said had not arrived, and when the first of them did: they
-- may have arrived all the same, and are answered there.
alter table sends
  add column doubted_mailbox_ids uuid[],
  add column doubted_sent_at     timestamptz;
