select json_build_object('teams', json_build_object(
  'totalCount', (select count(*) from teams where group_id = $1 and deleted_at is null),
  'nodes', coalesce(json_agg(json_build_object('id', 'Team:' || t.id, 'name', t.name, 'description', t.description, 'private', t.private,
    'users', people.users, 'leaders', people.leaders) order by t.id), '[]')))
  from (select * from teams where group_id = $1 and deleted_at is null order by id limit 20) t
  cross join lateral (
    select coalesce(json_agg(json_build_object('id', 'User:' || u.id, 'firstName', u.firstname, 'lastName', u.surname,
      'role', json_build_object('id', 'Role:' || r.id, 'name', r.name)) order by l.position, u.id), '[]') as users,
           coalesce(json_agg(json_build_object('id', 'User:' || u.id,
             'firstName', u.firstname) order by l.position, u.id) filter (where l.leader), '[]') as leaders
      from team_users l
      join members m on m.group_id = $1 and m.user_id = l.user_id
      join users u on u.id = l.user_id and u.deleted_at is null
      join roles r on r.group_id = $1 and r.id = m.role_id
     where l.group_id = $1 and l.team_id = t.id) people
