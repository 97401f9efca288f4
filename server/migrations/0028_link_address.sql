-- Where the links of mails lead: one address for the installation, so that every process makes the same links.

create table link_address (
  is_only            boolean primary key default true check (is_only),
  url                text not null,
  is_given           boolean not null,  -- by TRACKING_URL or API_URL; else it is where the API listens
  contradicting_url  text,              -- what another process that runs was given
  timestamp_contradicted timestamptz,
  timestamp_updated  timestamptz not null
);

alter table mailboxes
  add column sends_locally boolean not null default false; -- through a mail server of this machine, whose readers reach links to this machine
