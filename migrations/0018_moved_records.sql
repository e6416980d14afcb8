-- What an import from another server has written: which record here each record of the source is. A second run finds its records by it.
create table moved_records (
  group_id bigint not null references spaces,
  -- The address of the server, or the name of the folder.
  source text collate "C" not null check (btrim(source) <> ''),
  kind text collate "C" not null
    check (kind in ('form', 'option', 'action', 'price_group', 'membership_price', 'donation_price', 'transaction_status', 'team',
                    'contact', 'note', 'interaction')),
  source_id bigint not null check (source_id between 0 and 9007199254740991),
  record_id bigint not null,
  -- The last import that read it in the source: what it has not read is gone there.
  import_id bigint not null,
  -- Of a contact: its lastchange after the import had written it. Another one shows that somebody has changed it here.
  lastchange timestamptz,
  primary key (group_id, source, kind, source_id)
);
create index moved_records_record on moved_records (group_id, kind, record_id);
