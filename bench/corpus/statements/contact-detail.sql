select json_build_object('contact', (
  select json_build_object('id', 'Contact:' || c.id, 'databaseId', c.id, 'version', c.version, 'firstName', c.firstname, 'lastName', c.surname,
    'marriedName', c.married_name, 'gender', c.gender, 'birthDate', c.birthdate, 'email', c.mail, 'phone', c.phone, 'phoneInvalid', c.phone_invalid,
    'mobile', c.mobile, 'mobileInvalid', c.mobile_invalid, 'optedOut', c.black_list, 'nationality', c.nationality,
    'address', (
      select json_build_object('street', street, 'houseNumber', house_number, 'postalCode', postal_code, 'city', city, 'country', country,
               'latitude', latitude, 'longitude', longitude)
        from addresses where group_id = $1 and contact_id = c.id),
    'tags', coalesce((
      select json_agg(json_build_object('id', 'Tag:' || t.id, 'name', t.name, 'color', t.color) order by t.id)
        from contact_tags l join tags t on t.group_id = $1 and t.id = l.tag_id where l.group_id = $1 and l.contact_id = c.id), '[]'),
    'actions', coalesce((
      select json_agg(json_build_object('id', 'Action:' || a.id, 'name', a.name,
        'startsAt', replace((a.starts_at at time zone 'UTC')::text, ' ', 'T') || 'Z') order by a.id)
        from contact_actions l join actions a on a.group_id = $1 and a.id = l.action_id and a.deleted_at is null
       where l.group_id = $1 and l.contact_id = c.id), '[]'),
    'customFields', coalesce((
      select json_agg(json_build_object('id', 'Answer:' || a.id, 'text', a.data,
               'form', json_build_object('id', 'Form:' || f.id, 'label', f.label)) order by a.id)
        from answers a join forms f on f.group_id = $1 and f.id = a.form_id and f.deleted_at is null and f.kind = 'custom_fields'
       where a.group_id = $1 and a.contact_id = c.id), '[]'),
    'answers', (
      select json_build_object('totalCount', count(*), 'nodes', coalesce(json_agg(answer order by id) filter (where place <= 20), '[]'))
        from (
          select a.id, row_number() over (order by a.id) as place,
                 json_build_object('id', 'Answer:' || a.id, 'text', a.data, 'answeredAt', replace((a.date at time zone 'UTC')::text, ' ', 'T') || 'Z',
                   'form', json_build_object('id', 'Form:' || f.id, 'label', f.label),
                   'option', json_build_object('id', 'FormOption:' || o.id, 'label', o.label, 'value', o.value)) as answer
            from answers a
            join forms f on f.group_id = $1 and f.id = a.form_id and f.deleted_at is null and f.kind <> 'custom_fields'
            join form_refs o on o.group_id = $1 and o.id = a.form_ref_id
           where a.group_id = $1 and a.contact_id = c.id) of_contact),
    'notes', json_build_object(
      'totalCount', (select count(*) from notes where group_id = $1 and contact_id = c.id and deleted_at is null),
      'nodes', coalesce((
        select json_agg(json_build_object('id', 'Note:' || n.id, 'content', n.content, 'pinned', n.pinned,
          'createdAt', replace((n.created_at at time zone 'UTC')::text, ' ', 'T') || 'Z', 'author', (
          select json_build_object('id', 'User:' || u.id, 'firstName', u.firstname, 'lastName', u.surname)
            from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 and m.user_id = n.user_id)) order by n.created_at desc, n.id desc)
          from (select * from notes where group_id = $1 and contact_id = c.id and deleted_at is null order by created_at desc, id desc limit 20) n), '[]')),
    'interactions', json_build_object(
      'totalCount', (select count(*) from interactions where group_id = $1 and contact_id = c.id and deleted_at is null),
      'nodes', coalesce((
        select json_agg(json_build_object('id', 'Interaction:' || i.id, 'type', i.type, 'title', i.title, 'comments', i.comments,
          'createdAt', replace((i.created_at at time zone 'UTC')::text, ' ', 'T') || 'Z', 'author', (
          select json_build_object('id', 'User:' || u.id, 'firstName', u.firstname, 'lastName', u.surname)
            from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 and m.user_id = i.user_id),
              'files', coalesce((
            select json_agg(json_build_object('id', 'File:' || f.id, 'name', f.name, 'url', f.url) order by f.id)
              from files f where f.group_id = $1 and f.interaction_id = i.id and f.deleted_at is null), '[]')) order by i.id)
          from (select * from interactions where group_id = $1 and contact_id = c.id and deleted_at is null order by id limit 10) i), '[]')),
    'donations', json_build_object(
      'totalCount', (select count(*) from donations where group_id = $1 and contact_id = c.id and deleted_at is null),
      'nodes', coalesce((
        select json_agg(json_build_object('id', 'Donation:' || d.id, 'amount', json_build_object('amount', d.amount, 'currency', d.currency),
          'transactionDate', replace((d.transaction_date at time zone 'UTC')::text, ' ', 'T') || 'Z',
          'donationPrice', case when p.id is not null then json_build_object('id', 'DonationPrice:' || p.id, 'name', p.name) end) order by d.id)
          from (select * from donations where group_id = $1 and contact_id = c.id and deleted_at is null order by id limit 10) d
          left join donation_prices p on p.group_id = $1 and p.id = d.donation_price_id), '[]')),
    'memberships', json_build_object('nodes', coalesce((
        select json_agg(json_build_object('id', 'Membership:' || s.id, 'startDate', s.start_date, 'endDate', s.end_date,
          'amount', json_build_object('amount', s.amount, 'currency', s.currency),
          'membershipPrice', case when p.id is not null then json_build_object('id', 'MembershipPrice:' || p.id, 'name', p.name) end) order by s.id)
          from (select * from memberships where group_id = $1 and contact_id = c.id and deleted_at is null order by id limit 5) s
          left join membership_prices p on p.group_id = $1 and p.id = s.membership_price_id), '[]')),
    'emails', json_build_object('nodes', coalesce((
        select json_agg(json_build_object('id', 'Email:' || e.id, 'deliveredAt', replace((e.delivered_at at time zone 'UTC')::text, ' ', 'T') || 'Z',
          'openedAt', replace((e.opened_at at time zone 'UTC')::text, ' ', 'T') || 'Z',
          'campaign', case when p.id is not null then json_build_object('id', 'Campaign:' || p.id, 'name', p.name) end) order by e.id)
          from (select * from emails where group_id = $1 and contact_id = c.id and deleted_at is null order by id limit 10) e
          left join campaigns p on p.group_id = $1 and p.id = e.campaign_id), '[]')),
    'sanctions', json_build_object('nodes', coalesce((
        select json_agg(json_build_object('id', 'Sanction:' || s.id, 'status', s.status,
          'startDate', replace((s.start_date at time zone 'UTC')::text, ' ', 'T') || 'Z',
          'endDate', replace((s.end_date at time zone 'UTC')::text, ' ', 'T') || 'Z') order by s.id)
          from (select * from sanctions where group_id = $1 and contact_id = c.id and deleted_at is null order by id limit 20) s), '[]')),
    'lastChangedAt', replace((c.lastchange at time zone 'UTC')::text, ' ', 'T') || 'Z',
    'lastChangedBy', (
          select json_build_object('id', 'User:' || u.id, 'firstName', u.firstname, 'lastName', u.surname)
            from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 and m.user_id = c.user_id))
    from contacts c where c.group_id = $1 and c.deleted_at is null and c.id = $2))
