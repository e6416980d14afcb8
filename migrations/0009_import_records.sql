-- Imports of records: of which family an import is, the ids that its rows had in their file, and which records it wrote.

alter table imports add column family text not null default 'contacts'
  check (family in ('contacts', 'notes', 'interactions', 'transactions', 'donations', 'memberships', 'sanctions', 'emails'));

-- By the id that a contact or a transaction had in its own file, a file of records names it. Two rows may be of one id, or of one contact.
create table import_keys (
  group_id bigint not null,
  import_id bigint not null,
  source_key text not null,
  record_id bigint not null,
  primary key (group_id, import_id, source_key, record_id),
  foreign key (group_id, import_id) references imports (group_id, id) on delete cascade
);

-- Each record that an import created; of which table says the family of the import.
create table import_records (
  group_id bigint not null,
  import_id bigint not null,
  record_id bigint not null,
  contact_id bigint not null,
  -- What the record is known by as long as nobody changes it.
  mark bigint not null,
  -- The versions that its contact had when the record was written and when that was undone: whoever undoes the import of the
  -- contact tells by these whether anybody else has changed it. Null, and 0, for records that do not change their contact.
  touched integer,
  undone integer,
  primary key (group_id, import_id, record_id),
  foreign key (group_id, import_id) references imports (group_id, id) on delete cascade,
  foreign key (group_id, contact_id) references contacts (group_id, id) on delete cascade
);
create index import_records_contact on import_records (group_id, contact_id);
