-- Pairs of contacts that are two people, though they look like one.
create table kept_apart (
  group_id bigint not null,
  contact_id bigint not null,
  other_id bigint not null,
  user_id bigint references users,
  created_at timestamptz not null default now(),
  primary key (group_id, contact_id, other_id),
  check (contact_id < other_id),
  foreign key (group_id, contact_id) references contacts (group_id, id) on delete cascade,
  foreign key (group_id, other_id) references contacts (group_id, id) on delete cascade
);
create index kept_apart_other on kept_apart (group_id, other_id);
comment on table kept_apart is 'Cluster: by space';
