-- The last editor of a webhook: it has the rights that both its creator and its last editor have. The audit log knows who edited those that exist.

-- Null until somebody changes it.
alter table webhooks add column editor_id bigint;
alter table webhooks add constraint webhooks_editor_id_fkey foreign key (editor_id) references users;
update webhooks w set editor_id = a.user_id
  from (select l.group_id, l.record_id, max(l.id) as id from audit_log l
         where l.operation = 'updateWebhook' and l.type = 'Webhook' and l.user_id is not null group by l.group_id, l.record_id) e
  join audit_log a on a.group_id = e.group_id and a.id = e.id
  join users u on u.id = a.user_id
 where w.group_id = e.group_id and w.id = e.record_id;
create index webhooks_editor on webhooks (group_id, editor_id);
