select json_build_object('contacts', json_build_object('nodes', coalesce(json_agg(
  json_build_object('id', 'Contact:' || c.id, 'lastName', c.surname,
    'answers', json_build_object('nodes', coalesce((
      select json_agg(json_build_object('id', 'Answer:' || a.id, 'text', a.data, 'form', json_build_object('id', 'Form:' || a.form_id,
        'label', a.label, 'kind', upper(a.kind)), 'option', json_build_object('id', 'FormOption:' || o.id, 'label', o.label)) order by a.id)
        from (select a.*, f.label, f.kind from answers a
                join forms f on f.group_id = $1 and f.id = a.form_id and f.deleted_at is null and f.kind <> 'custom_fields'
               where a.group_id = $1 and a.contact_id = c.id order by a.id limit 20) a
        join form_refs o on o.group_id = $1 and o.id = a.form_ref_id), '[]'))) order by c.id), '[]')))
  from (select * from contacts where group_id = $1 and deleted_at is null order by id limit 50) c
