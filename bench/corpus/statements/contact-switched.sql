select json_build_object('contact', (
  select json_build_object('id', 'Contact:' || c.id, 'lastName', c.surname,
    'notes', json_build_object('nodes', coalesce((
      select json_agg(json_build_object('id', 'Note:' || n.id, 'content', n.content) order by n.id)
        from (select * from notes where group_id = $1 and contact_id = c.id and deleted_at is null order by id limit 5) n), '[]')),
    'tags', coalesce((
      select json_agg(json_build_object('id', 'Tag:' || t.id, 'name', t.name) order by t.id)
        from contact_tags l join tags t on t.group_id = $1 and t.id = l.tag_id where l.group_id = $1 and l.contact_id = c.id), '[]'))
    from contacts c where c.group_id = $1 and c.deleted_at is null and c.id = $2))
