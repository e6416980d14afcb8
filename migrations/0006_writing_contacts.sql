-- What writing contacts needs: the mark that every change leaves on a contact, where a merged contact went, and how a person is found again.

-- A contact that was merged into another is deleted, and its id answers with the survivor's.
alter table contacts add column merged_into bigint;
alter table contacts add constraint contacts_merged_into foreign key (group_id, merged_into) references contacts (group_id, id);
create index contacts_merged_into on contacts (group_id, merged_into) where merged_into is not null;

-- A person is known again by surname and first name together: of a frequent surname alone there are tens of thousands.
create index contact_search_names on contact_search (group_id, surname, firstname);

-- Marks living contacts as changed by a user, in themselves or in what is on them, and brings their search rows up to date.
-- Every writer calls it in the transaction of its write, after the write. Yields the ids of the contacts that are there. They are
-- locked in the order of their ids, so that writers of several contacts never wait for each other in a circle.
create function touch_contacts(space bigint, contacts bigint[], by bigint) returns setof bigint language plpgsql volatile as $$
declare
  living bigint[];
begin
  select array_agg(id) into living from (
    select c.id from contacts c where c.group_id = space and c.id = any(touch_contacts.contacts) and c.deleted_at is null
     order by c.id for no key update) locked;
  if living is null then return; end if;
  update contacts c set lastchange = now(), updated_at = now(), version = version + 1, user_id = by
   where c.group_id = space and c.id = any(living);
  perform refresh_search(space, living);
  return query select unnest(living);
end $$;
