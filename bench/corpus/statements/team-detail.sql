select json_build_object('team', (
  select json_build_object('id', 'Team:' || t.id, 'name', t.name, 'version', t.version,
    'address', (select json_build_object('city', city) from team_addresses where group_id = $1 and team_id = t.id),
    'users', people.users, 'leaders', people.leaders)
    from teams t
    cross join lateral (
    select coalesce(json_agg(json_build_object('id', 'User:' || u.id, 'firstName', u.firstname, 'lastName', u.surname, 'email', u.mail,
      'role', json_build_object('id', 'Role:' || r.id, 'name', r.name, 'color', r.color)) order by l.position, u.id), '[]') as users,
           coalesce(json_agg(json_build_object('id', 'User:' || u.id) order by l.position, u.id) filter (where l.leader), '[]') as leaders
      from team_users l
      join members m on m.group_id = $1 and m.user_id = l.user_id
      join users u on u.id = l.user_id and u.deleted_at is null
      join roles r on r.group_id = $1 and r.id = m.role_id
     where l.group_id = $1 and l.team_id = t.id) people
   where t.group_id = $1 and t.id = $2 and t.deleted_at is null))
