-- Indexes for conditions that read all contacts of a space before. An index over an expression also gives it statistics, unless it leaves rows out.

-- For the indexes below. In PL/pgSQL it takes a third of the time that it took in SQL. Its text is not parsed here, so it names the schema of what it calls.
do $do$
begin
  execute format($body$
    create or replace function fold(text) returns text
    language plpgsql immutable strict parallel safe
    as $$ begin return %I.fold_inline($1); end $$
  $body$, current_schema());
end $do$;

create index contacts_nationality on contacts (group_id, (fold(nationality) collate "C"));
create index addresses_citycode on addresses (group_id, (fold(citycode) collate "C"));
create index addresses_country on addresses (group_id, (fold(country) collate "C"));
create index addresses_county on addresses (group_id, (fold(county) collate "C"));
create index addresses_house_number on addresses (group_id, (fold(house_number) collate "C"));
create index addresses_state on addresses (group_id, (fold(state) collate "C"));
create index addresses_street on addresses (group_id, (fold(street) collate "C"));

-- Texts that most contacts lack.
create index contacts_birth_city on contacts (group_id, (fold(birth_city) collate "C")) where birth_city is not null;
create index contacts_birth_country on contacts (group_id, (fold(birth_country) collate "C")) where birth_country is not null;
create index contacts_external_id_folded on contacts (group_id, (fold(external_id) collate "C")) where external_id is not null;
create index contacts_birth_dept on contacts (group_id, (fold(birth_dept) collate "C")) where birth_dept is not null;
create index addresses_addition on addresses (group_id, (fold(addition) collate "C")) where addition is not null;
create index addresses_building on addresses (group_id, (fold(building) collate "C")) where building is not null;
create index addresses_door on addresses (group_id, (fold(door) collate "C")) where door is not null;
create index addresses_floor on addresses (group_id, (fold(floor) collate "C")) where floor is not null;
create index addresses_infos on addresses (group_id, (fold(infos) collate "C")) where infos is not null;
create index addresses_invalid on addresses (group_id, (fold(invalid) collate "C")) where invalid is not null;
create index addresses_location on addresses (group_id, (fold(location) collate "C")) where location is not null;
create index addresses_polling_station on addresses (group_id, (fold(polling_station) collate "C")) where polling_station is not null;

-- Who edited a contact last, as the view contact_changes has it; and the few contacts with a number of no use.
create index contacts_editor on contacts (group_id, coalesce(user_id, -1));
create index contacts_phone_invalid on contacts (group_id, id) where phone_invalid;
create index contacts_mobile_invalid on contacts (group_id, id) where mobile_invalid;

-- Birthdays, and the contacts of users.
create index contact_search_birthday on contact_search (group_id, cast(extract(month from birthdate) * 100 + extract(day from birthdate) as smallint));
create index contact_search_users on contact_search (group_id, contact_id) where (filled & 32) <> 0;

analyze contacts, addresses, contact_search;
