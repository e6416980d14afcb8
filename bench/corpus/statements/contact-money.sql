select json_build_object('contact', (
  select json_build_object('id', 'Contact:' || c.id,
    'transactions', json_build_object('nodes', coalesce((
      select json_agg(json_build_object('id', 'Transaction:' || r.id, 'date', replace((r.date at time zone 'UTC')::text, ' ', 'T') || 'Z',
        'amount', json_build_object('amount', r.amount, 'currency', r.currency),
          'status', case when s.id is not null then json_build_object('id', 'TransactionStatus:' || s.id, 'name', s.name, 'color', s.color) end,
          'donations', json_build_object('nodes', coalesce((
            select json_agg(json_build_object('id', 'Donation:' || d.id, 'amount', json_build_object('amount', d.amount)) order by d.id)
              from (select d.* from donations d join contacts o on o.group_id = $1 and o.id = d.contact_id and o.deleted_at is null
                     where d.group_id = $1 and d.transaction_id = r.id and d.deleted_at is null order by d.id limit 20) d), '[]')),
          'memberships', json_build_object('nodes', coalesce((
            select json_agg(json_build_object('id', 'Membership:' || d.id, 'startDate', d.start_date) order by d.id)
              from (select d.* from memberships d join contacts o on o.group_id = $1 and o.id = d.contact_id and o.deleted_at is null
                     where d.group_id = $1 and d.transaction_id = r.id and d.deleted_at is null order by d.id limit 20) d), '[]'))) order by r.id)
        from (select * from transactions where group_id = $1 and contact_id = c.id and deleted_at is null order by id limit 20) r
        left join transaction_statuses s on s.group_id = $1 and s.id = r.status_id), '[]')))
    from contacts c where c.group_id = $1 and c.deleted_at is null and c.id = $2))
