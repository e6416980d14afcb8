select json_build_object(
  'viewer', json_build_object('space', (select json_build_object('id', 'Space:' || id,
    'name', name) from spaces where id = $1 and deleted_at is null)),
  'tags', json_build_object('nodes', coalesce((
    select json_agg(json_build_object('id', 'Tag:' || id, 'name', name, 'color', color) order by id)
      from (select * from tags where group_id = $1 order by id limit 100) r), '[]')),
  'donationPrices', json_build_object('nodes', coalesce((
    select json_agg(json_build_object('id', 'DonationPrice:' || id, 'name', name, 'amount', json_build_object('amount', amount,
      'currency', currency)) order by id)
      from (select * from donation_prices where group_id = $1 and deleted_at is null order by id limit 20) r), '[]')),
  'transactionStatuses', json_build_object('nodes', coalesce((
    select json_agg(json_build_object('id', 'TransactionStatus:' || id, 'name', name, 'color', color) order by id)
      from (select * from transaction_statuses where group_id = $1 and deleted_at is null order by id limit 20) r), '[]')),
  'templates', json_build_object('nodes', coalesce((
    select json_agg(json_build_object('id', 'Template:' || id, 'name', name) order by id)
      from (select * from templates where group_id = $1 and deleted_at is null order by id limit 20) r), '[]')),
  'invitations', json_build_object('nodes', coalesce((
    select json_agg(json_build_object('id', 'Invitation:' || i.id, 'email', i.email, 'role', json_build_object('id', 'Role:' || r.id, 'name', r.name),
             'teams', coalesce((
               select json_agg(json_build_object('id', 'Team:' || t.id, 'name', t.name) order by t.id)
                 from invitation_teams l join teams t on t.group_id = $1 and t.id = l.team_id and t.deleted_at is null
                where l.group_id = $1 and l.invitation_id = i.id), '[]')) order by i.id)
      from (select * from invitations where group_id = $1 and deleted_at is null order by id limit 20) i
      join roles r on r.group_id = $1 and r.id = i.role_id), '[]')))
