-- Retention: what is deleted for good after some time.

-- When the copies of rows were deleted that undoing an import, or reading files that refer to it, needs.
alter table imports add column purged_at timestamptz;

-- Deleted records are few beside the living, and are found by the time of their deletion.
create index contacts_deleted on contacts (group_id, deleted_at) where deleted_at is not null;
create index notes_deleted on notes (group_id, deleted_at) where deleted_at is not null;
create index interactions_deleted on interactions (group_id, deleted_at) where deleted_at is not null;
create index files_deleted on files (group_id, deleted_at) where deleted_at is not null;
create index transactions_deleted on transactions (group_id, deleted_at) where deleted_at is not null;
create index donations_deleted on donations (group_id, deleted_at) where deleted_at is not null;
create index memberships_deleted on memberships (group_id, deleted_at) where deleted_at is not null;
create index emails_deleted on emails (group_id, deleted_at) where deleted_at is not null;
create index sanctions_deleted on sanctions (group_id, deleted_at) where deleted_at is not null;
