-- An uncertain answer to who is erased counts as sent (see the feature `erasure`); nobody could decide on
-- those of before. By the index of what is uncertain, whatever the size of the ledger.
update sends set state = 'sent', look_at = null
where is_uncertain and kind = 'manual' and reply->>'to_address' = 'erased@erased.invalid';
