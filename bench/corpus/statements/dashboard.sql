-- The caller is a superadmin, who may do everything. The conditions of the three segments of the demo data are written out.
with sympathisers as (
  select count(*) from contact_search s
   where s.group_id = $1 and s.tag_ids && array(select id from tags where group_id = $1 and fold(name) in (fold('Sympathisant'), fold('Bénévole')))
     and s.filled & 1 <> 0 and not s.black_list),
donors as materialized (
  select d.contact_id from donations d join contacts c on c.group_id = $1 and c.id = d.contact_id and c.deleted_at is null
   where d.group_id = $1 and d.deleted_at is null and d.transaction_date >= now() - interval '1 year' group by d.contact_id)
select json_build_object(
  'viewer', json_build_object(
    'space', (select json_build_object('id', 'Space:' || id, 'name', name) from spaces where id = $1 and deleted_at is null),
    'user', (select json_build_object('id', 'User:' || id, 'firstName', firstname) from users where id = $2 and deleted_at is null),
    'permissions', cast('["self.read", "self.write", "changes.read", "contacts.read", "notes.write", "contacts.write", "contacts.export", "tags.write",
      "segments.write", "money.read", "money.write", "sanctions.read", "sanctions.write", "emails.read", "campaigns.read", "campaigns.write",
      "people.read", "teams.write", "invitations.read", "members.write", "apps", "audit.read", "webhooks", "suppressions", "person.erase", "settings.write",
      "imports.read", "imports.write"]' as json)),
  'newest', json_build_object('nodes', (
    select json_agg(json_build_object('id', 'Contact:' || id, 'firstName', firstname, 'lastName', surname,
             'lastChangedAt', replace((lastchange at time zone 'UTC')::text, ' ', 'T') || 'Z') order by lastchange desc, id)
      from (select * from contacts where group_id = $1 and deleted_at is null order by lastchange desc, id limit 5) c)),
  'notes', json_build_object('nodes', coalesce((
    select json_agg(json_build_object('id', 'Note:' || n.id, 'content', n.content,
      'createdAt', replace((n.created_at at time zone 'UTC')::text, ' ', 'T') || 'Z',
             'contact', json_build_object('id', 'Contact:' || n.contact_id, 'firstName', n.firstname, 'lastName', n.surname),
             'author', (
          select json_build_object('id', 'User:' || u.id, 'firstName', u.firstname)
            from members m join users u on u.id = m.user_id and u.deleted_at is null where m.group_id = $1 and m.user_id = n.user_id)) order by n.created_at desc, n.id desc)
      from (select n.*, c.firstname, c.surname from notes n join contacts c on c.group_id = $1 and c.id = n.contact_id and c.deleted_at is null
             where n.group_id = $1 and n.deleted_at is null order by n.created_at desc, n.id desc limit 5) n), '[]')),
  'donations', json_build_object(
    'totalCount', (select count(*) from donations d join contacts c on c.group_id = $1 and c.id = d.contact_id and c.deleted_at is null
                    where d.group_id = $1 and d.deleted_at is null),
    'nodes', coalesce((
      select json_agg(json_build_object('id', 'Donation:' || d.id, 'amount', json_build_object('amount', d.amount, 'currency', d.currency),
               'contact', json_build_object('id', 'Contact:' || d.contact_id, 'firstName', d.firstname, 'lastName', d.surname))
               order by d.created_at desc, d.id desc)
        from (select d.*, c.firstname, c.surname from donations d join contacts c on c.group_id = $1 and c.id = d.contact_id and c.deleted_at is null
               where d.group_id = $1 and d.deleted_at is null order by d.created_at desc, d.id desc limit 5) d), '[]')),
  'segments', json_build_object('nodes', (
    select json_agg(json_build_object('id', 'Segment:' || s.id, 'name', s.name, 'contactCount', case s.id
             when 1 then (select count from sympathisers)
             when 2 then (select count(*) from donors)
             else (select count(*) from donors d where not exists (
                     select from memberships m where m.group_id = $1 and m.contact_id = d.contact_id and m.deleted_at is null and m.end_date >= current_date))
             end) order by s.id)
      from segments s where s.group_id = $1)))
