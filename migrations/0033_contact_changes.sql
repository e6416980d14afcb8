-- Changes of many contacts at once: imports without a file, whose contacts are fixed when they begin.
alter table imports drop constraint imports_family_check;
alter table imports add constraint imports_family_check
  check (family in ('contacts', 'contact_changes', 'notes', 'interactions', 'transactions', 'donations', 'memberships', 'sanctions', 'emails'));
-- The first contacts that a batch of a change has refused, each with the reason.
alter table import_batches add column faults jsonb;

create table bulk_changes (
  group_id bigint not null,
  import_id bigint not null,
  -- What is changed of each contact.
  change jsonb not null,
  total integer not null,
  cancelled_at timestamptz,
  primary key (group_id, import_id),
  foreign key (group_id, import_id) references imports (group_id, id) on delete cascade
);
comment on table bulk_changes is 'Cluster: by space';

-- The contacts that are still to be changed. The transaction that changes those of a row deletes it.
create table bulk_change_batches (
  group_id bigint not null,
  import_id bigint not null,
  first_row bigint not null,
  contact_ids bigint[] not null,
  primary key (group_id, import_id, first_row),
  foreign key (group_id, import_id) references bulk_changes (group_id, import_id) on delete cascade
);
comment on table bulk_change_batches is 'Cluster: by space';
