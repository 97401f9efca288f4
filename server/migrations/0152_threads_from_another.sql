-- Whether somebody else than the lead answered: a conversation that is there already says so with its next mail.
alter table threads add column is_from_another boolean not null default false;
