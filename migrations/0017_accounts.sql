-- Accounts belong to people, memberships to spaces: an invitation is accepted by the person who is invited.
-- What these functions must know of other spaces, they alone look up, for a user whom they hold to the caller's space.

-- Nobody verifies mails. Whoever changes theirs to that of a stranger must not be taken for the stranger: the operator confirms it first.
alter table users add column mail_confirmed boolean not null default true;

create index invitations_pending on invitations (lower(email)) where user_id is null and deleted_at is null;

-- The living spaces that a user belongs to beside this one. As a set, which the planner sees through where it is asked `exists`: a team has a
-- thousand users, and a function that is called for each doubles what it costs to read.
create function other_spaces(space bigint, member bigint) returns setof bigint language sql stable as $$
  select m.group_id from members m join spaces s on s.id = m.group_id and s.deleted_at is null where m.user_id = member and m.group_id <> space
$$;

-- The pending invitations, of any space, to the confirmed mail of a member of this one.
create function received_invitations(space bigint, member bigint)
returns table (id bigint, group_id bigint, space_name text, role_name text, last_sent timestamptz) language sql stable as $$
  select i.id, i.group_id, s.name, r.name, i.last_sent
    from members m
    join users u on u.id = m.user_id and u.deleted_at is null and u.mail_confirmed
    join invitations i on lower(i.email) = lower(u.mail) and i.user_id is null and i.deleted_at is null
    join spaces s on s.id = i.group_id and s.deleted_at is null
    join roles r on r.group_id = i.group_id and r.id = i.role_id
   where m.group_id = space and m.user_id = member
   order by i.group_id, i.id
$$;

-- Accepts an invitation of any space for a member of this one. No row when there is none that is pending and theirs; `confirmed` is false,
-- and nothing is done, when their mail may be somebody else's: that is told before any invitation is looked at.
-- Locks in this order: the account, whose mail stays as it is until all is done; the invitation, which one of several takes; the membership;
-- the teams in the order of their ids.
create function accept_invitation(space bigint, member bigint, invitation bigint)
returns table (confirmed boolean, id bigint, group_id bigint, space_name text, role_name text, last_sent timestamptz)
language plpgsql volatile as $$
#variable_conflict use_column
declare
  own users;
  offer invitations;
begin
  select u.* into own from users u join members m on m.group_id = space and m.user_id = u.id
   where u.id = member and u.deleted_at is null for share of u;
  if not found then
    return;
  end if;
  confirmed := own.mail_confirmed;
  if not confirmed then
    return next;
    return;
  end if;

  select i.* into offer from invitations i join spaces s on s.id = i.group_id and s.deleted_at is null
   where i.id = invitation and lower(i.email) = lower(own.mail) and i.user_id is null and i.deleted_at is null
   order by i.group_id limit 1 for no key update of i;
  if not found then
    return;
  end if;

  -- Who is a member already, and has only now got the mail that was invited, keeps their role.
  insert into members (group_id, user_id, role_id) values (offer.group_id, own.id, offer.role_id) on conflict do nothing;
  perform from members m where m.group_id = offer.group_id and m.user_id = own.id for key share;

  with held as (
    select t.id from teams t
     where t.group_id = offer.group_id and t.deleted_at is null
       and t.id in (select o.team_id from invitation_teams o where o.group_id = offer.group_id and o.invitation_id = offer.id)
     order by t.id for no key update),
  joined as (
    insert into team_users (group_id, team_id, user_id, position)
    select offer.group_id, held.id, own.id,
           1 + coalesce((select max(tu.position) from team_users tu where tu.group_id = offer.group_id and tu.team_id = held.id), 0)
      from held on conflict do nothing returning team_id)
  update teams t set version = t.version + 1, updated_at = now() where t.group_id = offer.group_id and t.id in (select joined.team_id from joined);

  update invitations i set user_id = own.id, accepted_at = now(), updated_at = now() where i.group_id = offer.group_id and i.id = offer.id;

  return query
    select true, offer.id, offer.group_id, s.name, r.name, offer.last_sent
      from spaces s join roles r on r.group_id = s.id and r.id = offer.role_id where s.id = offer.group_id;
end $$;
