-- Triggers, which call functions of functions.sql. Edit this file in place too. It is applied again when its text has changed, after that one.
-- It is a separate file because it locks its tables against writers briefly. To remove a trigger, add `drop trigger if exists name on table;` here.
-- The tables are in the order in which writers change them, and a migration locks them: records come before their contact, its parts after it, the audit log last.

-- Triggers named `…_shown_in_teams`, and those of members and of the contacts of users, are about the data of users in a team's reply. Their conditions are here, so that other writes call no function.

-- The outbox: every table of records has triggers that publish its rows, and so have the tables of their parts. A trigger with transition tables has one event alone.
-- A load of whole spaces publishes nothing.

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

create or replace trigger roles_insert_published after insert on roles referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Role', 'none');
create or replace trigger roles_update_published after update on roles referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Role', 'none');
create or replace trigger roles_delete_published after delete on roles referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Role', 'none');

create or replace trigger members_shown_in_teams
  after update on members
  for each row
  when (new.role_id is distinct from old.role_id)
  execute function member_changed();

create or replace trigger members_come_and_go
  after insert or delete on members
  for each row
  execute function membership_changed();

create or replace trigger members_insert_published after insert on members referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_members();
create or replace trigger members_update_published after update on members referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_members();
create or replace trigger members_delete_published after delete on members referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_members();

create or replace trigger imports_insert_published after insert on imports referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Import', 'none');
create or replace trigger imports_update_published after update on imports referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Import', 'none');
create or replace trigger imports_delete_published after delete on imports referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Import', 'none');

create or replace trigger import_batches_insert_published after insert on import_batches referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Import', 'counts', 'import_id');
create or replace trigger import_batches_update_published after update on import_batches referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Import', 'counts', 'import_id');
create or replace trigger import_batches_delete_published after delete on import_batches referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Import', 'counts', 'import_id');

create or replace trigger campaigns_insert_published after insert on campaigns referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Campaign', 'none');
create or replace trigger campaigns_update_published after update on campaigns referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Campaign', 'none');
create or replace trigger campaigns_delete_published after delete on campaigns referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Campaign', 'none');

create or replace trigger notes_insert_published after insert on notes referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Note', 'contact');
create or replace trigger notes_update_published after update on notes referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Note', 'contact');
create or replace trigger notes_delete_published after delete on notes referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Note', 'contact');

create or replace trigger interactions_insert_published after insert on interactions referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Interaction', 'contact');
create or replace trigger interactions_update_published after update on interactions referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Interaction', 'contact');
create or replace trigger interactions_delete_published after delete on interactions referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Interaction', 'contact');

create or replace trigger transactions_insert_published after insert on transactions referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Transaction', 'contact');
create or replace trigger transactions_update_published after update on transactions referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Transaction', 'contact');
create or replace trigger transactions_delete_published after delete on transactions referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Transaction', 'contact');

create or replace trigger donations_insert_published after insert on donations referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Donation', 'contact');
create or replace trigger donations_update_published after update on donations referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Donation', 'contact');
create or replace trigger donations_delete_published after delete on donations referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Donation', 'contact');

create or replace trigger memberships_insert_published after insert on memberships referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Membership', 'contact');
create or replace trigger memberships_update_published after update on memberships referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Membership', 'contact');
create or replace trigger memberships_delete_published after delete on memberships referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Membership', 'contact');

create or replace trigger sanctions_insert_published after insert on sanctions referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Sanction', 'contact');
create or replace trigger sanctions_update_published after update on sanctions referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Sanction', 'contact');
create or replace trigger sanctions_delete_published after delete on sanctions referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Sanction', 'contact');

create or replace trigger emails_insert_published after insert on emails referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Email', 'contact');
create or replace trigger emails_update_published after update on emails referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Email', 'contact');
create or replace trigger emails_delete_published after delete on emails referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Email', 'contact');

create or replace trigger contacts_forgotten
  after delete on contacts
  referencing old table as gone
  for each statement
  execute function forget_contacts();

create or replace trigger opt_outs_kept
  after delete on contacts
  for each row
  when (old.black_list and old.deleted_at is null)
  execute function keep_opt_out();
create or replace trigger opt_outs_changed
  after update on contacts
  for each row
  when (old.black_list and (not new.black_list or old.deleted_at is null and new.deleted_at is not null and new.merged_into is null))
  execute function keep_opt_out();
-- The history of consent. Demo data has none.
create or replace trigger consent_opted_out
  after insert on contacts
  for each row
  when (new.black_list and current_setting('muster.loads_spaces', true) is distinct from 'on')
  execute function note_opt_out();
create or replace trigger consent_changed
  after update on contacts
  for each row
  when (old.black_list is distinct from new.black_list)
  execute function note_opt_out();

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

create or replace trigger contacts_insert_published after insert on contacts referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Contact', 'self');
create or replace trigger contacts_update_published after update on contacts referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_updates();
create or replace trigger contacts_delete_published after delete on contacts referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Contact', 'self');

create or replace trigger addresses_insert_published after insert on addresses referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_parts('address');
create or replace trigger addresses_update_published after update on addresses referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_parts('address');
create or replace trigger addresses_delete_published after delete on addresses referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_parts('address');

create or replace trigger tags_insert_published after insert on tags referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Tag', 'none');
create or replace trigger tags_update_published after update on tags referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Tag', 'none');
create or replace trigger tags_delete_published after delete on tags referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Tag', 'none');

create or replace trigger actions_insert_published after insert on actions referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Action', 'none');
create or replace trigger actions_update_published after update on actions referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Action', 'none');
create or replace trigger actions_delete_published after delete on actions referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Action', 'none');

create or replace trigger forms_insert_published after insert on forms referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Form', 'none');
create or replace trigger forms_update_published after update on forms referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Form', 'none');
create or replace trigger forms_delete_published after delete on forms referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Form', 'none');

create or replace trigger teams_insert_published after insert on teams referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Team', 'none');
create or replace trigger teams_update_published after update on teams referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Team', 'none');
create or replace trigger teams_delete_published after delete on teams referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Team', 'none');

create or replace trigger invitations_insert_published after insert on invitations referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Invitation', 'none');
create or replace trigger invitations_update_published after update on invitations referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Invitation', 'none');
create or replace trigger invitations_delete_published after delete on invitations referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Invitation', 'none');

create or replace trigger templates_insert_published after insert on templates referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Template', 'none');
create or replace trigger templates_update_published after update on templates referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Template', 'none');
create or replace trigger templates_delete_published after delete on templates referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Template', 'none');

create or replace trigger membership_price_groups_insert_published after insert on membership_price_groups referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('MembershipPriceGroup', 'none');
create or replace trigger membership_price_groups_update_published after update on membership_price_groups referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('MembershipPriceGroup', 'none');
create or replace trigger membership_price_groups_delete_published after delete on membership_price_groups referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('MembershipPriceGroup', 'none');

create or replace trigger membership_prices_shown_in_groups
  after insert or update on membership_prices
  for each row
  execute function membership_price_changed();
create or replace trigger membership_prices_insert_published after insert on membership_prices referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('MembershipPrice', 'none');
create or replace trigger membership_prices_update_published after update on membership_prices referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('MembershipPrice', 'none');
create or replace trigger membership_prices_delete_published after delete on membership_prices referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('MembershipPrice', 'none');

create or replace trigger donation_prices_insert_published after insert on donation_prices referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('DonationPrice', 'none');
create or replace trigger donation_prices_update_published after update on donation_prices referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('DonationPrice', 'none');
create or replace trigger donation_prices_delete_published after delete on donation_prices referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('DonationPrice', 'none');

create or replace trigger transaction_statuses_insert_published after insert on transaction_statuses referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('TransactionStatus', 'none');
create or replace trigger transaction_statuses_update_published after update on transaction_statuses referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('TransactionStatus', 'none');
create or replace trigger transaction_statuses_delete_published after delete on transaction_statuses referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('TransactionStatus', 'none');

create or replace trigger contact_tags_insert_published after insert on contact_tags referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_parts('tags');
create or replace trigger contact_tags_update_published after update on contact_tags referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_parts('tags');
create or replace trigger contact_tags_delete_published after delete on contact_tags referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_parts('tags');

create or replace trigger contact_actions_insert_published after insert on contact_actions referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_parts('actions');
create or replace trigger contact_actions_update_published after update on contact_actions referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_parts('actions');
create or replace trigger contact_actions_delete_published after delete on contact_actions referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_parts('actions');

create or replace trigger answers_insert_published after insert on answers referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_parts('answers');
create or replace trigger answers_update_published after update on answers referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_parts('answers');
create or replace trigger answers_delete_published after delete on answers referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_contact_parts('answers');
create or replace trigger consent_given after insert on answers referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function note_consents();
create or replace trigger consent_replaced after update on answers referencing old table as old_rows new table as new_rows
  for each statement execute function note_consents();
create or replace trigger consent_withdrawn after delete on answers referencing old table as old_rows
  for each statement execute function note_consents();

create or replace trigger files_insert_published after insert on files referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Interaction', 'files', 'interaction_id');
create or replace trigger files_update_published after update on files referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Interaction', 'files', 'interaction_id');
create or replace trigger files_delete_published after delete on files referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Interaction', 'files', 'interaction_id');

create or replace trigger form_refs_insert_published after insert on form_refs referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Form', 'options', 'form_id');
create or replace trigger form_refs_update_published after update on form_refs referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Form', 'options', 'form_id');
create or replace trigger form_refs_delete_published after delete on form_refs referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Form', 'options', 'form_id');

create or replace trigger team_users_insert_published after insert on team_users referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Team', 'users', 'team_id');
create or replace trigger team_users_update_published after update on team_users referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Team', 'users', 'team_id');
create or replace trigger team_users_delete_published after delete on team_users referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Team', 'users', 'team_id');

create or replace trigger team_addresses_insert_published after insert on team_addresses referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Team', 'address', 'team_id');
create or replace trigger team_addresses_update_published after update on team_addresses referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Team', 'address', 'team_id');
create or replace trigger team_addresses_delete_published after delete on team_addresses referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Team', 'address', 'team_id');

create or replace trigger invitation_teams_insert_published after insert on invitation_teams referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Invitation', 'teams', 'invitation_id');
create or replace trigger invitation_teams_update_published after update on invitation_teams referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Invitation', 'teams', 'invitation_id');
create or replace trigger invitation_teams_delete_published after delete on invitation_teams referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_parts('Invitation', 'teams', 'invitation_id');

create or replace trigger segments_insert_published after insert on segments referencing new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Segment', 'none');
create or replace trigger segments_update_published after update on segments referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_updates('Segment', 'none');
create or replace trigger segments_delete_published after delete on segments referencing old table as old_rows
  for each statement when (current_setting('muster.loads_spaces', true) is distinct from 'on') execute function publish_rows('Segment', 'none');

create or replace trigger search_traversals_of_living
  before insert or update on search_traversals
  for each row
  execute function refuse_erased_place();

-- Two triggers, since a cluster has those of truncate on the coordinator alone.
create or replace trigger audit_log_final
  before update or delete on audit_log
  for each statement
  execute function refuse_audit_change();
create or replace trigger audit_log_kept
  before truncate on audit_log
  for each statement
  execute function refuse_audit_change();
