select json_build_object('contacts', json_build_object('nodes', coalesce(json_agg(
  json_build_object('id', 'Contact:' || c.id, 'lastName', c.surname,
    'notes', json_build_object('nodes', coalesce((
        select json_agg(json_build_object('id', 'Note:' || n.id, 'content', n.content, 'author', (
          select json_build_object('id', 'User:' || u.id, 'firstName', u.firstname, 'lastName', u.surname)
            from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 and m.user_id = n.user_id)) order by n.id)
          from (select * from notes where group_id = $1 and contact_id = c.id and deleted_at is null order by id limit 20) n), '[]'))) order by c.id), '[]')))
  from (select * from contacts where group_id = $1 and deleted_at is null order by id limit 50) c
