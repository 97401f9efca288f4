-- A runner looks every few seconds for the mailboxes of its buckets, of all workspaces.
create index mailboxes_bucket on mailboxes
  ((('x' || right(id::text, 2))::bit(8)::integer)) where status <> 'paused';
