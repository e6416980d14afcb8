select json_build_object('contacts', json_build_object('nodes', coalesce(json_agg(
  json_build_object('id', 'Contact:' || c.id, 'lastName', c.surname,
    'notes', (
      select json_build_object('totalCount', count(*),
          'nodes', coalesce(json_agg(json_build_object('id', 'Note:' || n.id, 'content', n.content, 'pinned', n.pinned) order by n.id)
            filter (where place <= 5), '[]'),
          'pageInfo', json_build_object('hasNextPage', count(*) > 5,
            'endCursor', translate(encode(convert_to('["note id asc",null,' || max(n.id) filter (where place <= 5) || ']', 'UTF8'), 'base64'), E'+/=\n', '-_')))
        from (select *, row_number() over (order by id) as place from notes where group_id = $1 and contact_id = c.id and deleted_at is null) n)
  ) order by c.id), '[]')))
  from (select * from contacts where group_id = $1 and deleted_at is null order by id limit 50) c
