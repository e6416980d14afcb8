-- How often a person was erased in each space: an answer that was read before is not stored under its idempotency key afterwards.
alter table spaces add column erasures bigint not null default 0;
