-- Empty texts are no values: those that were stored before become null. What showed one counts as changed, and its search row follows.
do $do$
declare
  shown record;
  cleared text;
  blank text;
begin
  for shown in
    select * from (values
      ('contacts', array['external_id', 'firstname', 'surname', 'married_name', 'birth_city', 'birth_country', 'birth_dept', 'nationality', 'mail', 'phone', 'mobile']),
      ('addresses', array['addition', 'building', 'city', 'citycode', 'country', 'county', 'door', 'floor', 'house_number', 'infos', 'invalid', 'location',
                          'polling_station', 'postal_code', 'state', 'street']),
      ('answers', array['data']),
      ('team_addresses', array['addition', 'building', 'building_type', 'city', 'citycode', 'country', 'county', 'door', 'floor', 'house_number', 'infos',
                               'latitude', 'location', 'longitude', 'polling_station', 'postal_code', 'state', 'street']),
      ('users', array['firstname', 'surname', 'phone', 'address', 'city', 'postal', 'location', 'avatar'])) t (name, columns)
  loop
    select string_agg(format($$%1$I = case when %1$I ~ '\S' then %1$I end$$, one), ', '), string_agg(format($$%1$I !~ '\S'$$, one), ' or ')
      into cleared, blank from unnest(shown.columns) one;
    if shown.name in ('contacts', 'addresses', 'answers') then
      execute format(
        'create temporary table emptied on commit drop as select distinct group_id, %s as contact_id from %I where %s',
        case shown.name when 'contacts' then 'id' else 'contact_id' end, shown.name, blank);
      execute format('update %I set %s where %s', shown.name, cleared, blank);
      update contacts c set version = version + 1, updated_at = now() from emptied e where c.group_id = e.group_id and c.id = e.contact_id;
      perform refresh_search(e.group_id, array_agg(e.contact_id)) from emptied e group by e.group_id;
      drop table emptied;
    elsif shown.name = 'team_addresses' then
      execute format(
        'with emptied as (update team_addresses set %s where %s returning group_id, team_id)
         update teams t set version = version + 1, updated_at = now() from emptied e where t.group_id = e.group_id and t.id = e.team_id', cleared, blank);
    else
      execute format('update users set %s, updated_at = now() where %s', cleared, blank);
    end if;
  end loop;
end $do$;
