-- How many records have a text, so that a search need not guess. Each space has texts of its own, so they are counted by space.
create statistics transactions_code_campaign_folded (mcv) on group_id, (fold_inline(code_campaign) collate "C") from transactions;
create statistics transactions_payment_method_kind_folded (mcv) on group_id, (fold_inline(payment_method_kind) collate "C") from transactions;
create statistics emails_type_folded (mcv) on group_id, (fold_inline(type) collate "C") from emails;
create statistics sanctions_status_folded (mcv) on group_id, (fold_inline(status) collate "C") from sanctions;
create statistics notes_content_folded (mcv) on group_id, (fold_inline(content) collate "C") from notes;
create statistics interactions_type_folded (mcv) on group_id, (fold_inline(type) collate "C") from interactions;
create statistics interactions_sub_type_folded (mcv) on group_id, (fold_inline(sub_type) collate "C") from interactions;
create statistics interactions_title_folded (mcv) on group_id, (fold_inline(title) collate "C") from interactions;
create statistics interactions_comments_folded (mcv) on group_id, (fold_inline(comments) collate "C") from interactions;
-- The same for texts whose index leaves out most rows, which gives no statistics.
create statistics contacts_birth_city_folded (mcv) on group_id, (fold(birth_city) collate "C") from contacts;
create statistics contacts_birth_country_folded (mcv) on group_id, (fold(birth_country) collate "C") from contacts;
create statistics contacts_birth_dept_folded (mcv) on group_id, (fold(birth_dept) collate "C") from contacts;
create statistics contacts_external_id_folded (mcv) on group_id, (fold(external_id) collate "C") from contacts;
create statistics addresses_addition_folded (mcv) on group_id, (fold(addition) collate "C") from addresses;
create statistics addresses_building_folded (mcv) on group_id, (fold(building) collate "C") from addresses;
create statistics addresses_door_folded (mcv) on group_id, (fold(door) collate "C") from addresses;
create statistics addresses_floor_folded (mcv) on group_id, (fold(floor) collate "C") from addresses;
create statistics addresses_infos_folded (mcv) on group_id, (fold(infos) collate "C") from addresses;
create statistics addresses_invalid_folded (mcv) on group_id, (fold(invalid) collate "C") from addresses;
create statistics addresses_location_folded (mcv) on group_id, (fold(location) collate "C") from addresses;
create statistics addresses_polling_station_folded (mcv) on group_id, (fold(polling_station) collate "C") from addresses;

-- The number of a text, or null. The text of users is matched first, so that the cast cannot fail: by digits of ASCII, since `\d` takes others in some
-- locales. Around it may stand what JavaScript trims. Counted repetitions, such as `{1,100}`, would take ten times as long.
create or replace function readable_number(text) returns numeric
language sql immutable parallel safe as $$
  select case when length($1) <= 200 then substring($1 from '^[ \t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*(-?[0-9]+(?:\.[0-9]+)?)[ \t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*$')::numeric end
$$;

-- Whether a text may be a time. Most answers are none, and this is told much sooner than what time it is.
create or replace function begins_with_date(text) returns boolean
language sql immutable parallel safe as $$
  select $1 ~ '^[ \t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*[0-9]{4}-[0-9]{2}-[0-9]{2}'
$$;

-- The time of a text: the midnight of YYYY-MM-DD, or a date-time of RFC 3339. Null for anything else, also for impossible days.
create or replace function readable_instant(text) returns timestamptz
language plpgsql immutable strict parallel safe as $$
declare
  p text[] := regexp_match($1,
    '^[ \t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]{1,9})?)(?:[Zz]|([+-])([0-9]{2}):([0-9]{2})))?[ \t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*$');
  y int := p[1];
  m int := p[2];
  d int := p[3];
  hour int := coalesce(p[4]::int, 0);
  minute int := coalesce(p[5]::int, 0);
  second double precision := coalesce(p[6]::double precision, 0);
  ahead_hour int := coalesce(p[8]::int, 0);
  ahead_minute int := coalesce(p[9]::int, 0);
begin
  if p is null or y = 0 or m not between 1 and 12 or hour > 23 or minute > 59 or second >= 60 or ahead_hour > 23 or ahead_minute > 59 then
    return null;
  end if;
  if d not between 1 and date_part('day', make_date(y, m, 1) + interval '1 month - 1 day') then
    return null;
  end if;
  return make_timestamptz(y, m, d, hour, minute, second, 'UTC')
    - case p[7] when '-' then -1 else 1 end * make_interval(hours => ahead_hour, mins => ahead_minute);
end $$;

-- Answers to a form in the order of their numbers, or of their times. A change of these functions must reindex them.
create index answers_number on answers (group_id, form_id, readable_number(data)) where readable_number(data) is not null;
create index answers_instant on answers (group_id, form_id, readable_instant(data)) where begins_with_date(data);

analyze contacts, addresses, answers, transactions, emails, sanctions, notes, interactions;
