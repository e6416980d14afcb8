-- A timeline reads the changes of one contact, and so does the erasure of their values.
create index changes_contact on changes (group_id, contact_id, position) where contact_id is not null;
drop index changes_values;
