-- Search rows: derived from contacts and their records by functions.sql, never written by hand.
-- Both tables are partitioned by space, so that a small space does not share pages and indexes with a large one.

-- One slim row per living contact, without nulls. Columns of fixed width come first, by their alignment, so that there are no gaps in a row.
-- There is no foreign key to contacts: a writer has locked or created the contact, and the check would look it up again. The time and author of the last
-- change are not here: each note and tag would rewrite the row, with an entry in each of its two dozen indexes.
create table contact_search (
  contact_id bigint not null,
  transactions_sum bigint not null,
  transactions_min bigint not null,
  transactions_max bigint not null,
  donations_sum bigint not null,
  donations_min bigint not null,
  donations_max bigint not null,
  group_id bigint not null,
  birthdate date not null,
  transactions_count integer not null,
  donations_count integer not null,
  -- Which fields have a value. Bits: 1 mail, 2 mobile, 4 phone, 8 city, 16 married name, 32 user, 64 first name, 128 surname, 256 postal code.
  filled integer not null,
  age_category smallint not null,
  gender "char" not null,
  black_list boolean not null,
  tag_ids bigint[] not null,
  action_ids bigint[] not null,
  form_ids bigint[] not null,
  form_ref_ids bigint[] not null,
  surname text not null collate "C",
  firstname text not null collate "C",
  married_name text not null collate "C",
  mail text not null collate "C",
  city text not null collate "C",
  postal_code text not null collate "C",
  mobile text not null collate "C",
  phone text not null collate "C",
  primary key (group_id, contact_id)
) partition by hash (group_id);

do $$
begin
  for remainder in 0..15 loop
    execute format(
      'create table contact_search_%1$s partition of contact_search for values with (modulus 16, remainder %1$s) with (fillfactor = 90)', remainder);
  end loop;
end $$;

create index contact_search_surname on contact_search (group_id, surname, contact_id);
create index contact_search_firstname on contact_search (group_id, firstname, contact_id);
-- A person is recognised by surname and first name together: a frequent surname alone has tens of thousands of contacts.
create index contact_search_names on contact_search (group_id, surname, firstname);
create index contact_search_married_name on contact_search (group_id, married_name, contact_id) where married_name <> '';
create index contact_search_mail on contact_search (group_id, mail, contact_id);
create index contact_search_city on contact_search (group_id, city, contact_id);
create index contact_search_birthdate on contact_search (group_id, birthdate, contact_id);
create index contact_search_gender on contact_search (group_id, gender, contact_id);
create index contact_search_postal_code on contact_search (group_id, postal_code);
create index contact_search_mobile on contact_search (group_id, mobile) where mobile <> '';
create index contact_search_phone on contact_search (group_id, phone) where phone <> '';
create index contact_search_mobile_part on contact_search using gin (mobile gin_trgm_ops);
create index contact_search_tags on contact_search using gin (tag_ids);
create index contact_search_actions on contact_search using gin (action_ids);
create index contact_search_forms on contact_search using gin (form_ids);
create index contact_search_form_refs on contact_search using gin (form_ref_ids);
create index contact_search_transactions_sum on contact_search (group_id, transactions_sum) where transactions_sum > 0;
create index contact_search_transactions_max on contact_search (group_id, transactions_max) where transactions_max > 0;
create index contact_search_transactions_count on contact_search (group_id, transactions_count) where transactions_count > 0;
create index contact_search_donations_sum on contact_search (group_id, donations_sum) where donations_sum > 0;
create index contact_search_donations_max on contact_search (group_id, donations_max) where donations_max > 0;
create index contact_search_donations_count on contact_search (group_id, donations_count) where donations_count > 0;

-- The events of the e-mails of each contact who has any, in a separate row, so that a mailing to half a million does not rewrite the search rows.
-- Bits: 1 has any, 2 delivered, 4 opened, 8 clicked, 16 bounced, 32 unsubscribed, 64 blacklisted, 128 abuse report.
create table contact_emails (
  group_id bigint not null,
  contact_id bigint not null,
  -- Events that at least one e-mail has, and events that at least one e-mail lacks.
  with_value smallint not null,
  without_value smallint not null,
  created_max timestamptz not null,
  opened_max timestamptz not null,
  clicked_max timestamptz not null,
  -- The number of e-mails of campaigns: a contact with more of them than e-mails of some given campaigns has one of another campaign.
  mailings integer not null default 0,
  primary key (group_id, contact_id)
) partition by hash (group_id);

do $$
begin
  for remainder in 0..15 loop
    execute format(
      'create table contact_emails_%1$s partition of contact_emails for values with (modulus 16, remainder %1$s) with (fillfactor = 50)', remainder);
  end loop;
end $$;

-- Bits have no statistics: without these the planner expects one row in two hundred for each. Each has one expression, since
-- for several in one PostgreSQL would also compute their dependencies.
do $$
begin
  for remainder in 0..15 loop
    for bit in 0..8 loop
      execute format('create statistics contact_search_%1$s_filled_%2$s on (filled & %2$s) from contact_search_%1$s', remainder, 1 << bit);
    end loop;
    for bit in 1..7 loop
      execute format('create statistics contact_emails_%1$s_with_%2$s on (with_value & %2$s) from contact_emails_%1$s', remainder, 1 << bit);
      execute format('create statistics contact_emails_%1$s_without_%2$s on (without_value & %2$s) from contact_emails_%1$s', remainder, 1 << bit);
    end loop;
  end loop;
end $$;

-- The time and author of the last change of each contact, without nulls, for the search.
create view contact_changes as
select group_id, id as contact_id, lastchange, updated_at, coalesce(user_id, -1) as user_id
  from contacts
 where deleted_at is null;

-- Traversals: the position of a token that reads the pages of a search by number, one after the other. A row has the last page, after which
-- contact that page began, and after which it ended.
-- Unlogged: written for each page, and read for ten minutes. After a crash the next page is the page of that moment.
-- There is no index but the key, so that the next page updates the row in place. Positions contain the sort values of contacts,
-- names and mails among them: the sweep deletes them. `search` is a digest of the search, never its text.
create unlogged table search_traversals (
  group_id bigint not null,
  token_id bigint not null,
  search bytea not null check (octet_length(search) = 32),
  traversal uuid not null default gen_random_uuid(),
  page integer not null check (page >= 0),
  -- Null for a page that began at a count of contacts: the first page, and any that did not follow the last one.
  began_part smallint,
  began_key text,
  began_id bigint,
  ended_part smallint not null,
  ended_key text,
  ended_id bigint not null,
  started_at timestamptz not null default now(),
  read_at timestamptz not null default now(),
  primary key (group_id, token_id, search, traversal)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
