-- The external id of a merged contact leads to its survivor.
create index contacts_merged_external_id on contacts (group_id, external_id) where external_id is not null and merged_into is not null;

-- Whoever opted out and was deleted stays opted out. The digests of their mails and phones outlive the contact.
create table opt_outs (
  group_id bigint not null references spaces,
  digest bytea not null,
  created_at timestamptz not null default now(),
  primary key (group_id, digest)
);
comment on table opt_outs is 'Cluster: by space';

-- Mails that upserts, imports and merges replaced: the contact is still found by them.
create table former_mails (
  group_id bigint not null,
  contact_id bigint not null,
  mail text not null,
  created_at timestamptz not null default now(),
  primary key (group_id, contact_id, mail),
  foreign key (group_id, contact_id) references contacts (group_id, id) on delete cascade
);
create index former_mails_folded on former_mails (group_id, (fold(mail) collate "C"), contact_id);
comment on table former_mails is 'Cluster: by space';
