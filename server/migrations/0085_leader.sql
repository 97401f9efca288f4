-- The lease of the runner that looks for what is due for all of them.
insert into bucket_leases (kind, bucket) values ('leader', 0);
