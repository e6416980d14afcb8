select json_build_object('contacts', json_build_object('nodes', coalesce(json_agg(
  json_build_object('id', 'Contact:' || c.id, 'lastName', c.surname,
    'lastChangedAt', replace((c.lastchange at time zone 'UTC')::text, ' ', 'T') || 'Z',
    'lastChangedBy', case when u.id is not null then json_build_object('id', 'User:' || u.id, 'firstName', u.firstname, 'lastName', u.surname) end,
    'account', case when o.id is not null then json_build_object('id', 'User:' || o.id, 'email', o.mail) end) order by c.id), '[]')))
  from (select * from contacts where group_id = $1 and deleted_at is null order by id limit 50) c
  left join (members m join users u on u.id = m.user_id and u.deleted_at is null) on m.group_id = $1 and m.user_id = c.user_id
  left join (members k join users o on o.id = k.user_id and o.deleted_at is null) on k.group_id = $1 and k.user_id = c.user_contact_id
