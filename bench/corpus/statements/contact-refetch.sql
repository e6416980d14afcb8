select json_build_object('node', (
  select json_build_object('__typename', 'Contact', 'id', 'Contact:' || c.id, 'firstName', c.firstname, 'lastName', c.surname,
    'notes', (
      with page as (
        select *, row_number() over (order by id) as place, translate(encode(convert_to('["note id asc",null,' || id || ']', 'UTF8'), 'base64'), E'+/=\n', '-_') as cursor
          from notes where group_id = $1 and contact_id = c.id and deleted_at is null order by id limit 6)
      select json_build_object(
        'edges', coalesce(json_agg(json_build_object(
          'node', json_build_object('id', 'Note:' || n.id, 'content', n.content, '__typename', 'Note'), 'cursor', n.cursor) order by n.id)
          filter (where place <= 5), '[]'),
        'pageInfo', json_build_object('endCursor', (select cursor from page where place <= 5 order by id desc limit 1), 'hasNextPage', count(*) > 5))
        from page n))
    from contacts c where c.group_id = $1 and c.deleted_at is null and c.id = $2))
