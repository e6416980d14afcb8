-- What conditions on e-mails ask for most: the row of a contact's e-mails has their number, their types and authors, and the first time beside the last.
alter table contact_emails
  -- Whether an e-mail lacks a type or an author, has followed links, or lacks them. Flags have statistics, which bits lack.
  add column lacks_type boolean not null default false,
  add column lacks_user boolean not null default false,
  add column has_links boolean not null default false,
  add column lacks_links boolean not null default false,
  add column emails integer not null default 0,
  add column created_min timestamptz not null default 'infinity',
  add column delivered_min timestamptz not null default 'infinity',
  add column delivered_max timestamptz not null default '-infinity',
  -- Folded, in order, without repetition.
  add column types text[] not null default '{}' collate "C",
  add column user_ids bigint[] not null default '{}';

-- E-mails that are written meanwhile would be missing.
lock table emails in share row exclusive mode;
select set_config('work_mem', '256MB', true);
update contact_emails e set (lacks_type, lacks_user, has_links, lacks_links, emails, created_min, delivered_min, delivered_max, types, user_ids)
     = (r.lacks_type or t.has_blank, r.lacks_user, r.has_links, r.lacks_links, r.emails, r.created_min, r.delivered_min, r.delivered_max, t.types, r.user_ids)
  from (
    select m.group_id, m.contact_id,
           bool_or(m.type is null) as lacks_type,
           bool_or(m.user_id is null) as lacks_user,
           bool_or(coalesce(cardinality(m.clicked_urls), 0) > 0) as has_links,
           bool_or(coalesce(cardinality(m.clicked_urls), 0) = 0) as lacks_links,
           count(*)::int as emails,
           min(m.created_at) as created_min,
           coalesce(min(m.delivered_at), 'infinity') as delivered_min,
           coalesce(max(m.delivered_at), '-infinity') as delivered_max,
           coalesce(array_agg(distinct m.type collate "C") filter (where m.type is not null), '{}') as types,
           coalesce(array_agg(distinct m.user_id) filter (where m.user_id is not null), '{}') as user_ids
      from emails m where m.deleted_at is null
     group by m.group_id, m.contact_id) r
 cross join lateral (
   select coalesce(array_agg(distinct f.type) filter (where f.type <> ''), '{}') as types, coalesce(bool_or(f.type = ''), false) as has_blank
     from (select fold(n.type) collate "C" as type from unnest(r.types) n (type)) f) t
 where e.group_id = r.group_id and e.contact_id = r.contact_id;
analyze contact_emails;
