-- Answers under an idempotency key: what their caller was allowed, since the answer shows it. Null for those of earlier versions.
alter table idempotency_keys add column authority jsonb;
