-- Rows of an import that said nothing new are counted by themselves. Of imports before, they stand among the updated ones.
alter table import_batches add column unchanged integer not null default 0;
