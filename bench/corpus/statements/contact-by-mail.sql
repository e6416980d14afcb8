select json_build_object('contactBy', (
  select json_build_object('id', 'Contact:' || c.id, 'databaseId', c.id, 'firstName', c.firstname, 'lastName', c.surname, 'email', c.mail, 'mobile', c.mobile)
    from contact_search s join contacts c on c.group_id = $1 and c.id = s.contact_id
   where s.group_id = $1 and s.mail <> '' and s.mail = fold_inline($2)
   order by s.contact_id limit 1))
