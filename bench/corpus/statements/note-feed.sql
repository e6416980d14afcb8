with page as (
  select n.*, c.firstname, c.surname, row_number() over (order by n.created_at desc, n.id desc) as place,
         translate(encode(convert_to('["note createdAt desc","' || n.created_at || '",' || n.id || ']', 'UTF8'), 'base64'), E'+/=\n', '-_') as cursor
    from notes n join contacts c on c.group_id = $1 and c.id = n.contact_id and c.deleted_at is null
   where n.group_id = $1 and n.deleted_at is null order by n.created_at desc, n.id desc limit 21)
select json_build_object('notes', json_build_object(
  'edges', coalesce(json_agg(json_build_object('cursor', n.cursor,
    'node', json_build_object('id', 'Note:' || n.id, 'content', n.content, 'pinned', n.pinned,
      'createdAt', replace((n.created_at at time zone 'UTC')::text, ' ', 'T') || 'Z',
      'contact', json_build_object('id', 'Contact:' || n.contact_id, 'firstName', n.firstname, 'lastName', n.surname),
      'author', (
          select json_build_object('id', 'User:' || u.id, 'firstName', u.firstname, 'lastName', u.surname, 'avatar', u.avatar)
            from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 and m.user_id = n.user_id))) order by n.place) filter (where place <= 20), '[]'),
  'pageInfo', json_build_object('endCursor', (select cursor from page where place <= 20 order by place desc limit 1), 'hasNextPage', count(*) > 20)))
  from page n
