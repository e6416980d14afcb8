-- Contacts that are new: their search rows are made with less than those of contacts that were there before.

-- A derived row, or the trace of an import, is written of a contact that its writer has locked, or made: a foreign key would look for
-- what was just read.
alter table contact_search drop constraint contact_search_group_id_contact_id_fkey;
alter table contact_emails drop constraint contact_emails_group_id_contact_id_fkey;
alter table import_contacts drop constraint import_contacts_group_id_contact_id_fkey;

-- Whoever deletes contacts for good, which no part of Muster does, still takes these along.
create function forget_contacts() returns trigger language plpgsql as $$
begin
  delete from contact_search s using gone g where s.group_id = g.group_id and s.contact_id = g.id;
  delete from contact_emails e using gone g where e.group_id = g.group_id and e.contact_id = g.id;
  delete from import_contacts i using gone g where i.group_id = g.group_id and i.contact_id = g.id;
  return null;
end $$;
create trigger contacts_forgotten after delete on contacts referencing old table as gone
  for each statement execute function forget_contacts();

-- The search rows of contacts that the transaction itself has made: nobody else can have locked or derived them, and they can have
-- paid and given nothing yet. All else is the very text of search_rows, so that the two cannot differ.
do $do$
declare
  body text := (select prosrc from pg_proc where oid = 'search_rows'::regproc);
  records text;
begin
  foreach records in array array['money', 'gift'] loop
    body := regexp_replace(body, 'cross join lateral \(\s*?select count\(\*\)::int count.*?\) ' || records,
      format('cross join (values (0, 0::bigint, 0::bigint, 0::bigint)) %s (count, sum, least, most)', records));
  end loop;
  if body ~ 'transactions|donations' then raise exception 'search_rows is not what it was: %', body; end if;
  execute format('create function new_search_rows(space bigint, contacts bigint[]) returns setof contact_search language sql stable as %L', body);
end $do$;

create function add_search(space bigint, contacts bigint[]) returns void language sql volatile as
$$ insert into contact_search select * from new_search_rows(space, contacts) $$;
