-- What a mailbox sends by: its signature, its day, its pace; and what is wrong with each of its servers.

alter table mailboxes
  add column signature     text,                       -- HTML
  add column timezone      text,                       -- IANA; null: no window of its own, its day is UTC's
  add column gap_seconds   integer not null default 0 check (gap_seconds >= 0),
  add column ramp_up_start integer check (ramp_up_start > 0),
  add column ramp_up_step  integer check (ramp_up_step >= 0),
  add column ramp_up_from  date,                       -- its first day, on which it sends ramp_up_start
  -- One server may fail while the other works: who mends one does not declare both well.
  add column smtp_error    text,
  add column imap_error    text,
  add constraint ramp_up_whole check (num_nonnulls(ramp_up_start, ramp_up_step, ramp_up_from) in (0, 3));
