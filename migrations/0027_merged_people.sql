-- The external id of a merged contact leads to its survivor.
create index contacts_merged_external_id on contacts (group_id, external_id) where external_id is not null and merged_into is not null;
