-- What each runner can open, so that nothing is sealed with a key that one of them lacks.

alter table runners add column secret_key_ids text[];
