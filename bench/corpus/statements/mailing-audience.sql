with page as (select *, row_number() over (order by id) as place from contacts where group_id = $1 and deleted_at is null order by id limit 1001)
select json_build_object('contacts', json_build_object(
  'nodes', coalesce(json_agg(json_build_object('id', 'Contact:' || c.id, 'email', c.mail, 'firstName', c.firstname, 'lastName', c.surname,
    'gender', c.gender, 'optedOut', c.black_list,
    'tags', coalesce((
      select json_agg(json_build_object('name', t.name) order by t.id)
        from contact_tags l join tags t on t.group_id = $1 and t.id = l.tag_id where l.group_id = $1 and l.contact_id = c.id), '[]')) order by c.id) filter (where place <= 1000), '[]'),
  'pageInfo', json_build_object(
    'endCursor', translate(encode(convert_to('["contacts",' || max(c.id) filter (where place <= 1000) || ']', 'UTF8'), 'base64'), E'+/=\n', '-_'),
    'hasNextPage', count(*) > 1000)))
  from page c
