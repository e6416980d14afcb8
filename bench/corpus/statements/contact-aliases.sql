select json_build_object('contact', (
  select json_build_object('id', 'Contact:' || c.id,
    'pinned', json_build_object('nodes', coalesce((
      select json_agg(json_build_object('id', 'Note:' || n.id, 'content', n.content) order by n.id)
        from (select * from notes where group_id = $1 and contact_id = c.id and deleted_at is null and pinned order by id limit 20) n), '[]')),
    'other', json_build_object(
      'totalCount', (select count(*) from notes where group_id = $1 and contact_id = c.id and deleted_at is null and not pinned),
      'nodes', coalesce((
      select json_agg(json_build_object('id', 'Note:' || n.id, 'content', n.content) order by n.id)
        from (select * from notes where group_id = $1 and contact_id = c.id and deleted_at is null and not pinned order by id limit 3) n), '[]')))
    from contacts c where c.group_id = $1 and c.deleted_at is null and c.id = $2))
