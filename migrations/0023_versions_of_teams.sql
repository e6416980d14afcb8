-- A team shows its users: their profiles, their roles in the space, the contacts that they are. Whatever changes one of these, by whatever way,
-- moves the version of the teams that show it. A profile is also shown in part only while its user belongs to no other space.

-- Teams are locked after whatever changed, and in the order of their ids. A load of whole spaces brings its teams as they are to be: it says so
-- where it may not switch triggers off.
create function teams_of_users_changed(spaces bigint[], users bigint[]) returns void language sql volatile as $$
  with held as materialized (
    select t.group_id, t.id from teams t
     where current_setting('muster.loads_spaces', true) is distinct from 'on' and t.deleted_at is null and (t.group_id, t.id) in (
       select tu.group_id, tu.team_id from team_users tu where tu.group_id = any(spaces) and tu.user_id = any(users))
     order by t.group_id, t.id for no key update)
  update teams t set version = t.version + 1, updated_at = now() from held h where t.group_id = h.group_id and t.id = h.id
$$;

create function user_changed() returns trigger language plpgsql as $$
begin
  perform teams_of_users_changed(array(select m.group_id from members m where m.user_id = new.id), array[new.id]);
  return null;
end $$;
create trigger users_shown_in_teams after update on users for each row
  when ((new.mail, new.firstname, new.surname, new.phone, new.address, new.city, new.postal, new.location, new.locale, new.avatar, new.birthdate,
         new.status, new.two_factor_enable, new.two_factor_method, new.updated_at, new.deleted_at is null)
        is distinct from
        (old.mail, old.firstname, old.surname, old.phone, old.address, old.city, old.postal, old.location, old.locale, old.avatar, old.birthdate,
         old.status, old.two_factor_enable, old.two_factor_method, old.updated_at, old.deleted_at is null))
  execute function user_changed();

create function role_changed() returns trigger language plpgsql as $$
begin
  perform teams_of_users_changed(array[new.group_id], array(select m.user_id from members m where m.group_id = new.group_id and m.role_id = new.id));
  return null;
end $$;
create trigger roles_shown_in_teams after update on roles for each row
  when ((new.name, new.type, new.position, new.color, new.mobile, new.web) is distinct from (old.name, old.type, old.position, old.color, old.mobile, old.web))
  execute function role_changed();

create function member_changed() returns trigger language plpgsql as $$
begin
  perform teams_of_users_changed(array[new.group_id], array[new.user_id]);
  return null;
end $$;
create trigger members_shown_in_teams after update on members for each row
  when (new.role_id is distinct from old.role_id) execute function member_changed();

-- Who joins or leaves a space is shown otherwise in the others.
create function membership_changed() returns trigger language plpgsql as $$
declare
  space bigint := case tg_op when 'DELETE' then old.group_id else new.group_id end;
  member bigint := case tg_op when 'DELETE' then old.user_id else new.user_id end;
begin
  perform teams_of_users_changed(array(select o from other_spaces(space, member) o), array[member]);
  return null;
end $$;
create trigger members_come_and_go after insert or delete on members for each row execute function membership_changed();

create function user_contact_changed() returns trigger language plpgsql as $$
begin
  perform teams_of_users_changed(array[new.group_id], array_remove(
    array[case when tg_op = 'UPDATE' then old.user_contact_id end, new.user_contact_id], null));
  return null;
end $$;
create trigger user_contacts_made after insert on contacts for each row when (new.user_contact_id is not null) execute function user_contact_changed();
create trigger user_contacts_changed after update on contacts for each row
  when (new.user_contact_id is distinct from old.user_contact_id
        or new.user_contact_id is not null and (new.deleted_at is null) <> (old.deleted_at is null))
  execute function user_contact_changed();
