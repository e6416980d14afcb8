-- Indexes for the orders of lists over all records of a space. Ids, amounts and the dates of donations and transactions have theirs already.
-- New records stand at the end of an order by creation, so these indexes are written where they are in memory.
create index transactions_created on transactions (group_id, created_at, id) where deleted_at is null;
create index donations_created on donations (group_id, created_at, id) where deleted_at is null;
create index memberships_created on memberships (group_id, created_at, id) where deleted_at is null;
create index memberships_start on memberships (group_id, start_date, id) where deleted_at is null;
create index notes_created on notes (group_id, created_at, id) where deleted_at is null;
create index interactions_created on interactions (group_id, created_at, id) where deleted_at is null;
create index emails_created on emails (group_id, created_at, id) where deleted_at is null;
