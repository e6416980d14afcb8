-- What undoing an import has done so far, over all of its runs: each forgets the copies of the contacts that it has dealt with.
create table import_undos (
  group_id bigint not null,
  import_id bigint not null,
  deleted int not null,
  restored int not null,
  kept int not null,
  primary key (group_id, import_id),
  foreign key (group_id, import_id) references imports (group_id, id) on delete cascade
);
comment on table import_undos is 'Cluster: by space';
