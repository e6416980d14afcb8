-- The rows that sum up e-mails are of living contacts alone, as search rows are: what is asked of e-mails only can then be counted
-- without a look at who lives. Who deletes or restores a contact calls `refresh_emails` as well.

-- And they tell how many of the e-mails are of campaigns: who has more of them than e-mails of some few campaigns has one of the many others.
alter table contact_emails add column mailings integer not null default 0;

create or replace function email_rows(space bigint, contacts bigint[]) returns setof contact_emails language sql stable as $$
  select space, r.contact_id,
    (1 | bit_or(((delivered_at is not null)::int << 1) | ((opened_at is not null)::int << 2) | ((clicked_at is not null)::int << 3) | ((bounced_at is not null)::int << 4)
      | ((unsubscribed_at is not null)::int << 5) | ((blacklisted_at is not null)::int << 6) | ((abuse_report_at is not null)::int << 7)))::smallint,
    bit_or(((delivered_at is null)::int << 1) | ((opened_at is null)::int << 2) | ((clicked_at is null)::int << 3) | ((bounced_at is null)::int << 4)
      | ((unsubscribed_at is null)::int << 5) | ((blacklisted_at is null)::int << 6) | ((abuse_report_at is null)::int << 7))::smallint,
    max(r.created_at), coalesce(max(opened_at), '-infinity'), coalesce(max(clicked_at), '-infinity'),
    count(campaign_id)::int
  from emails r where r.group_id = space and r.contact_id = any(contacts) and r.deleted_at is null
   and exists (select from contacts c where c.group_id = space and c.id = r.contact_id and c.deleted_at is null)
  group by r.contact_id
$$;

do $do$
declare
  names text;
  fresh text;
begin
  select string_agg(quote_ident(attname), ', ' order by attnum), string_agg('excluded.' || quote_ident(attname), ', ' order by attnum) into names, fresh
    from pg_attribute where attrelid = 'contact_emails'::regclass and attnum > 0;
  execute format($f$
    create or replace function refresh_emails(space bigint, contacts bigint[]) returns void language sql volatile as $$
      select count(*) from (select from contacts c where c.group_id = space and c.id = any(contacts) order by c.id for no key update) locked;
      delete from contact_emails s where s.group_id = space and s.contact_id = any(contacts)
         and not exists (select from emails r join contacts c on c.group_id = r.group_id and c.id = r.contact_id and c.deleted_at is null
                          where r.group_id = s.group_id and r.contact_id = s.contact_id and r.deleted_at is null);
      insert into contact_emails as s select * from email_rows(space, contacts)
        on conflict (group_id, contact_id) do update set (%1$s) = row(%2$s) where (s.*) is distinct from (excluded.*);
    $$ $f$, names, fresh);
end $do$;

update contact_emails e set mailings = r.mailings
  from (select group_id, contact_id, count(campaign_id)::int as mailings from emails where deleted_at is null group by group_id, contact_id) r
 where r.group_id = e.group_id and r.contact_id = e.contact_id;
delete from contact_emails e using contacts c where c.group_id = e.group_id and c.id = e.contact_id and c.deleted_at is not null;

-- Few e-mails have links that were clicked; what those are is read one by one.
create index emails_links on emails (group_id, contact_id) where deleted_at is null and cardinality(coalesce(clicked_urls, '{}')) > 0;
