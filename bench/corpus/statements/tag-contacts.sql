-- The tag, where it is missing, its links, and the marks on contacts that did not have it, with a line of the audit log each.
with living as (
  select c.id from contacts c where c.group_id = $1 and c.deleted_at is null and c.id in ($2, $3) order by c.id for no key update),
made as (
  insert into tags (group_id, name) select $1, 'called' where not exists (select from tags where group_id = $1 and name = 'called')
  on conflict (group_id, name) do nothing returning id, name, color),
called as (
  select id, name, color from made union all select id, name, color from tags where group_id = $1 and name = 'called'),
linked as (
  insert into contact_tags (group_id, contact_id, tag_id) select $1, l.id, t.id from living l cross join called t
  on conflict do nothing returning contact_id),
touched as (
  select count(*) from touch_contacts($1, array(select contact_id from linked), $4)),
audited as (
  insert into audit_log (group_id, user_id, operation, type, record_id, fields)
  select $1, $4, 'tagContacts', 'Contact', contact_id, '{contactIds,tags}' from linked)
select json_build_object('tagContacts', json_build_object(
  'count', count(*),
  'contacts', coalesce(json_agg(json_build_object('id', 'Contact:' || c.id,
    'tags', (
      select json_agg(json_build_object('id', 'Tag:' || t.id, 'name', t.name, 'color', t.color) order by t.id)
        from (select t.id, t.name, t.color from contact_tags l join tags t on t.group_id = $1 and t.id = l.tag_id
               where l.group_id = $1 and l.contact_id = c.id
              union select id, name, color from called) t)) order by c.id), '[]')))
  from linked l join living c on c.id = l.contact_id cross join touched
