with matches as materialized (
  select s.contact_id, s.city, s.tag_ids from contact_search s where s.group_id = $1 and exists (select from addresses a where a.group_id = $1 and a.contact_id = s.contact_id and fold_inline(a.country) collate "C" = (select fold($2)))),
cities as (
  select city, count(*), min(contact_id) as example from matches where city <> '' group by city order by count desc, city limit 10),
called as (
  select tag, count(*) from matches cross join unnest(tag_ids) tag group by tag order by count desc, tag limit 10)
select json_build_object(
  'found', json_build_object('totalCount', (select count(*) from matches), 'nodes', coalesce((
    select json_agg(json_build_object('id', 'Contact:' || c.id, 'firstName', c.firstname, 'lastName', c.surname) order by c.id)
      from (select contact_id from matches order by contact_id limit 10) s join contacts c on c.group_id = $1 and c.id = s.contact_id), '[]')),
  'cities', json_build_object('total', (select count(*) from matches), 'values', coalesce((
    select json_agg(json_build_object('value', trim(a.city), 'count', f.count) order by f.count desc, f.city)
      from cities f join addresses a on a.group_id = $1 and a.contact_id = f.example), '[]')),
  'tags', json_build_object('total', (select count(*) from matches), 'values', coalesce((
    select json_agg(json_build_object('value', t.name, 'count', f.count) order by f.count desc, f.tag)
      from called f join tags t on t.group_id = $1 and t.id = f.tag), '[]')))
