with page as (select *, row_number() over (order by id) as place from contacts where group_id = $1 and deleted_at is null order by id limit 21)
select json_build_object('contacts', json_build_object(
  'nodes', coalesce(json_agg(json_build_object('id', 'Contact:' || c.id, 'databaseId', c.id, 'firstName', c.firstname, 'lastName', c.surname,
    'email', c.mail, 'mobile', c.mobile,
    'address', (select json_build_object('city', city, 'postalCode', postal_code) from addresses where group_id = $1 and contact_id = c.id),
    'note', (select json_build_object('id', 'Note:' || id, 'content', content,
      'createdAt', replace((created_at at time zone 'UTC')::text, ' ', 'T') || 'Z')
               from notes where group_id = $1 and contact_id = c.id and deleted_at is null order by pinned desc, created_at desc, id desc limit 1),
    'actions', coalesce((
      select json_agg(json_build_object('id', 'Action:' || a.id, 'name', a.name,
        'startsAt', replace((a.starts_at at time zone 'UTC')::text, ' ', 'T') || 'Z') order by a.id)
        from contact_actions l join actions a on a.group_id = $1 and a.id = l.action_id and a.deleted_at is null
       where l.group_id = $1 and l.contact_id = c.id), '[]')) order by c.id) filter (where place <= 20), '[]'),
  'pageInfo', json_build_object(
    'endCursor', translate(encode(convert_to('["contacts",' || max(c.id) filter (where place <= 20) || ']', 'UTF8'), 'base64'), E'+/=\n', '-_'),
    'hasNextPage', count(*) > 20)))
  from page c
