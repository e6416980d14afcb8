-- What contact search reads: one slim row per living contact, derived from the tables of 0003 and 0004 and never written by hand.
-- `search_rows(space, contacts)` computes it; `refresh_search(space, contacts)` is what every writer calls in its own transaction.

create extension if not exists unaccent;
create extension if not exists pg_trgm;

-- The one folding of text: no case, no accents, no surrounding space. The dictionary is named with its schema, so that
-- the function may stand in indexes; after a change of its rules (a major version of PostgreSQL), rebuild the search rows.
do $do$
declare
  home text := (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'unaccent');
  body text := format($$ select btrim(lower(%1$I.unaccent(%2$L::regdictionary, $1)), E' \t\n\r\u000b\u000c\u00a0\u2028\u2029\u202f\u3000\ufeff') $$, home, quote_ident(home) || '.unaccent');
begin
  execute format('create function fold(text) returns text language sql immutable strict parallel safe as %L', body);
  -- The same for reading many rows: what is not called immutable PostgreSQL writes out in place, which takes a third of the time.
  execute format('create function fold_inline(text) returns text language sql stable strict parallel safe as %L', body);
end $do$;

-- Phones compare by their digits, with a leading plus.
create function dialled(text) returns text language sql immutable strict parallel safe as
$$ select case when ltrim($1) like '+%' then '+' else '' end || regexp_replace($1, '[^0-9]', '', 'g') $$;

create table contact_search (
  contact_id bigint not null,
  lastchange timestamptz not null,
  updated_at timestamptz not null,
  transactions_sum bigint not null,
  transactions_min bigint not null,
  transactions_max bigint not null,
  donations_sum bigint not null,
  donations_min bigint not null,
  donations_max bigint not null,
  user_id bigint not null,
  group_id bigint not null,
  birthdate date not null,
  transactions_count integer not null,
  donations_count integer not null,
  -- Which fields have a value: 1 mail, 2 mobile, 4 phone, 8 city, 16 married name, 32 user, 64 first name, 128 surname, 256 postal code.
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
  primary key (group_id, contact_id),
  foreign key (group_id, contact_id) references contacts (group_id, id) on delete cascade
) partition by hash (group_id);

do $do$
begin
  for remainder in 0..15 loop
    execute format('create table contact_search_%s partition of contact_search for values with (modulus 16, remainder %s) with (fillfactor = 90)', remainder, remainder);
  end loop;
end $do$;

create index contact_search_surname on contact_search (group_id, surname, contact_id);
create index contact_search_firstname on contact_search (group_id, firstname, contact_id);
create index contact_search_married_name on contact_search (group_id, married_name, contact_id) where married_name <> '';
create index contact_search_mail on contact_search (group_id, mail, contact_id);
create index contact_search_city on contact_search (group_id, city, contact_id);
create index contact_search_birthdate on contact_search (group_id, birthdate, contact_id);
create index contact_search_gender on contact_search (group_id, gender, contact_id);
create index contact_search_lastchange on contact_search (group_id, lastchange, contact_id);
create index contact_search_updated_at on contact_search (group_id, updated_at, contact_id);
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

-- What became of the e-mails of a contact, apart from the search row: a mailing of half a million must not rewrite that.
-- Bits: 1 has any, 2 delivered, 4 opened, 8 clicked, 16 bounced, 32 unsubscribed, 64 blacklisted, 128 abuse report.
create table contact_emails (
  group_id bigint not null,
  contact_id bigint not null,
  with_value smallint not null,
  without_value smallint not null,
  created_max timestamptz not null,
  opened_max timestamptz not null,
  clicked_max timestamptz not null,
  primary key (group_id, contact_id),
  foreign key (group_id, contact_id) references contacts (group_id, id) on delete cascade
) partition by hash (group_id);

do $do$
begin
  for remainder in 0..15 loop
    execute format('create table contact_emails_%s partition of contact_emails for values with (modulus 16, remainder %s) with (fillfactor = 50)', remainder, remainder);
  end loop;
end $do$;

-- The search rows of these contacts of a space, computed from their sources. A deleted contact has none; a deleted form or
-- action stays in the arrays, since the search looks up whether it lives: to delete one must not touch every contact.
create function search_rows(space bigint, contacts bigint[]) returns setof contact_search language sql stable as $$
  select c.id, c.lastchange, c.updated_at,
    coalesce(money.sum, 0), coalesce(money.least, 0), coalesce(money.most, 0),
    coalesce(gift.sum, 0), coalesce(gift.least, 0), coalesce(gift.most, 0),
    coalesce(c.user_id, -1), c.group_id, coalesce(c.birthdate, 'infinity'), money.count, gift.count,
    (own.mail <> '')::int | ((fold_inline(coalesce(c.mobile, '')) <> '')::int << 1) | ((fold_inline(coalesce(c.phone, '')) <> '')::int << 2) | ((own.city <> '')::int << 3)
      | ((own.married_name <> '')::int << 4) | ((c.user_contact_id is not null)::int << 5) | ((own.firstname <> '')::int << 6)
      | ((own.surname <> '')::int << 7) | ((own.postal_code <> '')::int << 8),
    coalesce(c.age_category, -1), coalesce(c.gender, '')::"char", c.black_list,
    array(select tag_id from contact_tags where group_id = c.group_id and contact_id = c.id order by tag_id),
    array(select action_id from contact_actions where group_id = c.group_id and contact_id = c.id order by action_id),
    array(select distinct form_id from answers where group_id = c.group_id and contact_id = c.id order by form_id),
    array(select distinct form_ref_id from answers where group_id = c.group_id and contact_id = c.id order by form_ref_id),
    own.surname, own.firstname, own.married_name, own.mail, own.city, own.postal_code, own.mobile, own.phone
  from contacts c
  left join addresses a on a.group_id = c.group_id and a.contact_id = c.id
  -- Laterals, since each is one look into an index whatever the statistics say.
  cross join lateral (
    select fold_inline(coalesce(c.surname, '')) surname, fold_inline(coalesce(c.firstname, '')) firstname, fold_inline(coalesce(c.married_name, '')) married_name,
           fold_inline(coalesce(c.mail, '')) mail, fold_inline(coalesce(a.city, '')) city, fold_inline(coalesce(a.postal_code, '')) postal_code,
           dialled(coalesce(c.mobile, '')) mobile, dialled(coalesce(c.phone, '')) phone offset 0) own
  cross join lateral (
    select count(*)::int count, sum(amount)::bigint sum, min(amount) least, max(amount) most
      from transactions where group_id = c.group_id and contact_id = c.id and deleted_at is null) money
  cross join lateral (
    select count(*)::int count, sum(amount)::bigint sum, min(amount) least, max(amount) most
      from donations where group_id = c.group_id and contact_id = c.id and deleted_at is null) gift
  where c.group_id = space and c.id = any(contacts) and c.deleted_at is null
$$;

-- The e-mail rows of these contacts, computed from their e-mails.
create function email_rows(space bigint, contacts bigint[]) returns setof contact_emails language sql stable as $$
  select space, contact_id,
    (1 | bit_or(((delivered_at is not null)::int << 1) | ((opened_at is not null)::int << 2) | ((clicked_at is not null)::int << 3) | ((bounced_at is not null)::int << 4)
      | ((unsubscribed_at is not null)::int << 5) | ((blacklisted_at is not null)::int << 6) | ((abuse_report_at is not null)::int << 7)))::smallint,
    bit_or(((delivered_at is null)::int << 1) | ((opened_at is null)::int << 2) | ((clicked_at is null)::int << 3) | ((bounced_at is null)::int << 4)
      | ((unsubscribed_at is null)::int << 5) | ((blacklisted_at is null)::int << 6) | ((abuse_report_at is null)::int << 7))::smallint,
    max(created_at), coalesce(max(opened_at), '-infinity'), coalesce(max(clicked_at), '-infinity')
  from emails where group_id = space and contact_id = any(contacts) and deleted_at is null group by contact_id
$$;

-- The number that a text says, or null: what users type is read by its form, never by a cast that could fail.
create function readable_number(text) returns numeric language sql immutable parallel safe as
$$ select case when $1 ~ '^\s*-?\d{1,100}(\.\d{1,100})?\s*$' then btrim($1, E' \t\n\r')::numeric end $$;

-- The instant that a text names: the midnight of YYYY-MM-DD, or a date-time of RFC 3339; null for anything else, impossible days too.
create function readable_instant(text) returns timestamptz language sql immutable strict parallel safe as $$
  select case when y > 0 and m between 1 and 12 and d between 1 and date_part('day', make_date(greatest(y, 1), least(greatest(m, 1), 12), 1) + interval '1 month - 1 day')
               and coalesce(hour, 0) < 24 and coalesce(minute, 0) < 60 and coalesce(second, 0) < 60 and coalesce(ahead_hour, 0) < 24 and coalesce(ahead_minute, 0) < 60
              then make_timestamptz(y, m, d, coalesce(hour, 0), coalesce(minute, 0), coalesce(second, 0), 'UTC')
                   - coalesce(sign, 1) * make_interval(hours => coalesce(ahead_hour, 0), mins => coalesce(ahead_minute, 0)) end
    from (select p[1]::int as y, p[2]::int as m, p[3]::int as d, p[4]::int as hour, p[5]::int as minute, p[6]::double precision as second,
                 case p[7] when '-' then -1 else 1 end as sign, p[8]::int as ahead_hour, p[9]::int as ahead_minute
            from regexp_match($1, '^\s*(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2}(?:\.\d{1,9})?)(?:[Zz]|([+-])(\d{2}):(\d{2})))?\s*$') p) part
$$;

-- Brings the search rows of these contacts up to date. Every writer calls it in the transaction of its write, after the write.
-- The contacts are locked first: of two writers the second computes from what the first has committed. A row that would stay
-- as it is, is not written. The columns are listed by the catalogue, so that none can be forgotten.
do $do$
declare
  names text;
  fresh text;
begin
  select string_agg(quote_ident(attname), ', ' order by attnum), string_agg('excluded.' || quote_ident(attname), ', ' order by attnum) into names, fresh
    from pg_attribute where attrelid = 'contact_search'::regclass and attnum > 0;
  execute format($f$
    create function refresh_search(space bigint, contacts bigint[]) returns void language sql volatile as $$
      select count(*) from (select from contacts c where c.group_id = space and c.id = any(contacts) order by c.id for no key update) locked;
      delete from contact_search s where s.group_id = space and s.contact_id = any(contacts)
         and not exists (select from contacts c where c.group_id = s.group_id and c.id = s.contact_id and c.deleted_at is null);
      insert into contact_search as s select * from search_rows(space, contacts)
        on conflict (group_id, contact_id) do update set (%1$s) = row(%2$s) where (s.*) is distinct from (excluded.*);
    $$ $f$, names, fresh);

  select string_agg(quote_ident(attname), ', ' order by attnum), string_agg('excluded.' || quote_ident(attname), ', ' order by attnum) into names, fresh
    from pg_attribute where attrelid = 'contact_emails'::regclass and attnum > 0;
  execute format($f$
    create function refresh_emails(space bigint, contacts bigint[]) returns void language sql volatile as $$
      select count(*) from (select from contacts c where c.group_id = space and c.id = any(contacts) order by c.id for no key update) locked;
      delete from contact_emails s where s.group_id = space and s.contact_id = any(contacts)
         and not exists (select from emails r where r.group_id = s.group_id and r.contact_id = s.contact_id and r.deleted_at is null);
      insert into contact_emails as s select * from email_rows(space, contacts)
        on conflict (group_id, contact_id) do update set (%1$s) = row(%2$s) where (s.*) is distinct from (excluded.*);
    $$ $f$, names, fresh);
end $do$;

-- Bits have no statistics of their own: without these the planner takes each for one row in two hundred. One expression each,
-- since of several PostgreSQL would also gather how they depend on one another.
do $do$
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
end $do$;

-- Ways into the records, each led by what is asked of them and ending with the contact, so that the index alone answers.
create index transactions_date on transactions (group_id, date, contact_id) where deleted_at is null;
create index transactions_amount on transactions (group_id, amount, contact_id) where deleted_at is null;
create index transactions_code on transactions (group_id, code_campaign, contact_id) where deleted_at is null and code_campaign is not null;
create index donations_date on donations (group_id, transaction_date, contact_id) where deleted_at is null;
create index donations_amount on donations (group_id, amount, contact_id) where deleted_at is null;
create index memberships_period on memberships (group_id, end_date, start_date, contact_id) where deleted_at is null;
create index emails_opened on emails (group_id, opened_at, contact_id) where opened_at is not null and deleted_at is null;
create index emails_clicked on emails (group_id, clicked_at, contact_id) where clicked_at is not null and deleted_at is null;
create index emails_bounced on emails (group_id, bounced_at, contact_id) where bounced_at is not null and deleted_at is null;
create index emails_unsubscribed on emails (group_id, unsubscribed_at, contact_id) where unsubscribed_at is not null and deleted_at is null;
create index emails_blacklisted on emails (group_id, blacklisted_at, contact_id) where blacklisted_at is not null and deleted_at is null;
create index emails_abuse_report on emails (group_id, abuse_report_at, contact_id) where abuse_report_at is not null and deleted_at is null;
create index emails_when on emails using brin (created_at, delivered_at);
drop index emails_campaign;
create index emails_campaign on emails (group_id, campaign_id, contact_id) where deleted_at is null;

-- What an answer says, folded once when it is written; long ones are compared whole.
alter table answers add column folded text collate "C" not null generated always as (left(fold(coalesce(data, '')), 160)) stored;
drop index answers_form;
create index answers_form on answers (group_id, form_id, form_ref_id, folded, contact_id);
create index answers_long on answers (group_id, form_id, contact_id) where length(folded) = 160;
create statistics answers_refs (dependencies, ndistinct) on form_id, form_ref_id from answers;

-- Those who are there already.
do $do$
declare
  space bigint;
begin
  for space in select id from spaces loop
    insert into contact_search select * from search_rows(space, array(select id from contacts where group_id = space));
    insert into contact_emails select * from email_rows(space, array(select id from contacts where group_id = space));
  end loop;
end $do$;
