-- What people of ours write in a conversation is kept in it: copied ones, and other mailboxes of the workspace.
alter table threads
  drop constraint threads_kind_check,
  add constraint threads_kind_check
    check (kind in ('reply', 'auto_reply', 'bounce', 'complaint', 'colleague'));
