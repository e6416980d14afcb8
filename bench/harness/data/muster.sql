-- The same people in Muster's own schema: groups are spaces, ids stay the same, and Muster's functions derive the search rows.
-- Foreign key checks per row would take more time than the rest, and the plain schema has checked them already.
set session_replication_role = replica;

insert into spaces (id, name) select i, 'Space ' || i from generate_series(1, 20) i;
insert into users (id, mail, firstname, surname)
  select i, 'user' || i || '@example.org', 'User' || i, 'Sur' || i from generate_series(1, 200) i;
insert into roles (group_id, id, name, type) select i, i, 'superadmin', 'superadmin' from generate_series(1, 20) i;
insert into members (group_id, user_id, role_id) select 1 + (i - 1) % 20, i, 1 + (i - 1) % 20 from generate_series(1, 200) i;

insert into contacts (group_id, id, user_id, firstname, surname, married_name, gender, birthdate, age_category, birth_dept, birth_city,
    birth_country, nationality, mail, phone, mobile, phone_invalid, mobile_invalid, black_list, lastchange, created_at, updated_at)
  select group_id, id, user_id, firstname, surname, married_name, gender, birthdate, age_category, birth_dept, birth_city,
    birth_country, nationality, mail, phone, mobile, phone_invalid, mobile_invalid, black_list, lastchange, created_at, updated_at
  from plain.contact;
insert into addresses (group_id, id, contact_id, house_number, street, addition, building, floor, door, postal_code, citycode, city,
    county, state, country, polling_station, latitude, longitude, score, invalid)
  select group_id, a.id, contact_id, house_number, street, addition, building, floor, door, postal_code, citycode, city,
    county, state, country, polling_station, latitude, longitude, score, invalid
  from plain.address a join plain.contact c on c.id = contact_id;
insert into tags (group_id, id, name, color) select group_id, id, name, color from plain.tag;
insert into contact_tags select group_id, contact_id, tag_id from plain.contact_tag join plain.contact c on c.id = contact_id;
insert into notes (group_id, id, contact_id, user_id, content, pinned, created_at, updated_at)
  select group_id, id, contact_id, user_id, content, pinned, created_at, updated_at from plain.note;
insert into forms (group_id, id, kind, label, type) select group_id, id, kind, label, 'select' from plain.form;
insert into form_refs (group_id, id, form_id, label, value)
  select f.group_id, r.id, form_id, r.label, r.label from plain.form_ref r join plain.form f on f.id = form_id;
insert into answers (group_id, id, contact_id, form_id, form_ref_id, data, date, created_at, updated_at)
  select group_id, id, contact_id, form_id, form_ref_id, data, date, created_at, updated_at from plain.answer;
insert into transactions (group_id, id, contact_id, amount, date, code_campaign, payment_method_kind, created_at)
  select group_id, id, contact_id, amount, date, code_campaign, payment_method_kind, created_at from plain.transaction;
reset session_replication_role;
analyze;

do $$
  declare space bigint; stretch bigint;
  begin
    for space, stretch in select group_id, id / 5000 from contacts group by 1, 2 order by 1, 2 loop
      perform refresh_search(space, array(select id from contacts where group_id = space and id / 5000 = stretch order by id));
      perform refresh_emails(space, array(select id from contacts where group_id = space and id / 5000 = stretch order by id));
    end loop;
  end $$;

-- Later writes, in either schema, continue after the existing ids.
do $$
  declare t record; last bigint;
  begin
    for t in select n.nspname, c.oid from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
              where n.nspname in ('public', 'plain') and attname = 'id' and attidentity <> '' loop
      execute format('select max(id) from %s', t.oid::regclass) into last;
      if last is not null then perform setval(pg_get_serial_sequence(t.oid::regclass::text, 'id'), last); end if;
    end loop;
  end $$;
