-- Who wrote is the caller, whom the gate has just let in, and no user is ever deleted for good. A foreign key would lock the row of the
-- user at every write: of many at once, which is what a front end does for its users, each in turn adds itself to the list of those who hold it.
alter table contacts drop constraint contacts_user_id_fkey;
alter table notes drop constraint notes_user_id_fkey;
alter table interactions drop constraint interactions_user_id_fkey;
alter table files drop constraint files_owner_id_fkey;
alter table emails drop constraint emails_user_id_fkey;
