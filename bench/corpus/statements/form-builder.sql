select json_build_object('forms', json_build_object('nodes', coalesce(json_agg(
  json_build_object('id', 'Form:' || f.id, 'label', f.label, 'kind', upper(f.kind), 'type', upper(f.type),
    'options', coalesce((
      select json_agg(json_build_object('id', 'FormOption:' || o.id, 'label', o.label, 'value', o.value) order by o.position, o.id)
        from form_refs o where o.group_id = $1 and o.form_id = f.id), '[]')) order by f.id), '[]')))
  from (select * from forms where group_id = $1 and deleted_at is null order by id limit 50) f
