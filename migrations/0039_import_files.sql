-- Files that a browser has sent, to be imported by a job. They are personal data, so nothing of them is kept for longer than a day, and no backup has them.

create table import_files (
  group_id bigint not null references spaces,
  -- The id of the import that is made of it: it comes from the sequence of imports.
  id bigint not null check (id between 0 and 9007199254740991),
  -- A user or an app. Nobody else sees the file.
  user_id bigint not null,
  name text not null check (btrim(name) <> ''),
  -- In bytes; null until all of it is here.
  size integer,
  created_at timestamptz not null default now(),
  -- What was asked for when the import began, how the file is read by that, and the rows that it has.
  asked jsonb,
  options jsonb,
  rows integer,
  -- The lines of the file down to the names of its columns, and where the line with the names begins.
  head text,
  names_at integer,
  begun_at timestamptz,
  -- The content is deleted when the import ends.
  ended_at timestamptz,
  cancelled boolean not null default false,
  -- Why the rest of the file cannot be read.
  failure text,
  primary key (group_id, id)
);
comment on table import_files is 'Cluster: by space';

create table import_file_chunks (
  group_id bigint not null,
  file_id bigint not null,
  place integer not null,
  content bytea not null,
  primary key (group_id, file_id, place),
  foreign key (group_id, file_id) references import_files (group_id, id) on delete cascade
);
comment on table import_file_chunks is 'Cluster: by space';

-- Rows that an import has refused, as they stand in the file. They are written with the batch that has refused them.
create table import_rejects (
  group_id bigint not null,
  file_id bigint not null,
  row bigint not null,
  line bigint not null,
  text text not null,
  faults jsonb not null,
  primary key (group_id, file_id, row),
  foreign key (group_id, file_id) references import_files (group_id, id) on delete cascade
);
comment on table import_rejects is 'Cluster: by space';
