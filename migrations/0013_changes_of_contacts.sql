-- When and by whom a contact was last changed stands in the contact alone. In the search row, every note and every tag wrote one row anew
-- with an entry in each of its two dozen indexes.

create index contacts_lastchange on contacts (group_id, lastchange, id) where deleted_at is null;
create index contacts_updated_at on contacts (group_id, updated_at, id) where deleted_at is null;

-- As the search reads it: the living, with nothing unknown.
create view contact_changes as
select group_id, id as contact_id, lastchange, updated_at, coalesce(user_id, -1) as user_id from contacts where deleted_at is null;

-- The table is made anew without these columns, since rows that remember dropped ones are slower to read. Its indexes, and the
-- functions that derive its rows, are what they were but for them.
do $do$
declare
  taken text[] := array['lastchange', 'updated_at', 'user_id'];
  indexes text[] := array(
    select replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') from pg_index i join pg_class c on c.oid = i.indexrelid
     where indrelid = 'contact_search'::regclass and not indisprimary and not exists (
       select from pg_attribute a where a.attrelid = indrelid and a.attnum = any(indkey) and a.attname = any(taken))
     order by c.relname);
  rows_of record;
  body text;
  columns text;
  fresh text;
begin
  create temporary table kept_bodies on commit drop as
    select proname as name, prosrc as body from pg_proc where oid in ('search_rows'::regproc, 'new_search_rows'::regproc);
  drop function search_rows(bigint, bigint[]);
  drop function new_search_rows(bigint, bigint[]);

  alter table contact_search drop column lastchange, drop column updated_at, drop column user_id;
  create table slim (like contact_search) partition by hash (group_id);
  for remainder in 0..15 loop
    execute format('create table slim_%s partition of slim for values with (modulus 16, remainder %s) with (fillfactor = 90)', remainder, remainder);
  end loop;
  insert into slim select * from contact_search;
  drop table contact_search;
  alter table slim rename to contact_search;
  for remainder in 0..15 loop
    execute format('alter table slim_%1$s rename to contact_search_%1$s', remainder);
    for bit in 0..8 loop
      execute format('create statistics contact_search_%1$s_filled_%2$s on (filled & %2$s) from contact_search_%1$s', remainder, 1 << bit);
    end loop;
  end loop;
  alter table contact_search add primary key (group_id, contact_id);
  for i in 1..cardinality(indexes) loop
    execute indexes[i];
  end loop;

  for rows_of in select * from kept_bodies loop
    body := replace(replace(rows_of.body, 'c.lastchange, c.updated_at,', ''), 'coalesce(c.user_id, -1), ', '');
    if body ~ 'lastchange|updated_at|user_id' then raise exception '% is not what it was: %', rows_of.name, body; end if;
    execute format('create function %I(space bigint, contacts bigint[]) returns setof contact_search language sql stable as %L', rows_of.name, body);
  end loop;

  select string_agg(quote_ident(attname), ', ' order by attnum), string_agg('excluded.' || quote_ident(attname), ', ' order by attnum) into columns, fresh
    from pg_attribute where attrelid = 'contact_search'::regclass and attnum > 0;
  body := (select prosrc from pg_proc where oid = 'refresh_search'::regproc);
  body := regexp_replace(body, 'do update set \(.*?\) = row\(.*?\) where', format('do update set (%s) = row(%s) where', columns, fresh));
  if body ~ 'lastchange' then raise exception 'refresh_search is not what it was: %', body; end if;
  execute format('create or replace function refresh_search(space bigint, contacts bigint[]) returns void language sql volatile as %L', body);
end $do$;

analyze contact_search, contacts;

-- Marks living contacts as changed by a user, in themselves or in what is on them. Yields the ids of those that are there. They are
-- locked in the order of their ids, so that writers of several contacts never wait for each other in a circle.
create function mark_contacts(space bigint, contacts bigint[], by bigint) returns setof bigint language sql volatile as $$
  with living as materialized (
    select c.id from contacts c where c.group_id = space and c.id = any(contacts) and c.deleted_at is null order by c.id for no key update)
  update contacts c set lastchange = now(), updated_at = now(), version = version + 1, user_id = by
    from living l where c.group_id = space and c.id = l.id returning c.id
$$;

-- The same of what decides search rows: those follow. Every writer calls one of the two in the transaction of its write, after the write.
create or replace function touch_contacts(space bigint, contacts bigint[], by bigint) returns setof bigint language plpgsql volatile as $$
declare
  living bigint[] := array(select mark_contacts(space, contacts, by));
begin
  if living = '{}' then return; end if;
  perform refresh_search(space, living);
  return query select unnest(living);
end $$;
