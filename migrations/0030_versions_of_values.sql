-- The form of a change's values, which messages name: those that are stored before this file are of version 1, and are sent as such. All later ones are of version 2.
alter table change_queue add column version smallint not null default 1;
alter table change_queue alter column version set default 2;
alter table changes add column version smallint not null default 1;
alter table changes alter column version set default 2;
