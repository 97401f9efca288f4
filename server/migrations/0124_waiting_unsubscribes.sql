-- Wishes not to be written to that came by a link while their workspace could not be written to. The
-- token of the link is opaque: it tells nobody else which workspace and which address it names.
create table waiting_unsubscribes (
  token             text primary key,
  timestamp_created timestamptz not null
);
