-- The conditions of the three segments of the demo data are written out.
with sympathisers as materialized (
  select s.contact_id from contact_search s
   where s.group_id = $1 and s.tag_ids && array(select id from tags where group_id = $1 and fold(name) in (fold('Sympathisant'), fold('Bénévole')))
     and s.filled & 1 <> 0 and not s.black_list),
donors as materialized (
  select d.contact_id from donations d join contacts c on c.group_id = $1 and c.id = d.contact_id and c.deleted_at is null
   where d.group_id = $1 and d.deleted_at is null and d.transaction_date >= now() - interval '1 year' group by d.contact_id),
found (segment, count, ids) as (
  select 1, count(*), array(select contact_id from sympathisers order by contact_id limit 5) from sympathisers
  union all select 2, count(*), array(select contact_id from donors order by contact_id limit 5) from donors
  union all select 3, count(*), (array_agg(contact_id order by contact_id))[:5] from donors d where not exists (
    select from memberships m where m.group_id = $1 and m.contact_id = d.contact_id and m.deleted_at is null and m.end_date >= current_date))
select json_build_object('segments', json_build_object('nodes', json_agg(
  json_build_object('id', 'Segment:' || s.id, 'name', s.name, 'contactCount', f.count,
    'author', (
          select json_build_object('id', 'User:' || u.id, 'firstName', u.firstname)
            from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 and m.user_id = s.author_id),
    'contacts', json_build_object('totalCount', f.count, 'nodes', coalesce((
      select json_agg(json_build_object('id', 'Contact:' || c.id, 'databaseId', c.id, 'firstName', c.firstname, 'lastName', c.surname,
        'email', c.mail, 'mobile', c.mobile) order by c.id)
        from contacts c where c.group_id = $1 and c.id = any(f.ids)), '[]'))) order by s.id)))
  from segments s join found f on f.segment = s.id where s.group_id = $1
