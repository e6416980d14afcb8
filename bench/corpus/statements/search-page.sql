-- Contacts without a name come last. Most contacts match, so the page is read in the order of the index.
with found as (
  (select s.contact_id, s.surname as key, 0 as part from contact_search s where s.group_id = $1 and s.surname > ''
      and (select fold_inline(a.country) collate "C" = (select fold($2)) from addresses a where a.group_id = $1 and a.contact_id = s.contact_id)
    order by s.surname, s.contact_id limit 26)
  union all
  (select s.contact_id, null, 1 from contact_search s where s.group_id = $1 and s.surname = ''
      and (select fold_inline(a.country) collate "C" = (select fold($2)) from addresses a where a.group_id = $1 and a.contact_id = s.contact_id)
    order by s.contact_id limit 26)
  limit 26),
page as (
  select c.*, row_number() over (order by f.part, f.key, c.id) as place,
         translate(encode(convert_to('["search surname asc",' || f.part || ',' || coalesce(to_json(f.key)::text, 'null') || ',' || c.id || ']', 'UTF8'), 'base64'), E'+/=\n', '-_') as cursor
    from found f join contacts c on c.group_id = $1 and c.id = f.contact_id)
select json_build_object('searchContacts', json_build_object(
  'totalCount', (select count(*) from contact_search s where s.group_id = $1
                    and exists (select from addresses a where a.group_id = $1 and a.contact_id = s.contact_id and fold_inline(a.country) collate "C" = (select fold($2)))),
  'edges', coalesce(json_agg(json_build_object('cursor', c.cursor,
    'node', json_build_object('id', 'Contact:' || c.id, 'databaseId', c.id, 'firstName', c.firstname, 'lastName', c.surname, 'email', c.mail,
      'mobile', c.mobile,
      'address', (select json_build_object('city', city) from addresses where group_id = $1 and contact_id = c.id),
      'tags', coalesce((
      select json_agg(json_build_object('id', 'Tag:' || t.id, 'name', t.name) order by t.id)
        from contact_tags l join tags t on t.group_id = $1 and t.id = l.tag_id where l.group_id = $1 and l.contact_id = c.id), '[]'))) order by place) filter (where place <= 25), '[]'),
  'pageInfo', json_build_object('hasNextPage', count(*) > 25, 'endCursor', (select cursor from page where place <= 25 order by place desc limit 1))))
  from page c
