-- The keys of contacts are held apart by an index alone: an import that fills the directory does without it
-- and makes it of all keys at once.
create unique index directory_contacts_key on directory_contacts (key);
alter table directory_contacts drop constraint directory_contacts_key_key;
