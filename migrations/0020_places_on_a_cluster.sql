-- Where a Citus cluster has each table, as the comment of the table: `muster distribute` reads it, and so does `muster migrate` for tables that come later.
-- A migration that creates a table says its place:
--   Cluster: by space      distributed by group_id, so that all rows of a space are on one node
--   Cluster: on all nodes  a copy on every node, for what is read before the space is known
-- A later migration names no partition, since a cluster has none: there `contact_search` and `contact_emails` are one table each.

do $$
declare
  name text;
begin
  foreach name in array '{spaces,users,roles,members,tokens,schema_migrations}'::text[] loop
    execute format('comment on table %I is %L', name, 'Cluster: on all nodes');
  end loop;
  foreach name in array '{
    actions,addresses,answers,audit_log,campaigns,change_feeds,change_queue,changes,contact_actions,contact_emails,contact_search,contact_tags,contacts,
    donation_prices,donations,emails,files,form_refs,forms,idempotency_keys,import_batches,import_contacts,import_keys,import_records,imports,interactions,
    invitation_teams,invitations,membership_price_groups,membership_prices,memberships,moved_records,notes,rate_buckets,sanctions,search_traversals,search_words,
    segment_evaluations,segment_members,segment_uses,segments,tags,team_addresses,team_users,teams,templates,transaction_statuses,transactions,
    webhook_deliveries,webhook_secrets,webhooks}'::text[] loop
    execute format('comment on table %I is %L', name, 'Cluster: by space');
  end loop;
end $$;
