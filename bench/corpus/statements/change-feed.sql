-- Without a cursor the feed answers with its end. What this very call numbers is counted by the next.
select json_build_object('changes', json_build_object(
         'cursor', translate(encode(convert_to('["changes","' || f.epoch || '",' || f.position || ']', 'UTF8'), 'base64'), E'+/=\n', '-_'),
           'hasMore', false, 'nodes', '[]'::json))
  from (select number_changes($1)) numbered
  join change_feeds f on f.group_id = $1
