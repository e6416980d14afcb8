-- A merge of contacts is an import too: its traces are those of an import, and so is its undo.
alter table imports drop constraint imports_family_check;
alter table imports add constraint imports_family_check
  check (family in ('contacts', 'contact_changes', 'contact_merges', 'notes', 'interactions', 'transactions', 'donations', 'memberships', 'sanctions', 'emails'));
