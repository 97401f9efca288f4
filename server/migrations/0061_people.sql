-- People who use the application, how they sign in, and what they may do in which workspace. The
-- tables user_* are written by better-auth; `features/users/auth.ts` maps its names to these.

create table users (
  id                 uuid primary key,
  name               text not null,
  email              text not null unique,            -- folded
  email_verified     boolean not null default false,
  image              text,
  two_factor_enabled boolean default false,
  is_operator        boolean not null default false,  -- makes workspaces and sets plans
  timestamp_created  timestamptz not null,
  timestamp_updated  timestamptz not null
);

create table user_sessions (
  id                uuid primary key,
  token             text not null unique,             -- the cookie holds it with a signature: alone it opens nothing
  user_id           uuid not null references users (id) on delete cascade,
  ip_address        text,
  user_agent        text,
  timestamp_expires timestamptz not null,
  timestamp_created timestamptz not null,
  timestamp_updated timestamptz not null
);
create index user_sessions_user on user_sessions (user_id);

create table user_accounts (
  id                    uuid primary key,
  user_id               uuid not null references users (id) on delete cascade,
  provider_id           text not null,                -- credential, or that of the OIDC provider
  account_id            text not null,
  password              text,                         -- scrypt
  access_token          text,
  refresh_token         text,
  id_token              text,
  access_token_expires  timestamptz,
  refresh_token_expires timestamptz,
  scope                 text,
  timestamp_created     timestamptz not null,
  timestamp_updated     timestamptz not null,
  unique (provider_id, account_id)
);
create index user_accounts_user on user_accounts (user_id);

-- States of a sign-in that is under way.
create table user_verifications (
  id                uuid primary key,
  identifier        text not null,
  value             text not null,
  timestamp_expires timestamptz not null,
  timestamp_created timestamptz not null,
  timestamp_updated timestamptz not null
);
create index user_verifications_identifier on user_verifications (identifier);

create table user_two_factors (
  id                     uuid primary key,
  user_id                uuid not null references users (id) on delete cascade,
  secret                 text not null,               -- encrypted
  backup_codes           text not null,               -- encrypted
  verified               boolean default true,
  failed_count           integer default 0,
  timestamp_locked_until timestamptz
);
create index user_two_factors_user on user_two_factors (user_id);

-- RFC 6238 §5.2: a code opens once. It stays for as long as it could open again.
create table user_code_uses (
  user_id        uuid not null references users (id) on delete cascade,
  code           text not null,
  timestamp_used timestamptz not null,
  primary key (user_id, code)
);

create table memberships (
  workspace_id      uuid not null references workspaces (id),
  user_id           uuid not null references users (id) on delete cascade,
  role              text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  timestamp_created timestamptz not null,
  timestamp_updated timestamptz not null,
  primary key (workspace_id, user_id)
);
create index memberships_user on memberships (user_id);

-- Found by its token before the workspace is known, hence no tenant table.
create table invitations (
  id                uuid primary key,
  workspace_id      uuid not null references workspaces (id),
  email             text not null,                    -- folded
  role              text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  token_hash        bytea not null unique,
  invited_by        uuid,                             -- null: the operator at the command line
  timestamp_created timestamptz not null,
  timestamp_expires timestamptz not null
);
create index invitations_workspace on invitations (workspace_id, id);

-- One-time links to set a new password.
create table password_resets (
  token_hash        bytea primary key,
  user_id           uuid not null references users (id) on delete cascade,
  timestamp_created timestamptz not null,
  timestamp_expires timestamptz not null
);
create index password_resets_user on password_resets (user_id);

-- Names a workspace in every address of the application; made from its first name, and kept.
alter table workspaces add column handle text unique;
with slugs as (
  select id, coalesce(nullif(trim(both '-' from
    left(regexp_replace(lower(name), '[^a-z0-9]+', '-', 'g'), 40)), ''), 'workspace') as slug
  from workspaces
), numbered as (
  select id, slug, row_number() over (partition by slug order by id) as n from slugs
)
update workspaces w
set handle = n.slug || case when n.n = 1 then '' else '-' || right(w.id::text, 12) end
from numbered n
where n.id = w.id;
alter table workspaces alter column handle set not null;
