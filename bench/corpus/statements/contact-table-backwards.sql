with page as (
  select *, row_number() over (order by id desc) as place, translate(encode(convert_to('["contacts",' || id || ']', 'UTF8'), 'base64'), E'+/=\n', '-_') as cursor
    from contacts where group_id = $1 and deleted_at is null order by id desc limit 21)
select json_build_object('contacts', json_build_object(
  'edges', coalesce(json_agg(json_build_object('cursor', c.cursor, 'node', json_build_object('id', 'Contact:' || c.id, 'databaseId', c.id,
    'firstName', c.firstname, 'lastName', c.surname, 'email', c.mail, 'mobile', c.mobile)) order by c.id) filter (where place <= 20), '[]'),
  'pageInfo', json_build_object('hasPreviousPage', count(*) > 20, 'startCursor', (select cursor from page where place <= 20 order by id limit 1))))
  from page c
