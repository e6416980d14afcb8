select json_build_object('contacts', json_build_object('nodes', coalesce(json_agg(
  json_build_object('id', 'Contact:' || c.id, 'databaseId', c.id, 'firstName', c.firstname, 'lastName', c.surname, 'email', c.mail,
    'mobile', c.mobile,
    'tags', coalesce((
      select json_agg(json_build_object('id', 'Tag:' || t.id, 'name', t.name, 'color', t.color) order by t.id)
        from contact_tags l join tags t on t.group_id = $1 and t.id = l.tag_id where l.group_id = $1 and l.contact_id = c.id), '[]')) order by c.id), '[]')))
  from (select * from contacts where group_id = $1 and deleted_at is null order by id limit 50) c
