-- Where the links of mails lead is one of the settings that hold for every process.
insert into kept_settings (name, value, timestamp_told)
select case when is_given then 'TRACKING_URL' else 'listener' end, url, timestamp_updated from link_address
on conflict (name) do nothing;
drop table link_address;
