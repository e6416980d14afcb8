-- As text: for a thousand contacts json_build_object takes twice as long.
select format('{"contacts":{"nodes":[%s]}}',
         string_agg(format('{"id":"Contact:%s","lastName":%s,"answers":{"nodes":[%s]}}', c.id, coalesce(to_json(c.surname), 'null'), (
           select string_agg(format('{"text":%s,"form":{"id":"Form:%s"}}', coalesce(to_json(a.data), 'null'), a.form_id), ',' order by a.id)
             from (select a.* from answers a
                     join forms f on f.group_id = $1 and f.id = a.form_id and f.deleted_at is null and f.kind <> 'custom_fields'
                    where a.group_id = $1 and a.contact_id = c.id order by a.id limit 20) a)), ',' order by c.id))
  from (select * from contacts where group_id = $1 and deleted_at is null order by id limit 1000) c
