with page as (
  select *, row_number() over (order by id) as place, translate(encode(convert_to('["contacts",' || id || ']', 'UTF8'), 'base64'), E'+/=\n', '-_') as cursor
    from contacts where group_id = $1 and deleted_at is null order by id limit 51)
select json_build_object('contacts', json_build_object(
  'totalCount', (select count(*) from contacts where group_id = $1 and deleted_at is null),
  'edges', coalesce(json_agg(json_build_object('cursor', c.cursor,
    'node', json_build_object('id', 'Contact:' || c.id, 'databaseId', c.id, 'firstName', c.firstname, 'lastName', c.surname, 'email', c.mail,
      'mobile', c.mobile,
      'tags', coalesce((
      select json_agg(json_build_object('id', 'Tag:' || t.id, 'name', t.name, 'color', t.color) order by t.id)
        from contact_tags l join tags t on t.group_id = $1 and t.id = l.tag_id where l.group_id = $1 and l.contact_id = c.id), '[]'))) order by c.id) filter (where place <= 50), '[]'),
  'pageInfo', json_build_object('hasNextPage', count(*) > 50, 'hasPreviousPage', false,
    'startCursor', (select cursor from page order by id limit 1), 'endCursor', (select cursor from page where place <= 50 order by id desc limit 1))))
  from page c
