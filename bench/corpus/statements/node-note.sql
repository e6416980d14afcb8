select json_build_object('node', (
  select json_build_object('id', 'Note:' || n.id, 'content', n.content, 'pinned', n.pinned,
    'contact', json_build_object('id', 'Contact:' || c.id, 'firstName', c.firstname, 'lastName', c.surname),
    'author', (
          select json_build_object('id', 'User:' || u.id, 'firstName', u.firstname)
            from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 and m.user_id = n.user_id))
    from notes n join contacts c on c.group_id = $1 and c.id = n.contact_id and c.deleted_at is null
   where n.group_id = $1 and n.id = $2 and n.deleted_at is null))
