-- Grows whenever the pages of a block are made anew: what a process remembers of them is then forgotten.
alter table directory_blocks add column version integer not null default 0;
