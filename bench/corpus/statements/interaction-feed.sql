with page as (
  select i.*, c.firstname, c.surname, row_number() over (order by i.id) as place
    from interactions i join contacts c on c.group_id = $1 and c.id = i.contact_id and c.deleted_at is null
   where i.group_id = $1 and i.deleted_at is null order by i.id limit 21)
select json_build_object('interactions', json_build_object(
  'nodes', coalesce(json_agg(json_build_object('id', 'Interaction:' || i.id, 'type', i.type, 'subType', i.sub_type, 'title', i.title,
    'comments', i.comments, 'createdAt', replace((i.created_at at time zone 'UTC')::text, ' ', 'T') || 'Z',
    'contact', json_build_object('id', 'Contact:' || i.contact_id, 'firstName', i.firstname, 'lastName', i.surname,
      'tags', coalesce((
      select json_agg(json_build_object('name', t.name) order by t.id)
        from contact_tags l join tags t on t.group_id = $1 and t.id = l.tag_id where l.group_id = $1 and l.contact_id = i.contact_id), '[]')),
    'author', (
          select json_build_object('id', 'User:' || u.id, 'firstName', u.firstname)
            from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 and m.user_id = i.user_id),
    'files', coalesce((
      select json_agg(json_build_object('id', 'File:' || f.id, 'name', f.name, 'mime', f.mime, 'url', f.url) order by f.id)
        from files f where f.group_id = $1 and f.interaction_id = i.id and f.deleted_at is null), '[]'))
    order by i.id) filter (where place <= 20), '[]'),
  'pageInfo', json_build_object('endCursor', translate(encode(convert_to('["interaction id asc",null,' || max(i.id) filter (where place <= 20) || ']', 'UTF8'), 'base64'), E'+/=\n', '-_'),
    'hasNextPage', count(*) > 20)))
  from page i
