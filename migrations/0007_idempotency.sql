-- Idempotency keys: the answer that a write was given, kept with the write itself, for a day.

-- Written in the transaction of the write: either both are there or neither. So it is logged, unlike the buckets.
create table idempotency_keys (
  group_id bigint not null references spaces,
  user_id bigint not null references users,
  key text not null check (key ~ '^[\x21-\x7e]{1,255}$'),
  -- Of what was asked, so that a key that comes with something else is noticed.
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  status smallint not null,
  headers jsonb not null,
  body text not null,
  created_at timestamptz not null default now(),
  primary key (group_id, user_id, key)
);
create index idempotency_keys_age on idempotency_keys (group_id, created_at);

-- Takes a key for the transaction, without waiting for whoever has it: `mine` says whether it was free. Always one row, with
-- the answer that is kept under the key, if there is one. The lookup is a statement of its own after the lock, so that who
-- gets the lock sees what the last holder kept.
create function claim_idempotency_key(space bigint, by bigint, name text)
returns table (mine boolean, fingerprint bytea, status smallint, headers jsonb, body text)
language plpgsql volatile as $$
#variable_conflict use_column
begin
  mine := pg_try_advisory_xact_lock(hashtextextended(format('%s/%s/%s', space, by, name), 7));
  select k.fingerprint, k.status, k.headers, k.body into fingerprint, status, headers, body
    from idempotency_keys k
   where k.group_id = space and k.user_id = by and k.key = name and k.created_at > now() - interval '24 hours';
  return next;
end $$;
