-- Settings that do harm where one process has them and another, told nothing, goes by the default. A
-- process that was told one says so here, again and again while it runs; one that was not goes by it.
create table kept_settings (
  name                   text primary key,   -- as in the environment
  value                  text not null,      -- never a secret
  timestamp_told         timestamptz not null, -- when a process that has it last said so
  contradicting_value    text,               -- what another process that runs was told
  timestamp_contradicted timestamptz
);
