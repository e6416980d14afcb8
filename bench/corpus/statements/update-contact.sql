-- Searches do not read the nationality: the columns of contact_search stay.
with changed as (
  update contacts c set nationality = 'FR', lastchange = now(), updated_at = now(), version = c.version + 1, user_id = $3
   where c.group_id = $1 and c.deleted_at is null and c.id = $2 and c.nationality is distinct from 'FR' returning *),
audited as (
  insert into audit_log (group_id, user_id, operation, type, record_id, fields)
  select $1, $3, 'updateContact', 'Contact', id, '{nationality}' from changed),
found as (
  select * from changed
  union all select c.* from contacts c where c.group_id = $1 and c.deleted_at is null and c.id = $2 and not exists (select from changed))
select json_build_object('updateContact', json_build_object('contact', json_build_object(
  'id', 'Contact:' || c.id, 'version', c.version, 'nationality', c.nationality,
    'lastChangedAt', replace((c.lastchange at time zone 'UTC')::text, ' ', 'T') || 'Z',
  'lastChangedBy', (select json_build_object('id', 'User:' || id, 'firstName', firstname) from users where id = c.user_id),
  'address', (select json_build_object('city', city) from addresses where group_id = $1 and contact_id = c.id),
  'tags', coalesce((
      select json_agg(json_build_object('id', 'Tag:' || t.id, 'name', t.name) order by t.id)
        from contact_tags l join tags t on t.group_id = $1 and t.id = l.tag_id where l.group_id = $1 and l.contact_id = c.id), '[]'),
  'notes', json_build_object(
    'totalCount', (select count(*) from notes where group_id = $1 and contact_id = c.id and deleted_at is null),
    'nodes', coalesce((
      select json_agg(json_build_object('id', 'Note:' || n.id, 'content', n.content) order by n.id)
        from (select * from notes where group_id = $1 and contact_id = c.id and deleted_at is null order by id limit 5) n), '[]')))))
  from found c
