select json_build_object('memberships', json_build_object('nodes', coalesce(json_agg(
  json_build_object('id', 'Membership:' || s.id, 'startDate', s.start_date, 'endDate', s.end_date, 'amount', json_build_object('amount', s.amount,
    'currency', s.currency),
    'membershipPrice', case when p.id is not null then json_build_object('id', 'MembershipPrice:' || p.id, 'name', p.name) end,
    'contact', json_build_object('id', 'Contact:' || s.contact_id, 'firstName', s.firstname, 'lastName', s.surname)) order by s.id), '[]')))
  from (select s.*, c.firstname, c.surname from memberships s join contacts c on c.group_id = $1 and c.id = s.contact_id and c.deleted_at is null
         where s.group_id = $1 and s.deleted_at is null order by s.id limit 50) s
  left join membership_prices p on p.group_id = $1 and p.id = s.membership_price_id
