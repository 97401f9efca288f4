-- Who answers a mail of the campaign that they were moved from is not written to by the other one.
alter table leads add column moved_from uuid; -- the lead that was written to first of those that were moved on; null: itself
