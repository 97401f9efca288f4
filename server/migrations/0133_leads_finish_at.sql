-- When leads that an edit has left without a step are finished: until then it can be taken back.
alter table campaigns add column leads_finish_at timestamptz;
