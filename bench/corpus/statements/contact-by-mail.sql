select json_build_object('contactBy', (
  select json_build_object('id', 'Contact:' || c.id, 'databaseId', c.id, 'firstName', c.firstname, 'lastName', c.surname, 'email', c.mail,
    'mobile', c.mobile)
    from contacts c
   where c.group_id = $1 and c.id = (select min(contact_id) from contact_search where group_id = $1 and mail <> '' and mail = fold_inline($2))))
