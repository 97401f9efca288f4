-- The mailbox that an attempt left which a person said had not arrived: it may have, and is answered there.
alter table sends add column doubted_mailbox_id uuid;
