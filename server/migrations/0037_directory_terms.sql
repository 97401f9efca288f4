-- The directory is searched by terms in an ordinary column: `outrider directory reindex` fills it for the
-- contacts that are there, and the import of this name says until then that it is still to be done.
insert into directory_imports (id, fingerprint, progress, timestamp_created, timestamp_updated)
select gen_random_uuid(), 'reindex', '{}', now(), now()
where exists (select from directory_contacts);

drop table directory_blocks, directory_pages, directory_words;

alter table directory_companies
  add column terms tsvector not null default '';

alter table directory_contacts
  drop column number,
  add column employees integer,                  -- of the company: a filter without a join
  add column terms tsvector not null default ''; -- of the contact and of its company
create index directory_contacts_terms on directory_contacts using gin (terms);
create index directory_contacts_company on directory_contacts (company_id);
create index directory_contacts_employees on directory_contacts (employees);
-- An import that was killed may have left it out.
create unique index if not exists directory_contacts_key on directory_contacts (key);

-- Every term that contacts have, and how many of them: for planning, prefixes and typos.
create table directory_terms (
  value    text collate "C" not null,
  kind     "char" not null,
  contacts integer not null,
  primary key (value, kind)
) with (fillfactor = 70);

-- Without pg_trgm, or the right to install it, words have to be spelt as they are.
do $$
begin
  create extension if not exists pg_trgm;
  create index directory_terms_trigrams on directory_terms using gin (value gin_trgm_ops)
    where kind in ('n', 't', 'c');
exception when others then
  raise notice 'pg_trgm is not available: the directory is searched without typo tolerance';
end
$$;
