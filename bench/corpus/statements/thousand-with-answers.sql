select json_build_object('contacts', json_build_object('nodes', coalesce(json_agg(
  json_build_object('id', 'Contact:' || c.id, 'lastName', c.surname,
    'answers', json_build_object('nodes', coalesce((
      select json_agg(json_build_object('text', a.data, 'form', json_build_object('id', 'Form:' || a.form_id)) order by a.id)
        from (select a.*, f.label, f.kind from answers a
                join forms f on f.group_id = $1 and f.id = a.form_id and f.deleted_at is null and f.kind <> 'custom_fields'
               where a.group_id = $1 and a.contact_id = c.id order by a.id limit 20) a), '[]'))) order by c.id), '[]')))
  from (select * from contacts where group_id = $1 and deleted_at is null order by id limit 1000) c
