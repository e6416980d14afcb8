-- The note, the mark on its contact and the line of the audit log. The statement sees the notes as they were before it.
with living as (
  select c.id from contacts c where c.group_id = $1 and c.deleted_at is null and c.id = $2 for no key update),
made as (
  insert into notes (group_id, contact_id, user_id, content, pinned) select $1, id, $3, 'Called back', false from living returning *),
marked as (
  update contacts c set lastchange = now(), updated_at = now(), version = c.version + 1, user_id = $3
    from living l where c.group_id = $1 and c.id = l.id returning c.id, c.version),
audited as (
  insert into audit_log (group_id, user_id, operation, type, record_id, fields)
  select $1, $3, 'createNote', 'Note', id, '{contactId,content,pinned}' from made)
select json_build_object('createNote', json_build_object('note', json_build_object(
  'id', 'Note:' || n.id, 'content', n.content, 'pinned', n.pinned, 'createdAt', replace((n.created_at at time zone 'UTC')::text, ' ', 'T') || 'Z',
  'author', (select json_build_object('id', 'User:' || id, 'firstName', firstname) from users where id = n.user_id),
  'contact', json_build_object('id', 'Contact:' || c.id, 'version', c.version,
    'notes', json_build_object(
      'totalCount', 1 + (select count(*) from notes where group_id = $1 and contact_id = c.id and deleted_at is null),
      'nodes', (
        select json_agg(json_build_object('id', 'Note:' || id, 'content', content) order by id)
          from ((select id, content from notes where group_id = $1 and contact_id = c.id and deleted_at is null order by id limit 5)
                union all select id, content from made order by id limit 5) first_ones))))))
  from made n join marked c on c.id = n.contact_id
