-- The directory of companies and contacts, shared by the instance, and what each workspace acquired of it.

-- Filled by imports; `key` is what makes the same company the same in the next import.
create table directory_companies (
  id                uuid primary key,
  key               text collate "C" not null unique,
  name              text not null,
  domain            text,                  -- folded
  website           text,
  industry          text,
  employee_count    integer,
  revenue_range     text,
  founded_year      integer,
  description       text,
  technologies      text[] not null default '{}',
  city              text,
  country           text,
  linkedin_url      text,
  sample            boolean not null default false,
  timestamp_updated timestamptz not null
);

-- `number` grows with `id`: it is the place of a contact in the search index.
create table directory_contacts (
  id                uuid primary key,
  number            integer not null unique,
  key               text collate "C" not null unique,
  company_id        uuid,
  first_name        text,
  last_name         text,
  title             text,
  seniority         text,
  department        text,
  city              text,
  country           text,
  linkedin_url      text,
  email             text,                  -- never in a search result, a log or an error
  email_status      text,
  has_email         boolean not null,      -- whether a reveal may be asked for
  sample            boolean not null default false,
  timestamp_updated timestamptz not null
);

-- The search index: for every block of 65,536 contact numbers, the terms of its contacts in byte
-- order, packed into pages, each with the contacts that have it. Made from the rows above.
create table directory_blocks (
  block             integer primary key,
  contacts          integer not null,
  stale             boolean not null       -- contacts changed since its pages were made
);

create table directory_pages (
  block             integer not null,
  first_term        bytea not null,
  page              bytea not null,
  primary key (block, first_term)
);
alter table directory_pages alter column page set storage external;

-- Every word that a name, title or company had: what a misspelt one is compared with.
create table directory_words (
  word              text collate "C" primary key
);

-- Without pg_trgm, or the right to install it, words have to be spelt as they are.
do $$
begin
  create extension if not exists pg_trgm;
  create index directory_words_trigrams on directory_words using gin (word gin_trgm_ops);
exception when others then
  raise notice 'pg_trgm is not available: the directory is searched without typo tolerance';
end
$$;

-- Who asked to be removed: neither found nor revealed again. Hashes of addresses, domains and ids.
create table directory_optouts (
  kind              text not null check (kind in ('address', 'domain', 'contact')),
  hash              bytea not null,
  timestamp_created timestamptz not null,
  primary key (kind, hash)
);

-- How far an import came, so that it can be taken up again.
create table directory_imports (
  id                uuid primary key,
  fingerprint       text not null,
  progress          jsonb not null,
  finished          boolean not null default false,
  timestamp_created timestamptz not null,
  timestamp_updated timestamptz not null
);
create unique index directory_imports_open on directory_imports (fingerprint) where not finished;

-- Credits that the plan grants at the beginning of each calendar month (UTC).
alter table workspaces add column plan_monthly_credits integer not null default 0 check (plan_monthly_credits >= 0);

-- Append-only; the balance is its sum, kept beside it and never negative.
create table credit_entries (
  workspace_id      uuid not null,
  id                uuid not null,
  kind              text not null check (kind in ('grant', 'charge', 'refund', 'expiry')),
  amount            integer not null check (amount <> 0 and (amount > 0) = (kind in ('grant', 'refund'))),
  reason            text,
  request_id        text,
  contact_id        uuid,                  -- of a charge and of a refund
  timestamp_created timestamptz not null,
  primary key (workspace_id, id)
);
-- A contact is charged once and refunded once.
create unique index credit_entries_contact on credit_entries (workspace_id, contact_id, kind) where contact_id is not null;

create table credit_balances (
  workspace_id uuid primary key,
  balance      integer not null check (balance >= 0),
  granted      integer not null,           -- in this period, what was carried into it included
  used         integer not null check (used >= 0),
  period_grant integer not null,           -- of the plan: what is left of it expires with the period
  period_start timestamptz not null,
  period_end   timestamptz,
  check (balance = granted - used)
);

create table acquire_lists (
  workspace_id      uuid not null,
  id                uuid not null,
  name              text not null,
  name_folded       text not null,
  lead_count        integer not null default 0,
  timestamp_created timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name_folded)
);

-- Once per workspace and contact: the row that makes a second charge impossible.
create table acquired_contacts (
  workspace_id      uuid not null,
  contact_id        uuid not null,
  charge_id         uuid not null,         -- the ledger entry that paid for it
  company_id        uuid,
  contact           jsonb not null,        -- as the directory had it, and the API shows it
  email             text not null,
  email_folded      text not null,
  email_status      text not null check (email_status in ('verified', 'likely', 'unknown')),
  confidence        real,                  -- of a guess
  source            text not null check (source in ('directory', 'provider', 'pattern')),
  timestamp_created timestamptz not null,
  primary key (workspace_id, contact_id)
);
create index acquired_contacts_company on acquired_contacts (workspace_id, company_id);

create table acquire_list_entries (
  workspace_id      uuid not null,
  list_id           uuid not null,
  id                uuid not null,         -- of the entry; newest first
  contact_id        uuid not null,
  timestamp_created timestamptz not null,
  primary key (workspace_id, list_id, id),
  unique (workspace_id, list_id, contact_id)
);
