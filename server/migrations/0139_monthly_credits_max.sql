-- More is no balance: every search and reveal of a workspace that was given more failed. Nobody is given
-- more any more; those who were are given the most that there is, also while they are moved (see 0115).
set local outrider.mover = 'on';
update workspaces set plan_monthly_credits = 999999999 where plan_monthly_credits > 999999999;
alter table workspaces
  drop constraint workspaces_plan_monthly_credits_check,
  add constraint workspaces_plan_monthly_credits_check check (plan_monthly_credits between 0 and 999999999);
