select json_build_object('contact', (
  select json_build_object('id', 'Contact:' || c.id,
    'notes', (
      with page as (
        select *, row_number() over (order by created_at desc, id desc) as place, translate(encode(convert_to('["note createdAt desc","' || created_at || '",' || id || ']', 'UTF8'), 'base64'), E'+/=\n', '-_') as cursor
          from notes where group_id = $1 and contact_id = c.id and deleted_at is null order by created_at desc, id desc limit 11)
      select json_build_object(
        'edges', coalesce(json_agg(json_build_object('cursor', n.cursor,
          'node', json_build_object('__typename', 'Note', 'id', 'Note:' || n.id, 'content', n.content, 'pinned', n.pinned,
            'createdAt', replace((n.created_at at time zone 'UTC')::text, ' ', 'T') || 'Z',
            'author', (
          select json_build_object('__typename', 'User', 'id', 'User:' || u.id, 'firstName', u.firstname)
            from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 and m.user_id = n.user_id))) order by n.place) filter (where place <= 10), '[]'),
        'pageInfo', json_build_object('endCursor', (select cursor from page where place <= 10 order by place desc limit 1),
          'hasNextPage', count(*) > 10))
        from page n))
    from contacts c where c.group_id = $1 and c.deleted_at is null and c.id = $2))
