select json_build_object('searchContacts', json_build_object('nodes', coalesce(json_agg(
  json_build_object('id', 'Contact:' || id, 'lastName', surname,
    'address', json_build_object('city', city, 'latitude', latitude, 'longitude', longitude)) order by id), '[]')))
  from (select c.id, c.surname, a.city, a.latitude, a.longitude
          from contacts c join addresses a on a.group_id = $1 and a.contact_id = c.id
         where c.group_id = $1 and c.deleted_at is null and fold_inline(a.country) collate "C" = fold($2) order by c.id limit 200) found
