select json_build_object('contact', (
  select json_build_object('__typename', 'Contact', 'id', 'Contact:' || c.id, 'databaseId', c.id, 'firstName', c.firstname, 'lastName', c.surname,
    'email', c.mail, 'mobile', c.mobile, 'gender', c.gender, 'birthDate', c.birthdate,
    'tags', coalesce((
      select json_agg(json_build_object('id', 'Tag:' || t.id, 'name', t.name) order by t.id)
        from contact_tags l join tags t on t.group_id = $1 and t.id = l.tag_id where l.group_id = $1 and l.contact_id = c.id), '[]'))
    from contacts c where c.group_id = $1 and c.deleted_at is null and c.id = $2))
