-- The words of each conversation, by which the inbox is searched (decision 0135). Upkeep fills it for
-- the conversations that are there.
create table thread_words (
  workspace_id      uuid not null,
  thread_id         uuid not null,
  oldest_message_id uuid,              -- of the mails that the words are of; null: there was none
  words             tsvector not null, -- each begins with what stands for the workspace
  timestamp_updated timestamptz not null,
  primary key (workspace_id, thread_id),
  foreign key (workspace_id, thread_id) references threads on delete cascade
) with (toast_tuple_target = 8160); -- a usual conversation is looked at without a second read
-- New words are gathered before they are put in their places, and few of them: a search reads all of those.
create index thread_words_words on thread_words using gin (words) with (gin_pending_list_limit = 512);
