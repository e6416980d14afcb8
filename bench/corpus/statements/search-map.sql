select json_build_object('searchContacts', json_build_object('nodes', coalesce(json_agg(
  json_build_object('id', 'Contact:' || found.id, 'lastName', surname,
    'address', json_build_object('city', city, 'latitude', latitude, 'longitude', longitude)) order by found.id), '[]')))
  from (select id, surname from contacts c where c.group_id = $1 and c.deleted_at is null
           and (select fold_inline(a.country) collate "C" = (select fold($2)) from addresses a where a.group_id = $1 and a.contact_id = c.id)
         order by id limit 200) found
  join addresses on group_id = $1 and contact_id = found.id
