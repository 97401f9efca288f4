-- Who sends from a mailbox also reads it: the lease of its bucket is one.

delete from runners where kind = 'inboxes';
delete from bucket_leases where kind = 'inboxes';
