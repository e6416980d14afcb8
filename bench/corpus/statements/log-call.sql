-- The interaction, the mark on its contact and the line of the audit log. The statement sees the interactions as they were before it.
with living as (
  select c.id from contacts c where c.group_id = $1 and c.deleted_at is null and c.id = $2 for no key update),
made as (
  insert into interactions (group_id, contact_id, user_id, type, title) select $1, id, $3, 'call', 'A call' from living returning *),
marked as (
  update contacts c set lastchange = now(), updated_at = now(), version = c.version + 1, user_id = $3
    from living l where c.group_id = $1 and c.id = l.id),
audited as (
  insert into audit_log (group_id, user_id, operation, type, record_id, fields)
  select $1, $3, 'createInteraction', 'Interaction', id, '{contactId,title,type}' from made)
select json_build_object('createInteraction', json_build_object('interaction', json_build_object(
  'id', 'Interaction:' || i.id, 'type', i.type, 'title', i.title, 'createdAt', replace((i.created_at at time zone 'UTC')::text, ' ', 'T') || 'Z',
  'author', (select json_build_object('id', 'User:' || id, 'firstName', firstname) from users where id = i.user_id),
  'contact', json_build_object('id', 'Contact:' || i.contact_id,
    'interactions', json_build_object(
      'totalCount', 1 + (select count(*) from interactions where group_id = $1 and contact_id = i.contact_id and deleted_at is null),
      'nodes', (
        select json_agg(json_build_object('id', 'Interaction:' || id, 'title', title) order by id)
          from ((select id, title from interactions where group_id = $1 and contact_id = i.contact_id and deleted_at is null order by id limit 3)
                union all select id, title from made order by id limit 3) first_ones))))))
  from made i
