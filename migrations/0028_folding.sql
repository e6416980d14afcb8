-- One folding for all that is compared, phones in one normal form, and the countries of spaces.

-- An operator may have installed unaccent in a schema outside the search path.
select set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), quote_ident(n.nspname)), true)
  from pg_extension e
  join pg_namespace n on n.oid = e.extnamespace
 where e.extname = 'unaccent';

-- Folded text has no case and no accents: marks of Latin, Greek and Cyrillic letters. Letters that Unicode can write in two ways are one letter, and a final
-- sigma is a sigma. Invisible marks are nothing. Spaces of any kind are one blank, and none at the edges.
-- Most texts take one of the first two ways, which cost a fraction: ASCII, and Latin letters that are written as one. The third is for their longer texts.
-- It is not strict, since PostgreSQL would not inline it then.
create or replace function fold_inline(text) returns text
language sql stable parallel safe
return case
  when $1 !~ '[^ -~]|  |^ | $' then lower($1 collate "C")
  when $1 !~ '[^ -~\u00c0-\u017f]|  |^ | $' then lower(unaccent('unaccent'::regdictionary, $1))
  when $1 !~ '[^\t-\r -~\u00a0-\u017f\u2000-\u206f\u20ac]' then
    btrim(regexp_replace(
      lower(unaccent('unaccent'::regdictionary, regexp_replace($1, '[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f]+', '', 'g'))),
      ' *[\t-\r\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f][\t-\r \u00a0\u2000-\u200a\u2028\u2029\u202f\u205f]*|  +', ' ', 'g'))
  else
    normalize(btrim(regexp_replace(
      replace(lower(unaccent('unaccent'::regdictionary, regexp_replace(
        normalize($1, NFD), '[\u0300-\u036f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+', '', 'g'))), 'ς', 'σ'),
      '[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g')), NFC)
  end;

-- The names of segments are compared by their folding: of two that are one name now, the younger one gets its id.
drop index segments_name;
update segments s set name = left(s.name, 230) || ' (' || s.id || ')'
 where exists (select 1 from segments o where o.group_id = s.group_id and o.id < s.id and fold(o.name) = fold(s.name));
create unique index segments_name on segments (group_id, fold(name));

-- Two tags that were there before may have one folded name: the oldest of them is found.
create index tags_folded on tags (group_id, fold(name), id);

-- ISO 3166: what phones without a calling code are read by, where a contact has no country. And how far the search rows of the space are derived again,
-- by the ids of contacts; null when they are.
alter table spaces
  add column default_country text check (default_country ~ '^[A-Z]{2}$'),
  add column rederived_to bigint;
update spaces set rederived_to = -1;

-- The digits by which a number is called within its country. `mobile` and `phone` have those with the calling code, where it is known.
alter table contact_search
  add column mobile_national text not null default '' collate "C",
  add column phone_national text not null default '' collate "C";
drop index contact_search_mobile_end, contact_search_phone_end;
do $$
declare
  one record;
begin
  for one in select stxname from pg_statistic_ext where stxname ~ '^contact_search_\d+_(mobile|phone)_end$' loop
    execute format('drop statistics %I', one.stxname);
  end loop;
end $$;
create index contact_search_mobile_national on contact_search (group_id, mobile_national) where mobile_national <> '';
create index contact_search_phone_national on contact_search (group_id, phone_national) where phone_national <> '';
