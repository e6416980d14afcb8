-- Keys whose answer was erased with a person's data: the write is not done again. Key and fingerprint are digests then, which show nothing of the request without the key.
alter table idempotency_keys add column erased boolean not null default false;
