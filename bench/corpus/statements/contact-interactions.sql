select json_build_object('contact', (
  select json_build_object('id', 'Contact:' || c.id,
    'interactions', json_build_object(
      'totalCount', (select count(*) from interactions where group_id = $1 and contact_id = c.id and deleted_at is null and not only_super_admin),
      'nodes', coalesce((
        select json_agg(json_build_object('id', 'Interaction:' || i.id, 'type', i.type, 'title', i.title,
          'createdAt', replace((i.created_at at time zone 'UTC')::text, ' ', 'T') || 'Z', 'author', (
          select json_build_object('id', 'User:' || u.id, 'firstName', u.firstname, 'lastName', u.surname)
            from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 and m.user_id = i.user_id)) order by i.id)
          from (select * from interactions where group_id = $1 and contact_id = c.id and deleted_at is null and not only_super_admin order by id limit 20) i), '[]')))
    from contacts c where c.group_id = $1 and c.deleted_at is null and c.id = $2))
