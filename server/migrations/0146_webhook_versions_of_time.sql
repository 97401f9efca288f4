-- A version is the time of the change in microseconds: counted up, a standby that lagged would give the
-- number again that the old primary gave.
alter table webhooks alter column version type bigint;
