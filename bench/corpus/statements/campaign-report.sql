select json_build_object(
  'campaigns', json_build_object('nodes', coalesce((
    select json_agg(json_build_object('id', 'Campaign:' || p.id, 'name', p.name, 'subject', p.subject,
      'sentAt', replace((p.sent_at at time zone 'UTC')::text, ' ', 'T') || 'Z',
             'template', case when t.id is not null then json_build_object('id', 'Template:' || t.id, 'name', t.name) end) order by p.id)
      from (select * from campaigns where group_id = $1 and deleted_at is null order by id limit 10) p
      left join templates t on t.group_id = $1 and t.id = p.template_id), '[]')),
  'emails', json_build_object('nodes', coalesce((
    select json_agg(json_build_object('id', 'Email:' || e.id, 'deliveredAt', replace((e.delivered_at at time zone 'UTC')::text, ' ', 'T') || 'Z',
      'openedAt', replace((e.opened_at at time zone 'UTC')::text, ' ', 'T') || 'Z',
             'clickedAt', replace((e.clicked_at at time zone 'UTC')::text, ' ', 'T') || 'Z', 'clickedUrls', coalesce(e.clicked_urls, '{}'),
             'contact', json_build_object('id', 'Contact:' || e.contact_id, 'firstName', e.firstname, 'lastName', e.surname),
             'campaign', case when p.id is not null then json_build_object('id', 'Campaign:' || p.id, 'name', p.name) end,
             'sentBy', case when u.id is not null then json_build_object('id', 'User:' || u.id, 'firstName', u.firstname) end) order by e.id)
      from (select e.*, c.firstname, c.surname from emails e join contacts c on c.group_id = $1 and c.id = e.contact_id and c.deleted_at is null
             where e.group_id = $1 and e.deleted_at is null order by e.id limit 20) e
      left join campaigns p on p.group_id = $1 and p.id = e.campaign_id
      left join members m on m.group_id = $1 and m.user_id = e.user_id
      left join users u on u.id = m.user_id and u.deleted_at is null), '[]')))
