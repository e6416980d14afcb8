select json_build_object('nodes', json_build_array(
  (select json_build_object('__typename', 'Contact', 'id', 'Contact:' || c.id, 'firstName', c.firstname, 'lastName', c.surname)
     from contacts c where c.group_id = $1 and c.deleted_at is null and c.id = $2),
  (select json_build_object('__typename', 'Note', 'id', 'Note:' || n.id, 'content', n.content,
            'author', (
          select json_build_object('id', 'User:' || u.id)
            from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 and m.user_id = n.user_id))
     from notes n join contacts c on c.group_id = $1 and c.id = n.contact_id and c.deleted_at is null
    where n.group_id = $1 and n.id = $3 and n.deleted_at is null),
  (select json_build_object('__typename', 'Team', 'id', 'Team:' || t.id, 'name', t.name,
            'users', coalesce((
              select json_agg(json_build_object('id', 'User:' || u.id) order by tu.position, u.id)
                from team_users tu join users u on u.id = tu.user_id and u.deleted_at is null
               where tu.group_id = $1 and tu.team_id = t.id), '[]'))
     from teams t where t.group_id = $1 and t.id = $4 and t.deleted_at is null)))
