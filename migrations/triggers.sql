-- Triggers, which call functions of functions.sql. Edit this file in place too. It is applied again when its text has changed, after that one.
-- It is a separate file because it locks its tables against writers briefly. To remove a trigger, add `drop trigger if exists name on table;` here.

create or replace trigger contacts_forgotten
  after delete on contacts
  referencing old table as gone
  for each statement
  execute function forget_contacts();

-- The data of users in a team's reply. The conditions are here, so that other writes call no function.

create or replace trigger users_shown_in_teams
  after update on users
  for each row
  when (
    (new.mail, new.firstname, new.surname, new.phone, new.address, new.city, new.postal, new.location, new.locale, new.avatar, new.birthdate,
     new.status, new.two_factor_enable, new.two_factor_method, new.updated_at, new.deleted_at is null)
    is distinct from
    (old.mail, old.firstname, old.surname, old.phone, old.address, old.city, old.postal, old.location, old.locale, old.avatar, old.birthdate,
     old.status, old.two_factor_enable, old.two_factor_method, old.updated_at, old.deleted_at is null))
  execute function user_changed();

create or replace trigger roles_shown_in_teams
  after update on roles
  for each row
  when (
    (new.name, new.type, new.position, new.color, new.mobile, new.web)
    is distinct from
    (old.name, old.type, old.position, old.color, old.mobile, old.web))
  execute function role_changed();

create or replace trigger members_shown_in_teams
  after update on members
  for each row
  when (new.role_id is distinct from old.role_id)
  execute function member_changed();

create or replace trigger members_come_and_go
  after insert or delete on members
  for each row
  execute function membership_changed();

create or replace trigger user_contacts_made
  after insert on contacts
  for each row
  when (new.user_contact_id is not null)
  execute function user_contact_changed();

create or replace trigger user_contacts_changed
  after update on contacts
  for each row
  when (
    new.user_contact_id is distinct from old.user_contact_id
    or new.user_contact_id is not null and (new.deleted_at is null) <> (old.deleted_at is null))
  execute function user_contact_changed();

create or replace trigger audit_log_final
  before update or delete or truncate on audit_log
  for each statement
  execute function refuse_audit_change();
