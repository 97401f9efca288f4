-- Whatever gives the mailboxes of a campaign something to do marks the campaign; a runner wakes them.

alter table woken_campaigns
  -- When there is something to do.
  add column wake_at timestamptz not null default now(),
  -- Of the campaign itself, not only of its leads.
  add column changed boolean not null default false,
  -- Another one with each change: a mark is deleted as it was seen, or stays.
  add column id uuid not null default gen_random_uuid();
