-- Another one with every change of the IMAP settings, and for a mailbox that is added again under its
-- old id. A reader ends its connection when it differs; what was read of another version does not count
-- as read, and UIDs of another version say nothing.
-- The application gives one to each mailbox that is added; those of today have changed nothing yet.
alter table mailboxes add column imap_version uuid not null
  default '00000000-0000-0000-0000-000000000000';

alter table mailbox_folders add column imap_version uuid;
update mailbox_folders f set imap_version = m.imap_version
from mailboxes m where m.workspace_id = f.workspace_id and m.id = f.mailbox_id;
