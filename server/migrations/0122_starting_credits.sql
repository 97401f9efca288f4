-- What a workspace begins with when its credits are first used, whatever its name is by then.
alter table workspaces add column starting_credits integer not null default 100;
update workspaces set starting_credits = 1000 where name = 'default';
