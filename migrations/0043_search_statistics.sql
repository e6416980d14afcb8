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
-- locales. Around it may stand what JavaScript trims.
create or replace function readable_number(text) returns numeric
language sql immutable parallel safe as $$
  select substring($1 from '^[ \t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*(-?[0-9]{1,100}(?:\.[0-9]{1,100})?)[ \t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*$')::numeric
$$;

-- The time of a text: the midnight of YYYY-MM-DD, or a date-time of RFC 3339. Null for anything else, also for impossible days.
create or replace function readable_instant(text) returns timestamptz
language sql immutable strict parallel safe as $$
  select case when y > 0 and m between 1 and 12
               and d between 1 and date_part('day', make_date(greatest(y, 1), least(greatest(m, 1), 12), 1) + interval '1 month - 1 day')
               and coalesce(hour, 0) < 24 and coalesce(minute, 0) < 60 and coalesce(second, 0) < 60
               and coalesce(ahead_hour, 0) < 24 and coalesce(ahead_minute, 0) < 60
              then make_timestamptz(y, m, d, coalesce(hour, 0), coalesce(minute, 0), coalesce(second, 0), 'UTC')
                   - coalesce(sign, 1) * make_interval(hours => coalesce(ahead_hour, 0), mins => coalesce(ahead_minute, 0)) end
    from (
      select p[1]::int as y, p[2]::int as m, p[3]::int as d, p[4]::int as hour, p[5]::int as minute, p[6]::double precision as second,
             case p[7] when '-' then -1 else 1 end as sign, p[8]::int as ahead_hour, p[9]::int as ahead_minute
        from regexp_match($1,
          '^[ \t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]{1,9})?)(?:[Zz]|([+-])([0-9]{2}):([0-9]{2})))?[ \t-\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*$') p) part
$$;

-- Answers to a form in the order of their numbers, or of their times. A change of these functions must reindex them.
create index answers_number on answers (group_id, form_id, readable_number(data)) where readable_number(data) is not null;
create index answers_instant on answers (group_id, form_id, readable_instant(data)) where readable_instant(data) is not null;

analyze contacts, addresses, answers, transactions, emails, sanctions, notes, interactions;
