select json_build_object('donations', json_build_object(
  'totalCount', (select count(*) from donations d join contacts c on c.group_id = $1 and c.id = d.contact_id and c.deleted_at is null
                  where d.group_id = $1 and d.deleted_at is null),
  'nodes', coalesce(json_agg(json_build_object('id', 'Donation:' || d.id, 'databaseId', d.id,
    'transactionDate', replace((d.transaction_date at time zone 'UTC')::text, ' ', 'T') || 'Z',
    'amount', json_build_object('amount', d.amount, 'currency', d.currency),
    'donationPrice', case when p.id is not null then json_build_object('id', 'DonationPrice:' || p.id, 'name', p.name) end,
    'contact', json_build_object('id', 'Contact:' || d.contact_id, 'firstName', d.firstname, 'lastName', d.surname, 'email', d.mail),
    'transaction', case when r.id is not null then json_build_object('id', 'Transaction:' || r.id,
      'status', case when s.id is not null then json_build_object('id', 'TransactionStatus:' || s.id, 'name', s.name) end) end)
    order by d.transaction_date desc, d.id desc), '[]')))
  from (select d.*, c.firstname, c.surname, c.mail from donations d join contacts c on c.group_id = $1 and c.id = d.contact_id and c.deleted_at is null
         where d.group_id = $1 and d.deleted_at is null order by d.transaction_date desc, d.id desc limit 50) d
  left join donation_prices p on p.group_id = $1 and p.id = d.donation_price_id
  left join transactions r on r.group_id = $1 and r.id = d.transaction_id
  left join transaction_statuses s on s.group_id = $1 and s.id = r.status_id
