with page as (
  select u.*, m.role_id, row_number() over (order by u.id) as place
    from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 order by u.id limit 51)
select json_build_object(
  'users', (
    select json_build_object(
      'nodes', coalesce(json_agg(json_build_object('id', 'User:' || u.id, 'firstName', u.firstname, 'lastName', u.surname, 'email', u.mail,
        'role', json_build_object('id', 'Role:' || r.id, 'name', r.name, 'type', upper(r.type), 'permissions', r.permissions)) order by u.id)
        filter (where place <= 50), '[]'),
      'pageInfo', json_build_object('hasNextPage', count(*) > 50,
        'endCursor', translate(encode(convert_to('["user id asc",null,' || max(u.id) filter (where place <= 50) || ']', 'UTF8'), 'base64'), E'+/=\n', '-_')))
      from page u join roles r on r.group_id = $1 and r.id = u.role_id),
  'roles', coalesce((
    select json_agg(json_build_object('id', 'Role:' || id, 'name', name, 'type', upper(type)) order by position, id)
      from roles where group_id = $1 and deleted_at is null), '[]'))
