-- When the last mail of a conversation arrived, or was sent: it may have been read much later. Null: written before.
alter table threads add column timestamp_last_message timestamptz;
