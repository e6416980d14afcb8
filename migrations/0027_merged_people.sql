-- The external id of a merged contact leads to its survivor.
create index contacts_merged_external_id on contacts (group_id, external_id) where external_id is not null and merged_into is not null;

-- Whoever opted out and was deleted stays opted out. A digest of a mail or a phone tells nobody whose it is, and outlives the contact.
create table opt_outs (
  group_id bigint not null references spaces,
  digest bytea not null,
  created_at timestamptz not null default now(),
  primary key (group_id, digest)
);
comment on table opt_outs is 'Cluster: by space';

-- Mails that upserts, imports and merges replaced: a person is still found by them. The search row has them folded.
create table former_mails (
  group_id bigint not null,
  contact_id bigint not null,
  mail text not null,
  created_at timestamptz not null default now(),
  primary key (group_id, contact_id, mail),
  foreign key (group_id, contact_id) references contacts (group_id, id) on delete cascade
);
comment on table former_mails is 'Cluster: by space';
alter table contact_search add column former_mails text[] collate "C" not null default '{}';
create index contact_search_former_mails on contact_search using gin (former_mails) where former_mails <> '{}';
create index contact_search_with_former_mails on contact_search (group_id, contact_id) where former_mails <> '{}';
