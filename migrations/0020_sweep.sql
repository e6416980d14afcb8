-- The sweep finds tokens that were revoked, or expired, long ago. Answers under idempotency keys it finds space by space, by the index that they have;
-- buckets and traversals are too few to need one, and would be slower to write with it.
create index tokens_ended on tokens (least(expires_at, revoked_at)) where expires_at is not null or revoked_at is not null;
