-- Amounts in search rows are of euros alone: sums, the least and the greatest. Rows of contacts with records in other currencies follow; `search_rows` in functions.sql derives all others.
-- The least above the greatest says that there are records, and none in euros.
update contact_search s set transactions_sum = r.sum, transactions_min = r.least, transactions_max = r.most
  from (
    select t.group_id, t.contact_id, coalesce(sum(t.amount) filter (where t.currency = 'EUR'), 0)::bigint as sum,
           coalesce(min(t.amount) filter (where t.currency = 'EUR'), 9223372036854775807) as least,
           coalesce(max(t.amount) filter (where t.currency = 'EUR'), -9223372036854775807) as most
      from transactions t where t.deleted_at is null
     group by t.group_id, t.contact_id having bool_or(t.currency <> 'EUR')) r
 where s.group_id = r.group_id and s.contact_id = r.contact_id;
update contact_search s set donations_sum = r.sum, donations_min = r.least, donations_max = r.most
  from (
    select d.group_id, d.contact_id, coalesce(sum(d.amount) filter (where d.currency = 'EUR'), 0)::bigint as sum,
           coalesce(min(d.amount) filter (where d.currency = 'EUR'), 9223372036854775807) as least,
           coalesce(max(d.amount) filter (where d.currency = 'EUR'), -9223372036854775807) as most
      from donations d where d.deleted_at is null
     group by d.group_id, d.contact_id having bool_or(d.currency <> 'EUR')) r
 where s.group_id = r.group_id and s.contact_id = r.contact_id;
