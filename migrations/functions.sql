-- The functions of the database. Only fold, fold_inline, words_of, readable_number, readable_instant and begins_with_date are elsewhere, in numbered
-- files, since tables depend on them.
-- Edit this file in place. `muster migrate` applies all of it again when its text has changed, after the numbered files. This locks no tables,
-- so servers may write meanwhile.
-- `create or replace` cannot change a function's arguments or result columns. To change these, or to remove a function, add a line
-- `drop function if exists name(old types);` below this head, and keep it there.
-- A change that older servers must not undo also needs a numbered file, so that they refuse to start: otherwise each version
-- applies its own functions. A function comes below the functions that it calls.
-- A function that reads a table is PL/pgSQL: a node of a cluster inlines one in SQL after Citus has planned the statement, and so would read an empty table.

drop function if exists enter_gate(bytea[], double precision[], double precision, double precision, boolean);
drop function if exists search_rows(bigint, bigint[]);
drop function if exists other_spaces(bigint, bigint);
drop function if exists new_search_rows(bigint, bigint[]);
drop function if exists add_search_words(bigint, text[], text[], text[]);
drop function if exists claim_idempotency_key(bigint, bigint, text);
drop function if exists join_values(jsonb[], jsonb[]);
drop function if exists delete_old_audit_lines(timestamptz, int);
drop function if exists ensure_account(text, text, text);

-- The rate limit

-- The gate: resolves tokens to callers, and takes costs from buckets, for requests of any tokens and spaces. It returns a row for each valid token, in the order of
-- spaces, decided as if each request had come alone. It reads the database's clock after it has locked the row of the bucket, so that any number of processes
-- share one bucket exactly. Requests of a bucket that is locked elsewhere do not delay the others, unless the call `waits`: `admitted` is
-- null then, and so are its tokens.
-- An app takes its costs from its share too, whose row is read and written in the turn of the bucket: `own_tokens` is what it holds. It admits what the full share does not
-- hold, and is below zero then until that is paid off, so that no price is out of reach of a small share. A price of nothing is always admitted.
-- The settings force a lookup of tokens by hash, whatever the table sizes were when the plan was made, instead of a join of all tokens with all members. They also
-- force a generic plan, since planning each call takes six times as long as the call itself.
create or replace function enter_gate(
  hashes bytea[], costs double precision[], capacity double precision, refill double precision, waits boolean
) returns table (
  place bigint,
  token_id bigint,
  user_id bigint,
  group_id bigint,
  role_id bigint,
  role_type text,
  permissions text[],
  scope text,
  wrote_at_lsn pg_lsn,
  share smallint,
  own_tokens double precision,
  admitted boolean,
  tokens double precision,
  instant timestamptz
)
language plpgsql volatile
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  cost double precision;
  bucket bigint;
  held double precision;
  filled timestamptz;
  taken boolean := false;
  own_capacity double precision;
  own_filled timestamptz;
begin
  for place, cost, token_id, user_id, group_id, wrote_at_lsn, role_id, role_type, permissions, scope, share in
    select g.place, g.cost, t.id, coalesce(u.id, a.id), t.group_id, t.wrote_at_lsn, r.id, coalesce(r.type, 'custom'), coalesce(r.permissions, a.permissions), t.scope, a.share
      from unnest(hashes, costs) with ordinality g (hash, cost, place)
      join tokens t on t.hash = g.hash and t.revoked_at is null and (t.expires_at is null or t.expires_at > clock_timestamp())
      join spaces s on s.id = t.group_id and s.deleted_at is null
      left join members m on m.group_id = t.group_id and m.user_id = t.user_id
      left join roles r on r.group_id = m.group_id and r.id = m.role_id
      left join users u on u.id = m.user_id and u.deleted_at is null
      left join apps a on a.group_id = t.group_id and a.id = t.app_id and a.deleted_at is null
     where coalesce(u.id, a.id) is not null
     order by t.group_id, g.place
  loop
    if group_id is distinct from bucket then
      if taken then
        update rate_buckets b set tokens = enter_gate.tokens, refilled_at = instant where b.group_id = bucket;
      end if;
      bucket := group_id;
      taken := false;
      if waits then
        select b.tokens, b.refilled_at into held, filled from rate_buckets b where b.group_id = bucket for update;
      else
        select b.tokens, b.refilled_at into held, filled from rate_buckets b where b.group_id = bucket for update skip locked;
      end if;
      if not found then
        insert into rate_buckets (group_id, tokens, refilled_at) values (bucket, capacity, clock_timestamp())
          on conflict do nothing
          returning rate_buckets.tokens, refilled_at into held, filled;
        if not found and waits then
          select b.tokens, b.refilled_at into held, filled from rate_buckets b where b.group_id = bucket for update;
        end if;
      end if;
      instant := clock_timestamp();
      tokens := case when found then least(capacity, held + greatest(0, extract(epoch from instant - filled)) * refill) end;
      -- After the clock is set back, the new time is stored even when no request is admitted: otherwise an empty bucket would stay empty until the clock
      -- has caught up.
      taken := coalesce(filled > instant, false);
    end if;
    admitted := tokens >= cost;
    own_tokens := null;
    if share is not null and tokens is not null then
      own_capacity := capacity * share / 100;
      select least(own_capacity, b.tokens + greatest(0, extract(epoch from instant - b.refilled_at)) * refill * share / 100), b.refilled_at into own_tokens, own_filled
        from app_buckets b where b.group_id = bucket and b.app_id = user_id;
      own_tokens := coalesce(own_tokens, own_capacity);
      admitted := admitted and (cost = 0 or own_tokens >= least(cost, own_capacity));
      if admitted then
        own_tokens := own_tokens - cost;
      end if;
      if admitted and cost > 0 or own_filled > instant then
        insert into app_buckets (group_id, app_id, tokens, refilled_at) values (bucket, user_id, own_tokens, instant)
          on conflict on constraint app_buckets_pkey do update set tokens = excluded.tokens, refilled_at = excluded.refilled_at;
      end if;
    end if;
    if admitted then
      tokens := tokens - cost;
      taken := true;
    end if;
    return next;
  end loop;
  if taken then
    update rate_buckets b set tokens = enter_gate.tokens, refilled_at = instant where b.group_id = bucket;
  end if;
end $$;

-- Locks a member, and says whether there is one. It reads a table of the space too, so that a cluster locks the copy on the node of the space: otherwise the
-- lock would wait for those of all other spaces.
create or replace function lock_member(space bigint, person bigint) returns boolean
language plpgsql volatile as $$
declare
  held bigint;
begin
  with locked as (select m.user_id from members m where m.group_id = space and m.user_id = person for no key update)
  select l.user_id into held from locked l where not exists (select 1 from teams t where t.group_id = space and t.id < 0);
  return held is not null;
end $$;

-- The session of a person whom a provider vouches for, in a space that they name, or in their only one. It returns no row when no user is meant, and no
-- hash unless there is exactly one space to choose (`choices` lists 20 at most). The gate resolves the hash like that of any token.
-- A subject that is known decides alone. Otherwise the verified mail means the user whose confirmed mail it is, if no subject is stored for them: from then on this one is.
-- A call that stores it opens nothing, returns no `choices`, and is to be repeated: one transaction that wrote users and tokens could wait for others
-- in a circle on a cluster.
-- A session that was revoked stays so for tokens issued before, or within a minute after; later ones get a new session, whose hash depends on the revocation.
create or replace function open_session(
  provider text, subject text, verified_mail text, named bigint, allowed text, issued timestamptz, expires timestamptz
) returns table (person bigint, choices bigint[], hash bytea)
language plpgsql volatile as $$
#variable_conflict use_column
begin
  select u.id into person from users u where u.oidc_issuer = provider and u.oidc_subject = subject and u.deleted_at is null;
  if person is null and verified_mail is not null then
    begin
      update users u set oidc_issuer = provider, oidc_subject = subject
       where lower(u.mail) = lower(verified_mail) and u.deleted_at is null and u.mail_confirmed and u.oidc_subject is null
      returning u.id into person;
    exception when unique_violation then
      null;
    end;
    -- Another request of the same person may have been first.
    if person is not null or exists (select 1 from users u where u.oidc_issuer = provider and u.oidc_subject = subject and u.deleted_at is null) then
      return next;
    end if;
    return;
  end if;
  if person is null then
    return;
  end if;
  choices := array(
    select m.group_id from members m join spaces s on s.id = m.group_id and s.deleted_at is null
     where m.user_id = person and (named is null or m.group_id = named)
     order by m.group_id limit 20);
  if cardinality(choices) = 1 then
    select sha256(convert_to(jsonb_build_array(provider, subject, person, choices[1], allowed, extract(epoch from max(t.revoked_at)))::text, 'UTF8')) into hash
      from tokens t
     where t.group_id = choices[1] and t.user_id = person and t.issuer = provider and t.scope = allowed
       and t.revoked_at < issued - interval '1 minute';
    if lock_member(choices[1], person) then
      insert into tokens as t (group_id, user_id, hash, prefix, label, scope, issuer, expires_at)
      values (choices[1], person, open_session.hash, 'openid', 'OpenID Connect', allowed, provider, expires)
          on conflict on constraint tokens_hash_key do update set expires_at = excluded.expires_at where t.expires_at < excluded.expires_at;
    end if;
  end if;
  return next;
end $$;

-- What is left of a key, and of the fingerprint of its request, when the answer is erased: digests with the key, which is no longer stored. A short request could be guessed from its
-- plain digest.
create or replace function erased_idempotency_key(name text) returns text
language sql immutable as $$ select 'erased:' || encode(sha256(convert_to(name, 'UTF8')), 'hex') $$;
create or replace function erased_fingerprint(asked bytea, name text) returns bytea
language sql immutable as $$ select sha256(asked || convert_to(name, 'UTF8')) $$;

-- Tries to lock an idempotency key for the transaction, without waiting: `mine` says whether it was free. It always returns one row, with
-- the stored answer, if there is one, or with `erased` when there was one. The lookup is a separate statement after the lock, so that it sees
-- what the previous holder of the lock stored.
create or replace function claim_idempotency_key(space bigint, by bigint, name text)
returns table (mine boolean, fingerprint bytea, status smallint, headers jsonb, body text, authority jsonb, erased boolean)
language plpgsql volatile as $$
#variable_conflict use_column
declare
  digest text := erased_idempotency_key(name);
begin
  -- Read from a table of the space, so that all servers of a cluster take the lock on the node of the space.
  select pg_try_advisory_xact_lock(hashtextextended(format('%s/%s/%s', space, by, name), 7)) into mine
    from (select count(*) from rate_buckets b where b.group_id = space) one;
  select k.fingerprint, k.status, k.headers, k.body, k.authority, k.erased into fingerprint, status, headers, body, authority, erased
    from idempotency_keys k
   where k.group_id = space and k.user_id = by and k.key in (name, digest) and k.erased = (k.key = digest) and k.created_at > now() - interval '24 hours';
  return next;
end $$;

-- Stores the answer of the write that this transaction made, under the key that it has claimed; an expired answer is replaced. No answer is stored when a person was erased since
-- `seen` was read, since it may show them: only that there was one. An erasure and those who store answers wait for each other; the number is read in a statement of its own, after the lock.
create or replace function keep_idempotent_answer(
  space bigint, by bigint, name text, asked bytea, answer_status smallint, answer_headers jsonb, answer_body text, allowed jsonb, seen bigint) returns boolean
language plpgsql volatile as $$
declare
  overtaken boolean;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(format('erasure/%s', space), 7)) from (select count(*) from rate_buckets b where b.group_id = space) one;
  -- Erasures of this transaction do not count: the answer to one is stored.
  overtaken := (select s.erasures from spaces s where s.id = space) <> seen + coalesce(nullif(current_setting('muster.erasures', true), ''), '0')::int;
  if overtaken then
    asked := erased_fingerprint(asked, name);
    name := erased_idempotency_key(name);
    answer_headers := '{}';
    answer_body := '';
  end if;
  insert into idempotency_keys as k (group_id, user_id, key, fingerprint, status, headers, body, authority, erased)
  values (space, by, name, asked, answer_status, answer_headers, answer_body, allowed, overtaken)
  on conflict (group_id, user_id, key) do update set
    fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
    authority = excluded.authority, erased = excluded.erased, created_at = excluded.created_at;
  return not overtaken;
end $$;

-- Erasing people: what was read of a person before is not stored afterwards

-- Waits for those who are storing what may show a person who is being erased. Those who come later wait until the erasure is over, or store nothing.
create or replace function lock_erasure(space bigint) returns void
language plpgsql volatile as $$
begin
  perform set_config('muster.erasures', (coalesce(nullif(current_setting('muster.erasures', true), ''), '0')::int + 1)::text, true);
  perform pg_advisory_xact_lock(hashtextextended(format('erasure/%s', space), 7)) from (select count(*) from rate_buckets b where b.group_id = space) one;
end $$;

-- Stores no place in a search that is at a contact who was erased, or while somebody is being erased: the search may have read it before. Each statement of a trigger sees what is
-- committed by then, so the contacts are looked at after the lock.
create or replace function refuse_erased_place() returns trigger
language plpgsql volatile as $$
begin
  if pg_try_advisory_xact_lock_shared(hashtextextended(format('erasure/%s', new.group_id), 7))
     and not exists (
       select 1 from unnest(array[new.began_id, new.ended_id]) p (id)
        where p.id is not null and not exists (select 1 from contacts c where c.group_id = new.group_id and c.id = p.id))
  then return new; end if;
  return null;
end $$;

-- People in several spaces: only these functions read other spaces. They first check that the user is a member of the caller's space

-- The pending invitations of any space to the confirmed mail of a member of this space, by people who may still invite to the role.
create or replace function received_invitations(space bigint, member bigint)
returns table (id bigint, group_id bigint, space_name text, role_name text, last_sent timestamptz)
language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select i.id, i.group_id, s.name, r.name, i.last_sent
    from members m
    join users u on u.id = m.user_id and u.deleted_at is null and u.mail_confirmed
    join invitations i on lower(i.email) = lower(u.mail) and i.user_id is null and i.deleted_at is null
    join spaces s on s.id = i.group_id and s.deleted_at is null
    join roles r on r.group_id = i.group_id and r.id = i.role_id
   where m.group_id = space and m.user_id = member
     and (i.invited_by is null or exists (
       select 1
         from members h
         join users a on a.id = h.user_id and a.deleted_at is null
         join roles held on held.group_id = h.group_id and held.id = h.role_id
        where h.group_id = i.group_id and h.user_id = i.invited_by and (held.type = 'superadmin' or held.type = 'admin' and r.type <> 'superadmin')))
   order by i.group_id, i.id;
end $$;

-- Whether the person who invited is still one who may invite to a role, as it is now. The operator of the server, who is nobody, may. It is the same condition as above.
create or replace function may_invite(space bigint, inviter bigint, role bigint) returns boolean
language plpgsql stable as $$
begin
  return inviter is null or exists (
    select 1
      from members h
      join users a on a.id = h.user_id and a.deleted_at is null
      join roles held on held.group_id = h.group_id and held.id = h.role_id
      join roles offered on offered.group_id = h.group_id and offered.id = may_invite.role
     where h.group_id = space and h.user_id = inviter and (held.type = 'superadmin' or held.type = 'admin' and offered.type <> 'superadmin'));
end $$;

-- Makes a user a member of the space that invites them, with the role and the teams of the invitation, and marks it as accepted, with a line in the audit log.
-- The caller has locked the invitation. It locks the membership, then the teams in the order of their ids.
create or replace function enter_space(offer invitations, who bigint) returns void
language plpgsql volatile as $$
#variable_conflict use_column
begin
  -- A person who is a member of that space already keeps their role.
  insert into members (group_id, user_id, role_id) values (offer.group_id, who, offer.role_id) on conflict do nothing;
  perform lock_member(offer.group_id, who);

  with held as (
    select t.id
      from teams t
     where t.group_id = offer.group_id and t.deleted_at is null
       and t.id in (select o.team_id from invitation_teams o where o.group_id = offer.group_id and o.invitation_id = offer.id)
     order by t.id
       for no key update),
  joined as (
    insert into team_users (group_id, team_id, user_id, position)
    select offer.group_id, held.id, who,
           1 + coalesce((select max(tu.position) from team_users tu where tu.group_id = offer.group_id and tu.team_id = held.id), 0)
      from held
        on conflict do nothing
    returning team_id)
  update teams t set version = t.version + 1, updated_at = now()
   where t.group_id = offer.group_id and t.id in (select joined.team_id from joined);

  update invitations i set user_id = who, accepted_at = now(), updated_at = now(), secret_hash = null, expires_at = null
   where i.group_id = offer.group_id and i.id = offer.id;

  -- The request is one of another space, or of none, and has no line here.
  insert into audit_log (group_id, user_id, operation, type, record_id)
  values (offer.group_id, who, 'acceptInvitation', 'Invitation', offer.id);
end $$;

-- Accepts an invitation of any space for a member of this space. It returns no row if the member has no such pending invitation. `confirmed` is false, and
-- nothing is changed, if their mail is not confirmed; this check comes before any invitation is read.
-- It locks in this order: the account, so that its mail does not change meanwhile; the invitation, so that only one call accepts it; what
-- enter_space locks.
create or replace function accept_invitation(space bigint, member bigint, invitation bigint)
returns table (confirmed boolean, id bigint, group_id bigint, space_name text, role_name text, last_sent timestamptz)
language plpgsql volatile as $$
#variable_conflict use_column
declare
  own users;
  host bigint;
  offer invitations;
begin
  select u.* into own
    from users u
    join members m on m.group_id = space and m.user_id = u.id
   where u.id = member and u.deleted_at is null
     for no key update of u;
  if not found then
    return;
  end if;
  confirmed := own.mail_confirmed;
  if not confirmed then
    return next;
    return;
  end if;

  -- The lock names the space: a cluster finds the node by it.
  select i.group_id into host
    from invitations i
    join spaces s on s.id = i.group_id and s.deleted_at is null
   where i.id = invitation and lower(i.email) = lower(own.mail) and i.user_id is null and i.deleted_at is null
   order by i.group_id
   limit 1;
  select i.* into offer
    from invitations i
   where i.group_id = host and i.id = invitation and lower(i.email) = lower(own.mail) and i.user_id is null and i.deleted_at is null
     for no key update;
  if not found or not may_invite(offer.group_id, offer.invited_by, offer.role_id) then
    return;
  end if;

  perform enter_space(offer, own.id);

  return query
    select true, offer.id, offer.group_id, s.name, r.name, offer.last_sent
      from spaces s
      join roles r on r.group_id = s.id and r.id = offer.role_id
     where s.id = offer.group_id;
end $$;

-- Lets a person without a token into the space whose invitation has the secret with this digest: creates their account and their token. It returns no
-- row if the secret opens nothing. `known` is true, and nothing is changed, if the invited mail already has an account: then its owner accepts.
-- The secret proves that the inviter passed it on, and not that the person receives the mail: the mail is not confirmed.
create or replace function join_space(secret bytea, first_name text, last_name text, token bytea, shown text)
returns table (known boolean, token_id bigint, space_id bigint, space_name text, account_id bigint, email text)
language plpgsql volatile as $$
#variable_conflict use_column
declare
  host bigint;
  offer invitations;
begin
  select i.group_id into host
    from invitations i
    join spaces s on s.id = i.group_id and s.deleted_at is null
   where i.secret_hash = join_space.secret and i.expires_at > clock_timestamp() and i.user_id is null and i.deleted_at is null
   order by i.group_id
   limit 1;
  select i.* into offer
    from invitations i
   where i.group_id = host and i.secret_hash = join_space.secret and i.expires_at > clock_timestamp() and i.user_id is null and i.deleted_at is null
     for no key update;
  if not found or not may_invite(offer.group_id, offer.invited_by, offer.role_id) then
    return;
  end if;

  insert into users (mail, firstname, surname, mail_confirmed) values (offer.email, join_space.first_name, join_space.last_name, false)
    on conflict (lower(mail)) where deleted_at is null do nothing
    returning users.id into account_id;
  known := account_id is null;
  if known then
    return next;
    return;
  end if;

  perform enter_space(offer, account_id);
  insert into tokens (group_id, user_id, hash, prefix, label) values (offer.group_id, account_id, token, shown, 'Joined by invitation')
    returning tokens.id into token_id;
  return query
    select false, join_space.token_id, s.id, s.name, join_space.account_id, offer.email from spaces s where s.id = offer.group_id;
end $$;

-- Whether this server has the rows of a space. One PostgreSQL always has them. On a Citus cluster, triggers of tables that all nodes have fire on each node,
-- and ask this.
create or replace function holds_space(space bigint) returns boolean
language plpgsql stable as $$
begin
  if to_regclass('pg_catalog.pg_dist_placement') is null then return true; end if;
  if not exists (select 1 from pg_catalog.pg_dist_partition p where p.logicalrelid = cast('contacts' as regclass)) then return true; end if;
  return exists (
    select 1 from pg_catalog.pg_dist_placement p
     where p.shardid = get_shard_id_for_distribution_column('contacts', space) and p.groupid = (select l.groupid from pg_catalog.pg_dist_local_group l));
end $$;

-- What an operator creates on the command line

-- The account of a mail, which is created when there is none.
create or replace function ensure_account(wanted text, first_name text, last_name text)
returns table (id bigint, mail text, created boolean, mail_confirmed boolean)
language plpgsql volatile as $$
#variable_conflict use_column
begin
  loop
    return query
      select u.id, u.mail, false, u.mail_confirmed from users u where lower(u.mail) = lower(wanted) and u.deleted_at is null;
    exit when found;
    return query
      insert into users as made (mail, firstname, surname) values (wanted, first_name, last_name)
        on conflict (lower(mail)) where deleted_at is null do nothing
        returning made.id, made.mail, true, made.mail_confirmed;
    exit when found;
  end loop;
end $$;

-- Creates the row of a space. With `first` it returns false, and creates nothing, if the database has a space, also a deleted one: of two calls at the
-- same moment, one creates it.
create or replace function create_space(space bigint, name text, first boolean) returns boolean
language plpgsql volatile as $$
begin
  if first then
    lock table spaces in share row exclusive mode;
    if exists (select 1 from spaces) then
      return false;
    end if;
  end if;
  insert into spaces (id, name) values (space, create_space.name);
  return true;
end $$;

-- Normalized values for comparisons

-- A phone's digits, with a plus before those that begin with a calling code. Digits of any script are those from 0 to 9. `00` is a plus, and `(0)` after a
-- calling code is nothing.
create or replace function dialled(text) returns text
language plpgsql immutable strict parallel safe as $$
declare
  zeros constant int[] := array[
    1632, 1776, 1984, 2406, 2534, 2662, 2790, 2918, 3046, 3174, 3302, 3430, 3558, 3664, 3792, 3872, 4160, 4240, 6112, 6160, 6470, 6608, 6784, 6800, 6992, 7088, 7232,
    7248, 42528, 43216, 43264, 43472, 43504, 43600, 44016, 65296, 66720, 68912, 69734, 69872, 69942, 70096, 70384, 70736, 70864, 71248, 71360, 71472, 71904, 72016,
    72784, 73040, 73120, 73552, 92768, 92864, 93008, 120782, 120792, 120802, 120812, 120822, 123200, 123632, 124144, 125264, 130032];
  number text := $1;
  digits text;
begin
  if octet_length(number) <> length(number) then
    select string_agg(coalesce((select (ascii(t.letter) - zero)::text from unnest(zeros) zero where ascii(t.letter) between zero and zero + 9),
                               case t.letter when '＋' then '+' else t.letter end), '' order by t.place)
      into number from string_to_table(number, null) with ordinality t (letter, place);
  end if;
  -- The usual marks go without a regular expression, in a fraction of the time.
  digits := translate(number, ' .-()/+', '');
  if digits ~ '[^0-9]' then digits := regexp_replace(digits, '[^0-9]', '', 'g'); end if;
  if digits not like '00_%' and (strpos(number, '+') = 0 or number !~ '^[^0-9]*\+') then return digits; end if;
  if strpos(number, '(0)') > 0 then digits := regexp_replace(regexp_replace(number, '([1-9][^0-9]*)\(0\)', '\1'), '[^0-9]', '', 'g'); end if;
  return '+' || case when digits like '00_%' then substr(digits, 3) else digits end;
end $$;

-- The calling code of a country, by its code of ISO 3166, or its name in English, French or German. Null for anything else. It is not strict, so that it is inlined.
create or replace function calling_code(country text) returns text
language sql immutable parallel safe as $$
  select jsonb '{
  "ag":"1","antigua & barbuda":"1","antigua-et-barbuda":"1","antigua und barbuda":"1","ai":"1","anguilla":"1","as":"1","american samoa":"1","samoa americaines":"1",
  "amerikanisch-samoa":"1","bb":"1","barbados":"1","barbade":"1","bm":"1","bermuda":"1","bermudes":"1","bs":"1","bahamas":"1","ca":"1","canada":"1","kanada":"1","dm":"1",
  "dominica":"1","dominique":"1","do":"1","dominican republic":"1","republique dominicaine":"1","dominikanische republik":"1","gd":"1","grenada":"1","grenade":"1","gu":"1",
  "guam":"1","jm":"1","jamaica":"1","jamaique":"1","jamaika":"1","kn":"1","st. kitts & nevis":"1","saint-christophe-et-nieves":"1","st. kitts und nevis":"1","ky":"1",
  "cayman islands":"1","iles caimans":"1","kaimaninseln":"1","lc":"1","st. lucia":"1","sainte-lucie":"1","mp":"1","northern mariana islands":"1",
  "iles mariannes du nord":"1","nordliche marianen":"1","ms":"1","montserrat":"1","pr":"1","puerto rico":"1","porto rico":"1","sx":"1","sint maarten":"1",
  "saint-martin (partie neerlandaise)":"1","tc":"1","turks & caicos islands":"1","iles turques-et-caiques":"1","turks- und caicosinseln":"1","tt":"1",
  "trinidad & tobago":"1","trinite-et-tobago":"1","trinidad und tobago":"1","us":"1","united states":"1","etats-unis":"1","vereinigte staaten":"1","vc":"1",
  "st. vincent & grenadines":"1","saint-vincent-et-les grenadines":"1","st. vincent und die grenadinen":"1","vg":"1","british virgin islands":"1",
  "iles vierges britanniques":"1","britische jungferninseln":"1","vi":"1","u.s. virgin islands":"1","iles vierges des etats-unis":"1","amerikanische jungferninseln":"1",
  "usa":"1","u.s.a.":"1","united states of america":"1","etats-unis d''amerique":"1","eg":"20","egypt":"20","egypte":"20","agypten":"20","ss":"211","south sudan":"211",
  "soudan du sud":"211","sudsudan":"211","eh":"212","western sahara":"212","sahara occidental":"212","westsahara":"212","ma":"212","morocco":"212","maroc":"212",
  "marokko":"212","dz":"213","algeria":"213","algerie":"213","algerien":"213","tn":"216","tunisia":"216","tunisie":"216","tunesien":"216","ly":"218","libya":"218",
  "libye":"218","libyen":"218","gm":"220","gambia":"220","gambie":"220","sn":"221","senegal":"221","mr":"222","mauritania":"222","mauritanie":"222","mauretanien":"222",
  "ml":"223","mali":"223","gn":"224","guinea":"224","guinee":"224","ci":"225","cote d''ivoire":"225","ivory coast":"225","bf":"226","burkina faso":"226","ne":"227",
  "niger":"227","tg":"228","togo":"228","bj":"229","benin":"229","mu":"230","mauritius":"230","maurice":"230","lr":"231","liberia":"231","sl":"232","sierra leone":"232",
  "gh":"233","ghana":"233","ng":"234","nigeria":"234","td":"235","chad":"235","tchad":"235","tschad":"235","cf":"236","central african republic":"236",
  "republique centrafricaine":"236","zentralafrikanische republik":"236","cm":"237","cameroon":"237","cameroun":"237","kamerun":"237","cv":"238","cape verde":"238",
  "cap-vert":"238","cabo verde":"238","st":"239","sao tome & principe":"239","sao tome-et-principe":"239","sao tome und principe":"239","gq":"240",
  "equatorial guinea":"240","guinee equatoriale":"240","aquatorialguinea":"240","ga":"241","gabon":"241","gabun":"241","cg":"242","congo - brazzaville":"242",
  "congo-brazzaville":"242","kongo-brazzaville":"242","cd":"243","congo - kinshasa":"243","congo-kinshasa":"243","kongo-kinshasa":"243","ao":"244","angola":"244",
  "gw":"245","guinea-bissau":"245","guinee-bissau":"245","io":"246","british indian ocean territory":"246","territoire britannique de l''ocean indien":"246",
  "britisches territorium im indischen ozean":"246","ac":"247","ascension island":"247","ile de l''ascension":"247","ascension":"247","sc":"248","seychelles":"248",
  "seychellen":"248","sd":"249","sudan":"249","soudan":"249","rw":"250","rwanda":"250","ruanda":"250","et":"251","ethiopia":"251","ethiopie":"251","athiopien":"251",
  "so":"252","somalia":"252","somalie":"252","dj":"253","djibouti":"253","dschibuti":"253","ke":"254","kenya":"254","kenia":"254","tz":"255","tanzania":"255",
  "tanzanie":"255","tansania":"255","ug":"256","uganda":"256","ouganda":"256","bi":"257","burundi":"257","mz":"258","mozambique":"258","mosambik":"258","zm":"260",
  "zambia":"260","zambie":"260","sambia":"260","mg":"261","madagascar":"261","madagaskar":"261","re":"262","reunion":"262","la reunion":"262","yt":"262","mayotte":"262",
  "zw":"263","zimbabwe":"263","simbabwe":"263","na":"264","namibia":"264","namibie":"264","mw":"265","malawi":"265","ls":"266","lesotho":"266","bw":"267","botswana":"267",
  "botsuana":"267","sz":"268","eswatini":"268","km":"269","comoros":"269","comores":"269","komoren":"269","za":"27","south africa":"27","afrique du sud":"27",
  "sudafrika":"27","sh":"290","st. helena":"290","sainte-helene":"290","ta":"290","tristan da cunha":"290","er":"291","eritrea":"291","erythree":"291","aw":"297",
  "aruba":"297","fo":"298","faroe islands":"298","iles feroe":"298","faroer":"298","gl":"299","greenland":"299","groenland":"299","gronland":"299","gr":"30","greece":"30",
  "grece":"30","griechenland":"30","nl":"31","netherlands":"31","pays-bas":"31","niederlande":"31","holland":"31","hollande":"31","be":"32","belgium":"32","belgique":"32",
  "belgien":"32","fr":"33","france":"33","frankreich":"33","es":"34","spain":"34","espagne":"34","spanien":"34","gi":"350","gibraltar":"350","pt":"351","portugal":"351",
  "lu":"352","luxembourg":"352","luxemburg":"352","ie":"353","ireland":"353","irlande":"353","irland":"353","is":"354","iceland":"354","islande":"354","island":"354",
  "al":"355","albania":"355","albanie":"355","albanien":"355","mt":"356","malta":"356","malte":"356","cy":"357","cyprus":"357","chypre":"357","zypern":"357","ax":"358",
  "aland islands":"358","iles aland":"358","alandinseln":"358","fi":"358","finland":"358","finlande":"358","finnland":"358","bg":"359","bulgaria":"359","bulgarie":"359",
  "bulgarien":"359","hu":"36","hungary":"36","hongrie":"36","ungarn":"36","lt":"370","lithuania":"370","lituanie":"370","litauen":"370","lv":"371","latvia":"371",
  "lettonie":"371","lettland":"371","ee":"372","estonia":"372","estonie":"372","estland":"372","md":"373","moldova":"373","moldavie":"373","republik moldau":"373",
  "am":"374","armenia":"374","armenie":"374","armenien":"374","by":"375","belarus":"375","bielorussie":"375","ad":"376","andorra":"376","andorre":"376","mc":"377",
  "monaco":"377","sm":"378","san marino":"378","saint-marin":"378","ua":"380","ukraine":"380","rs":"381","serbia":"381","serbie":"381","serbien":"381","me":"382",
  "montenegro":"382","xk":"383","kosovo":"383","hr":"385","croatia":"385","croatie":"385","kroatien":"385","si":"386","slovenia":"386","slovenie":"386","slowenien":"386",
  "ba":"387","bosnia & herzegovina":"387","bosnie-herzegovine":"387","bosnien und herzegowina":"387","mk":"389","north macedonia":"389","macedoine du nord":"389",
  "nordmazedonien":"389","it":"39","italy":"39","italie":"39","italien":"39","va":"39","vatican city":"39","etat de la cite du vatican":"39","vatikanstadt":"39","ro":"40",
  "romania":"40","roumanie":"40","rumanien":"40","ch":"41","switzerland":"41","suisse":"41","schweiz":"41","cz":"420","czechia":"420","tchequie":"420","tschechien":"420",
  "czech republic":"420","republique tcheque":"420","tschechische republik":"420","sk":"421","slovakia":"421","slovaquie":"421","slowakei":"421","li":"423",
  "liechtenstein":"423","at":"43","austria":"43","autriche":"43","osterreich":"43","gb":"44","united kingdom":"44","royaume-uni":"44","vereinigtes konigreich":"44",
  "gg":"44","guernsey":"44","guernesey":"44","im":"44","isle of man":"44","ile de man":"44","je":"44","jersey":"44","uk":"44","england":"44","scotland":"44","wales":"44",
  "great britain":"44","grande-bretagne":"44","grossbritannien":"44","dk":"45","denmark":"45","danemark":"45","se":"46","sweden":"46","suede":"46","schweden":"46",
  "no":"47","norway":"47","norvege":"47","norwegen":"47","sj":"47","svalbard & jan mayen":"47","svalbard et jan mayen":"47","spitzbergen und jan mayen":"47","pl":"48",
  "poland":"48","pologne":"48","polen":"48","de":"49","germany":"49","allemagne":"49","deutschland":"49","fk":"500","falkland islands":"500","iles malouines":"500",
  "falklandinseln":"500","bz":"501","belize":"501","gt":"502","guatemala":"502","sv":"503","el salvador":"503","salvador":"503","hn":"504","honduras":"504","ni":"505",
  "nicaragua":"505","cr":"506","costa rica":"506","pa":"507","panama":"507","pm":"508","st. pierre & miquelon":"508","saint-pierre-et-miquelon":"508",
  "st. pierre und miquelon":"508","ht":"509","haiti":"509","pe":"51","peru":"51","perou":"51","mx":"52","mexico":"52","mexique":"52","mexiko":"52","cu":"53","cuba":"53",
  "kuba":"53","ar":"54","argentina":"54","argentine":"54","argentinien":"54","br":"55","brazil":"55","bresil":"55","brasilien":"55","cl":"56","chile":"56","chili":"56",
  "co":"57","colombia":"57","colombie":"57","kolumbien":"57","ve":"58","venezuela":"58","bl":"590","st. barthelemy":"590","saint-barthelemy":"590","gp":"590",
  "guadeloupe":"590","mf":"590","st. martin":"590","saint-martin":"590","bo":"591","bolivia":"591","bolivie":"591","bolivien":"591","gy":"592","guyana":"592","ec":"593",
  "ecuador":"593","equateur":"593","gf":"594","french guiana":"594","guyane francaise":"594","franzosisch-guayana":"594","py":"595","paraguay":"595","mq":"596",
  "martinique":"596","sr":"597","suriname":"597","uy":"598","uruguay":"598","bq":"599","caribbean netherlands":"599","pays-bas caribeens":"599",
  "karibische niederlande":"599","cw":"599","curacao":"599","my":"60","malaysia":"60","malaisie":"60","au":"61","australia":"61","australie":"61","australien":"61",
  "cc":"61","cocos (keeling) islands":"61","iles cocos":"61","kokosinseln":"61","cx":"61","christmas island":"61","ile christmas":"61","weihnachtsinsel":"61","id":"62",
  "indonesia":"62","indonesie":"62","indonesien":"62","ph":"63","philippines":"63","philippinen":"63","nz":"64","new zealand":"64","nouvelle-zelande":"64",
  "neuseeland":"64","pn":"64","pitcairn islands":"64","iles pitcairn":"64","pitcairninseln":"64","sg":"65","singapore":"65","singapour":"65","singapur":"65","th":"66",
  "thailand":"66","thailande":"66","tl":"670","timor-leste":"670","timor oriental":"670","nf":"672","norfolk island":"672","ile norfolk":"672","norfolkinsel":"672",
  "bn":"673","brunei":"673","brunei darussalam":"673","nr":"674","nauru":"674","pg":"675","papua new guinea":"675","papouasie-nouvelle-guinee":"675",
  "papua-neuguinea":"675","to":"676","tonga":"676","sb":"677","solomon islands":"677","iles salomon":"677","salomonen":"677","vu":"678","vanuatu":"678","fj":"679",
  "fiji":"679","fidji":"679","fidschi":"679","pw":"680","palau":"680","palaos":"680","wf":"681","wallis & futuna":"681","wallis-et-futuna":"681","wallis und futuna":"681",
  "ck":"682","cook islands":"682","iles cook":"682","cookinseln":"682","nu":"683","niue":"683","ws":"685","samoa":"685","ki":"686","kiribati":"686","nc":"687",
  "new caledonia":"687","nouvelle-caledonie":"687","neukaledonien":"687","tv":"688","tuvalu":"688","pf":"689","french polynesia":"689","polynesie francaise":"689",
  "franzosisch-polynesien":"689","tk":"690","tokelau":"690","fm":"691","micronesia":"691","micronesie":"691","mikronesien":"691","mh":"692","marshall islands":"692",
  "iles marshall":"692","marshallinseln":"692","kz":"7","kazakhstan":"7","kasachstan":"7","ru":"7","russia":"7","russie":"7","russland":"7","jp":"81","japan":"81",
  "japon":"81","kr":"82","south korea":"82","coree du sud":"82","sudkorea":"82","vn":"84","vietnam":"84","viet nam":"84","kp":"850","north korea":"850",
  "coree du nord":"850","nordkorea":"850","hk":"852","hong kong sar china":"852","r.a.s. chinoise de hong kong":"852","sonderverwaltungsregion hongkong":"852","mo":"853",
  "macao sar china":"853","r.a.s. chinoise de macao":"853","sonderverwaltungsregion macau":"853","kh":"855","cambodia":"855","cambodge":"855","kambodscha":"855","la":"856",
  "laos":"856","cn":"86","china":"86","chine":"86","bd":"880","bangladesh":"880","bangladesch":"880","tw":"886","taiwan":"886","tr":"90","turkiye":"90","turquie":"90",
  "turkei":"90","turkey":"90","in":"91","india":"91","inde":"91","indien":"91","pk":"92","pakistan":"92","af":"93","afghanistan":"93","lk":"94","sri lanka":"94","mm":"95",
  "myanmar (burma)":"95","myanmar (birmanie)":"95","myanmar":"95","mv":"960","maldives":"960","malediven":"960","lb":"961","lebanon":"961","liban":"961","libanon":"961",
  "jo":"962","jordan":"962","jordanie":"962","jordanien":"962","sy":"963","syria":"963","syrie":"963","syrien":"963","iq":"964","iraq":"964","irak":"964","kw":"965",
  "kuwait":"965","koweit":"965","sa":"966","saudi arabia":"966","arabie saoudite":"966","saudi-arabien":"966","ye":"967","yemen":"967","jemen":"967","om":"968",
  "oman":"968","ps":"970","palestinian territories":"970","territoires palestiniens":"970","palastinensische autonomiegebiete":"970","ae":"971",
  "united arab emirates":"971","emirats arabes unis":"971","vereinigte arabische emirate":"971","il":"972","israel":"972","bh":"973","bahrain":"973","bahrein":"973",
  "qa":"974","qatar":"974","katar":"974","bt":"975","bhutan":"975","bhoutan":"975","mn":"976","mongolia":"976","mongolie":"976","mongolei":"976","np":"977","nepal":"977",
  "ir":"98","iran":"98","tj":"992","tajikistan":"992","tadjikistan":"992","tadschikistan":"992","tm":"993","turkmenistan":"993","az":"994","azerbaijan":"994",
  "azerbaidjan":"994","aserbaidschan":"994","ge":"995","georgia":"995","georgie":"995","georgien":"995","kg":"996","kyrgyzstan":"996","kirghizstan":"996",
  "kirgisistan":"996","uz":"998","uzbekistan":"998","ouzbekistan":"998","usbekistan":"998"}' ->> case when country ~ '^[A-Za-z]{2}$' then lower(country collate "C") else fold(country) end
$$;

-- What is dialled before a number within the country, and not from elsewhere. In most countries a 0; in these nothing: there a leading 0 belongs to the number.
create or replace function trunk_prefix(code text) returns text
language sql immutable parallel safe as $$
  select case
    when code in ('7', '375', '993') then '8'
    when code = '36' then '06'
    when code in ('1', '30', '34', '39', '45', '47', '48', '52', '56', '65', '220', '221', '222', '223', '224', '225', '226', '227', '228', '229', '230', '235', '236',
      '237', '238', '239', '240', '241', '242', '244', '245', '248', '253', '257', '258', '266', '267', '268', '269', '297', '298', '299', '350', '351', '352', '354',
      '356', '357', '371', '372', '376', '378', '420', '501', '502', '503', '504', '505', '506', '507', '509', '597', '599', '670', '673', '674', '675', '676', '677',
      '678', '679', '680', '682', '683', '685', '687', '688', '689', '690', '852', '853', '960', '965', '968', '973', '974', '975', '992', '998') then ''
    else '0' end
$$;

-- A phone as all others are compared with it: its digits with the calling code, after a plus, and those that are dialled within the country. `country` is that of
-- the contact, or of the space. A number is read as one of it, unless it begins with a calling code: of the country itself also without a plus, if enough
-- digits follow. Both are the same where the country is not known, and empty where there are no digits.
create or replace function phone_forms(number text, country text) returns text[]
language plpgsql immutable parallel safe as $$
declare
  digits text := dialled(coalesce(number, ''));
  code text;
  trunk text;
  own text;
begin
  if digits in ('', '+') then return '{"",""}'; end if;
  if digits like '+%' then
    code := substring(digits from '^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|2[1-689]\d|3[578]\d|42\d|5[09]\d|6[7-9]\d|8[035789]\d|9[679]\d)');
    if code is null then return array[digits, substr(digits, 2)]; end if;
    own := substr(digits, length(code) + 2);
  else
    code := calling_code(country);
    if code is null then return array[digits, digits]; end if;
    trunk := trunk_prefix(code);
    own := case
      when starts_with(digits, code) and length(digits) >= length(code) + 9 then substr(digits, length(code) + 1)
      when starts_with(digits, trunk) and (trunk <> '8' or length(digits) = 11) then substr(digits, length(trunk) + 1)
      else digits end;
  end if;
  return array['+' || code || own, trunk_prefix(code) || own];
end $$;

-- The digits by which a number may be dialled within a country that is not known, written so or without its trunk: a leading 0 that was lost, the 1 of North America.
create or replace function national_forms(number text) returns text[]
language sql immutable strict parallel safe as $$
  select case
    when number like '0%' then array[number]
    when number ~ '^1\d{10}$' then array[number, '0' || number, substr(number, 2)]
    else array[number, '0' || number] end
$$;

-- Opt-outs that outlive their contact

-- Digests of the mail and of the phones by which a person is known again. The last nine digits are the same with a calling code and without.
create or replace function digest_opt_out(space bigint, mail text, phone text, mobile text) returns bytea[]
  language sql immutable parallel safe
  return array(
    select sha256(convert_to(space || ' ' || known.value, 'UTF8'))
      from (values ('mail ' || nullif(fold(coalesce(mail, '')), '')),
                   ('phone ' || substring(dialled(phone) from '[0-9]{6,9}$')),
                   ('phone ' || substring(dialled(mobile) from '[0-9]{6,9}$'))) known (value)
     where known.value is not null);

-- Remembers the opt-out of a contact that is deleted, by its former mails and by what merged contacts had, too; and forgets one that is lifted, not one that is undone.
create or replace function keep_opt_out() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'UPDATE' and not new.black_list then
    if current_setting('muster.keeps_opt_outs', true) = 'on' then return null; end if;
    delete from opt_outs o where o.group_id = old.group_id and o.digest = any(digest_opt_out(old.group_id, old.mail, old.phone, old.mobile));
  else
    insert into opt_outs (group_id, digest)
    select old.group_id, d.digest from (
      select unnest(digest_opt_out(old.group_id, old.mail, old.phone, old.mobile))
      union select unnest(digest_opt_out(old.group_id, f.mail, null, null)) from former_mails f where f.group_id = old.group_id and f.contact_id = old.id
      union select unnest(digest_opt_out(old.group_id, m.mail, m.phone, m.mobile)) from contacts m where m.group_id = old.group_id and m.merged_into = old.id) d (digest)
    on conflict do nothing;
  end if;
  return null;
end
$$;

-- Writes the change of an opt-out to the history of consent. Several changes by one transaction are one line.
create or replace function note_opt_out() returns trigger
language plpgsql as $$
begin
  insert into consent_changes as c (group_id, contact_id, before, after)
  values (new.group_id, new.id, case when tg_op = 'UPDATE' then old.black_list::text end, new.black_list::text)
  on conflict (group_id, contact_id, coalesce(form_id, -1), coalesce(form_ref_id, -1)) where operation is null do update set after = excluded.after;
  return null;
end
$$;

-- The value of an answer to a form on consent: its text, else the option.
create or replace function answer_text(space bigint, data text, ref bigint) returns text
language plpgsql stable parallel safe as $$
begin
  return coalesce(nullif(data, ''), (select coalesce(nullif(r.value, ''), r.label) from form_refs r where r.group_id = space and r.id = ref));
end
$$;

-- The types of those of these forms that ask for consent, by their ids.
create or replace function consent_forms(space bigint, ids bigint[]) returns jsonb
language plpgsql stable parallel safe as $$
begin
  return (select coalesce(jsonb_object_agg(f.id, f.type), '{}') from forms f where f.group_id = space and f.id = any(ids) and f.kind = 'consent');
end
$$;

-- Those of these contacts that still have a row.
create or replace function kept_contacts(space bigint, ids bigint[]) returns bigint[]
language plpgsql stable parallel safe as $$
begin
  return array(select c.id from contacts c where c.group_id = space and c.id = any(ids));
end
$$;

-- One line of the history for each contact and question, of the changes that `note_consents` collects.
create or replace function consent_lines(space bigint, changes jsonb)
returns table (contact_id bigint, form_id bigint, form_ref_id bigint, option_id bigint, before text, after text)
language sql immutable parallel safe as $$
  select (x ->> 1)::bigint, (x ->> 2)::bigint, case when x ->> 6 not in ('radio', 'select') then (x ->> 3)::bigint end, min((x ->> 3)::bigint), min(x ->> 4), min(x ->> 5)
    from jsonb_array_elements(changes) x where (x ->> 0)::bigint = space group by 1, 2, 3 order by 1, 2, 3
$$;

-- Writes changes of answers to forms on consent to the history. An answer that moves to the survivor of a merge is one that they give.
-- No table of the space is joined with the changed rows: on a cluster only the node has these.
create or replace function note_consents() returns trigger
language plpgsql as $$
declare
  space bigint;
  changes jsonb;
begin
  if tg_op = 'INSERT' then
    select jsonb_agg(jsonb_build_array(n.group_id, n.contact_id, n.form_id, n.form_ref_id, null, answer_text(n.group_id, n.data, n.form_ref_id), s.types ->> n.form_id::text)) into changes
      from (select k.group_id, consent_forms(k.group_id, array_agg(distinct k.form_id)) as types from new_rows k group by 1) s
      join new_rows n on n.group_id = s.group_id and s.types ? n.form_id::text;
  elsif tg_op = 'DELETE' then
    select jsonb_agg(jsonb_build_array(o.group_id, o.contact_id, o.form_id, o.form_ref_id, answer_text(o.group_id, o.data, o.form_ref_id), null, s.types ->> o.form_id::text)) into changes
      from (select k.group_id, consent_forms(k.group_id, array_agg(distinct k.form_id)) as types from old_rows k group by 1) s
      cross join lateral (
        select kept_contacts(s.group_id, array_agg(distinct k.contact_id)) as ids from old_rows k where k.group_id = s.group_id and s.types ? k.form_id::text) kept
      join old_rows o on o.group_id = s.group_id and s.types ? o.form_id::text and o.contact_id = any(kept.ids);
  else
    select jsonb_agg(jsonb_build_array(n.group_id, n.contact_id, n.form_id, n.form_ref_id,
             case when o.contact_id = n.contact_id then answer_text(o.group_id, o.data, o.form_ref_id) end, answer_text(n.group_id, n.data, n.form_ref_id), s.types ->> n.form_id::text)) into changes
      from (select k.group_id, consent_forms(k.group_id, array_agg(distinct k.form_id)) as types from new_rows k group by 1) s
      join new_rows n on n.group_id = s.group_id and s.types ? n.form_id::text
      join old_rows o on o.group_id = n.group_id and o.id = n.id
     where (o.contact_id, o.form_ref_id, o.data) is distinct from (n.contact_id, n.form_ref_id, n.data);
  end if;
  -- A new answer and the one that it replaces are deleted and inserted in any order.
  for space in select distinct (x ->> 0)::bigint from jsonb_array_elements(changes) x order by 1 loop
    if tg_op = 'DELETE' then
      insert into consent_changes as c (group_id, contact_id, form_id, form_ref_id, option_id, before, after)
      select space, l.* from consent_lines(space, changes) l
      on conflict (group_id, contact_id, coalesce(form_id, -1), coalesce(form_ref_id, -1)) where operation is null
      do update set before = coalesce(c.before, excluded.before);
    else
      insert into consent_changes as c (group_id, contact_id, form_id, form_ref_id, option_id, before, after)
      select space, l.* from consent_lines(space, changes) l
      on conflict (group_id, contact_id, coalesce(form_id, -1), coalesce(form_ref_id, -1)) where operation is null
      do update set before = coalesce(c.before, excluded.before), after = excluded.after, option_id = excluded.option_id;
    end if;
  end loop;
  return null;
end
$$;

-- The rows of contact search

-- The search rows of these contacts of a space. `paid` says whether payments are read: contacts that the transaction has created have none.
-- Amounts are those in euros: who has records and none in euros has a least amount above the greatest. A deleted contact has none. A deleted form or action stays in the arrays, since the search checks whether it is deleted: deleting one must not
-- change every contact. Each lateral is one index lookup, whatever the statistics say. Every table is compared with `space` itself: a cluster finds the node by it.
create or replace function search_rows(space bigint, contacts bigint[], paid boolean default true) returns setof contact_search
language plpgsql stable as $$
declare
  home text := (select s.default_country from spaces s where s.id = space);
begin
  return query
  select c.id as contact_id,
         money.sum as transactions_sum, money.least as transactions_min, money.most as transactions_max,
         gift.sum as donations_sum, gift.least as donations_min, gift.most as donations_max,
         c.group_id,
         coalesce(c.birthdate, 'infinity') as birthdate,
         money.count as transactions_count,
         gift.count as donations_count,
         (own.mail <> '')::int
           | ((fold_inline(coalesce(c.mobile, '')) <> '')::int << 1)
           | ((fold_inline(coalesce(c.phone, '')) <> '')::int << 2)
           | ((own.city <> '')::int << 3)
           | ((own.married_name <> '')::int << 4)
           | ((c.user_contact_id is not null)::int << 5)
           | ((own.firstname <> '')::int << 6)
           | ((own.surname <> '')::int << 7)
           | ((own.postal_code <> '')::int << 8) as filled,
         coalesce(c.age_category, -1)::smallint as age_category,
         coalesce(c.gender, '')::"char" as gender,
         c.black_list,
         array(select t.tag_id from contact_tags t where t.group_id = space and t.contact_id = c.id order by t.tag_id) as tag_ids,
         array(select t.action_id from contact_actions t where t.group_id = space and t.contact_id = c.id order by t.action_id) as action_ids,
         array(select distinct t.form_id from answers t where t.group_id = space and t.contact_id = c.id order by t.form_id) as form_ids,
         array(select distinct t.form_ref_id from answers t where t.group_id = space and t.contact_id = c.id order by t.form_ref_id) as form_ref_ids,
         own.surname, own.firstname, own.married_name, own.mail, own.city, own.postal_code, own.mobile[1], own.phone[1], own.mobile[2], own.phone[2]
    from contacts c
    left join addresses a on a.group_id = space and a.contact_id = c.id
   -- A lateral that stays one (`offset 0`), so that each text is folded once.
   cross join lateral (
     select fold_inline(coalesce(c.surname, '')) as surname,
            fold_inline(coalesce(c.firstname, '')) as firstname,
            fold_inline(coalesce(c.married_name, '')) as married_name,
            fold_inline(coalesce(c.mail, '')) as mail,
            fold_inline(coalesce(a.city, '')) as city,
            fold_inline(coalesce(a.postal_code, '')) as postal_code,
            case when c.mobile <> '' then phone_forms(c.mobile, coalesce(nullif(a.country, ''), home)) else '{"",""}' end as mobile,
            case when c.phone <> '' then phone_forms(c.phone, coalesce(nullif(a.country, ''), home)) else '{"",""}' end as phone
     offset 0) own
   cross join lateral (
     select count(*)::int as count, coalesce(sum(t.amount) filter (where t.currency = 'EUR'), 0)::bigint as sum,
            coalesce(min(t.amount) filter (where t.currency = 'EUR'), case when count(*) > 0 then 9223372036854775807 else 0 end) as least,
            coalesce(max(t.amount) filter (where t.currency = 'EUR'), case when count(*) > 0 then -9223372036854775807 else 0 end) as most
       from transactions t
      where paid and t.group_id = space and t.contact_id = c.id and t.deleted_at is null) money
   cross join lateral (
     select count(*)::int as count, coalesce(sum(d.amount) filter (where d.currency = 'EUR'), 0)::bigint as sum,
            coalesce(min(d.amount) filter (where d.currency = 'EUR'), case when count(*) > 0 then 9223372036854775807 else 0 end) as least,
            coalesce(max(d.amount) filter (where d.currency = 'EUR'), case when count(*) > 0 then -9223372036854775807 else 0 end) as most
       from donations d
      where paid and d.group_id = space and d.contact_id = c.id and d.deleted_at is null) gift
   where c.group_id = space and c.id = any(contacts) and c.deleted_at is null;
end $$;

-- Adds the words of these folded names and cities to those of a space, for quick search. A text whose first word is there has them all, so a known text costs
-- one lookup. The setting forces it: a session may keep a plan that was made when there were few words, and would then read all of them each time. A text too
-- long for an index is left out. With `each_word` every word is looked up, which a text with only some of its words needs.
create or replace function add_search_words(space bigint, surnames text[], firstnames text[], cities text[], each_word boolean default false) returns void
language plpgsql volatile
set enable_seqscan = off
as $$
begin
  insert into search_words (group_id, kind, word, value)
  select distinct space, t.kind, w.word, t.value
    from (
      select v.kind, v.value, words_of(v.value) as words
        from (
          select 's'::"char" as kind, unnest(surnames) as value
          union all select 'f', unnest(firstnames)
          union all select 'c', unnest(cities)) v
       where v.value <> '' and octet_length(v.value) <= 1000 offset 0) t
   cross join lateral unnest(t.words) w (word)
   where (select true from search_words k
           where k.group_id = space and k.word = case when each_word then w.word else t.words[1] end and k.kind = t.kind and k.value = t.value limit 1) is null;
end $$;

-- Locks the words of quick search until the end of the transaction: waits for those who write words, and so sees their search rows; they may have brought
-- again a text that is to be removed.
create or replace function lock_search_words(space bigint) returns void
language plpgsql volatile as $$
begin
  lock table search_words in share row exclusive mode;
end $$;

-- Adds all words that the search rows of these contacts lack, where these were not written by the functions below.
create or replace function refresh_search_words(space bigint, contacts bigint[]) returns void
language plpgsql volatile as $$
declare
  names record;
begin
  with present as materialized (
    select s.surname, s.married_name, s.firstname, s.city from contact_search s where s.group_id = space and s.contact_id = any(contacts))
  select array(select surname from present union select married_name from present) as surnames,
         array(select distinct firstname from present) as firstnames, array(select distinct city from present) as cities
    into names;
  perform add_search_words(space, names.surnames, names.firstnames, names.cities, true);
end $$;

-- Adds the search rows of contacts that this transaction has created: no other session can have locked or derived them.
create or replace function add_search(space bigint, contacts bigint[]) returns void
language plpgsql volatile as $$
declare
  names record;
begin
  with added as (
  insert into contact_search (
    contact_id, group_id, transactions_sum, transactions_min, transactions_max, transactions_count,
    donations_sum, donations_min, donations_max, donations_count, birthdate, filled, age_category, gender, black_list,
    tag_ids, action_ids, form_ids, form_ref_ids, surname, firstname, married_name, mail, city, postal_code, mobile, phone, mobile_national, phone_national)
  select
    contact_id, group_id, transactions_sum, transactions_min, transactions_max, transactions_count,
    donations_sum, donations_min, donations_max, donations_count, birthdate, filled, age_category, gender, black_list,
    tag_ids, action_ids, form_ids, form_ref_ids, surname, firstname, married_name, mail, city, postal_code, mobile, phone, mobile_national, phone_national
    from search_rows(space, contacts, false)
    returning surname, firstname, married_name, city)
  select array(select surname from added union select married_name from added) as surnames,
         array(select distinct firstname from added) as firstnames, array(select distinct city from added) as cities
    into names;
  perform add_search_words(space, names.surnames, names.firstnames, names.cities);
end $$;

-- Brings the search rows of these contacts up to date. Every writer calls it in the transaction of its write, after the write.
-- It locks the contacts first, so that the second of two writers computes from the committed data of the first. It does not write unchanged rows.
create or replace function refresh_search(space bigint, contacts bigint[]) returns void
language plpgsql volatile as $$
declare
  names record;
begin
  perform count(*) from (
    select 1 from contacts c where c.group_id = space and c.id = any(contacts) order by c.id for no key update) locked;

  delete from contact_search s
   where s.group_id = space and s.contact_id = any(contacts)
     and not exists (select 1 from contacts c where c.group_id = space and c.id = s.contact_id and c.deleted_at is null);

  with known as materialized (
    select s.contact_id, s.surname, s.married_name, s.firstname, s.city from contact_search s where s.group_id = space and s.contact_id = any(contacts)),
  written as (
  insert into contact_search as s (
    contact_id, group_id, transactions_sum, transactions_min, transactions_max, transactions_count,
    donations_sum, donations_min, donations_max, donations_count, birthdate, filled, age_category, gender, black_list,
    tag_ids, action_ids, form_ids, form_ref_ids, surname, firstname, married_name, mail, city, postal_code, mobile, phone, mobile_national, phone_national)
  select
    contact_id, group_id, transactions_sum, transactions_min, transactions_max, transactions_count,
    donations_sum, donations_min, donations_max, donations_count, birthdate, filled, age_category, gender, black_list,
    tag_ids, action_ids, form_ids, form_ref_ids, surname, firstname, married_name, mail, city, postal_code, mobile, phone, mobile_national, phone_national
    from search_rows(space, contacts)
  on conflict (group_id, contact_id) do update set
    transactions_sum = excluded.transactions_sum,
    transactions_min = excluded.transactions_min,
    transactions_max = excluded.transactions_max,
    transactions_count = excluded.transactions_count,
    donations_sum = excluded.donations_sum,
    donations_min = excluded.donations_min,
    donations_max = excluded.donations_max,
    donations_count = excluded.donations_count,
    birthdate = excluded.birthdate,
    filled = excluded.filled,
    age_category = excluded.age_category,
    gender = excluded.gender,
    black_list = excluded.black_list,
    tag_ids = excluded.tag_ids,
    action_ids = excluded.action_ids,
    form_ids = excluded.form_ids,
    form_ref_ids = excluded.form_ref_ids,
    surname = excluded.surname,
    firstname = excluded.firstname,
    married_name = excluded.married_name,
    mail = excluded.mail,
    city = excluded.city,
    postal_code = excluded.postal_code,
    mobile = excluded.mobile,
    phone = excluded.phone,
    mobile_national = excluded.mobile_national,
    phone_national = excluded.phone_national
  where (s.*) is distinct from (excluded.*)
  returning s.contact_id, s.surname, s.married_name, s.firstname, s.city),
  -- A name that the row had already has its words.
  renamed as (select * from written except select * from known)
  select array(select surname from renamed union select married_name from renamed) as surnames,
         array(select distinct firstname from renamed) as firstnames, array(select distinct city from renamed) as cities
    into names;
  if names.cities <> '{}' then
    perform add_search_words(space, names.surnames, names.firstnames, names.cities);
  end if;
end $$;

-- Brings the tags and actions of these search rows up to date, as search_rows derives them. The transaction has changed nothing else that a row holds, and
-- has locked the contacts.
create or replace function refresh_search_links(space bigint, contacts bigint[]) returns void
language plpgsql volatile as $$
begin
  update contact_search s set tag_ids = linked.tag_ids, action_ids = linked.action_ids
    from (
      select c.id,
             array(select t.tag_id from contact_tags t where t.group_id = space and t.contact_id = c.id order by t.tag_id) as tag_ids,
             array(select t.action_id from contact_actions t where t.group_id = space and t.contact_id = c.id order by t.action_id) as action_ids
        from unnest(contacts) c (id) offset 0) linked
   where s.group_id = space and s.contact_id = linked.id and (s.tag_ids, s.action_ids) is distinct from (linked.tag_ids, linked.action_ids);
end $$;

-- The events that an e-mail has, as bits of `contact_emails`.
create or replace function email_events(
  delivered_at timestamptz, opened_at timestamptz, clicked_at timestamptz, bounced_at timestamptz, unsubscribed_at timestamptz, blacklisted_at timestamptz,
  abuse_report_at timestamptz) returns int
language sql immutable parallel safe
return ((delivered_at is not null)::int << 1) | ((opened_at is not null)::int << 2) | ((clicked_at is not null)::int << 3) | ((bounced_at is not null)::int << 4)
     | ((unsubscribed_at is not null)::int << 5) | ((blacklisted_at is not null)::int << 6) | ((abuse_report_at is not null)::int << 7);

-- The e-mail rows of these contacts, computed from their e-mails. As with search rows, deleted contacts have none: so conditions on e-mails
-- alone can be counted without checking for deleted contacts. A writer that deletes or restores a contact also calls `refresh_emails`.
create or replace function email_rows(space bigint, contacts bigint[]) returns setof contact_emails
language plpgsql stable as $$
begin
  -- Types are few, and folded once for a contact rather than for each e-mail.
  return query
  select g.group_id, g.contact_id, g.with_value, g.without_value, g.created_max, g.opened_max, g.clicked_max, g.mailings, g.lacks_type or t.has_blank,
         g.lacks_user, g.has_links, g.lacks_links, g.emails, g.created_min, g.delivered_min, g.delivered_max, t.types, g.user_ids
    from (
      select space as group_id,
             r.contact_id,
             (1 | bit_or(email_events(r.delivered_at, r.opened_at, r.clicked_at, r.bounced_at, r.unsubscribed_at, r.blacklisted_at, r.abuse_report_at)))::smallint as with_value,
             bit_or(254 & ~email_events(r.delivered_at, r.opened_at, r.clicked_at, r.bounced_at, r.unsubscribed_at, r.blacklisted_at, r.abuse_report_at))::smallint as without_value,
             max(r.created_at) as created_max,
             coalesce(max(opened_at), '-infinity') as opened_max,
             coalesce(max(clicked_at), '-infinity') as clicked_max,
             count(campaign_id)::int as mailings,
             bool_or(r.type is null) as lacks_type,
             bool_or(r.user_id is null) as lacks_user,
             bool_or(coalesce(cardinality(r.clicked_urls), 0) > 0) as has_links,
             bool_or(coalesce(cardinality(r.clicked_urls), 0) = 0) as lacks_links,
             count(*)::int as emails,
             min(r.created_at) as created_min,
             coalesce(min(delivered_at), 'infinity') as delivered_min,
             coalesce(max(delivered_at), '-infinity') as delivered_max,
             coalesce(array_agg(distinct r.type collate "C") filter (where r.type is not null), '{}') as types,
             coalesce(array_agg(distinct r.user_id) filter (where r.user_id is not null), '{}') as user_ids
        from emails r
       where r.group_id = space and r.contact_id = any(contacts) and r.deleted_at is null
         and exists (select 1 from contacts c where c.group_id = space and c.id = r.contact_id and c.deleted_at is null)
       group by r.contact_id) g
   cross join lateral (
     select coalesce(array_agg(distinct f.type) filter (where f.type <> ''), '{}') as types, coalesce(bool_or(f.type = ''), false) as has_blank
       from (select fold(n.type) collate "C" as type from unnest(g.types) n (type)) f) t;
end $$;

-- Brings the e-mail rows of these contacts up to date, as refresh_search does for search rows.
create or replace function refresh_emails(space bigint, contacts bigint[]) returns void
language plpgsql volatile as $$
begin
  perform count(*) from (
    select 1 from contacts c where c.group_id = space and c.id = any(contacts) order by c.id for no key update) locked;

  delete from contact_emails s
   where s.group_id = space and s.contact_id = any(contacts)
     and not exists (
       select 1 from emails r
         join contacts c on c.group_id = space and c.id = r.contact_id and c.deleted_at is null
        where r.group_id = space and r.contact_id = s.contact_id and r.deleted_at is null);

  insert into contact_emails as s
  select * from email_rows(space, contacts)
  on conflict (group_id, contact_id) do update set
    with_value = excluded.with_value,
    without_value = excluded.without_value,
    created_max = excluded.created_max,
    opened_max = excluded.opened_max,
    clicked_max = excluded.clicked_max,
    mailings = excluded.mailings,
    lacks_type = excluded.lacks_type,
    lacks_user = excluded.lacks_user,
    has_links = excluded.has_links,
    lacks_links = excluded.lacks_links,
    emails = excluded.emails,
    created_min = excluded.created_min,
    delivered_min = excluded.delivered_min,
    delivered_max = excluded.delivered_max,
    types = excluded.types,
    user_ids = excluded.user_ids
  where (s.*) is distinct from (excluded.*);
end $$;

-- The same after events of e-mails alone, which change neither how many there are nor their types and authors: it takes half the time.
create or replace function refresh_email_events(space bigint, contacts bigint[]) returns void
language plpgsql volatile as $$
begin
  perform count(*) from (
    select 1 from contacts c where c.group_id = space and c.id = any(contacts) order by c.id for no key update) locked;

  update contact_emails s
     set (with_value, without_value, opened_max, clicked_max, has_links, lacks_links, delivered_min, delivered_max)
       = (g.with_value, g.without_value, g.opened_max, g.clicked_max, g.has_links, g.lacks_links, g.delivered_min, g.delivered_max)
    from (
      select r.contact_id,
             (1 | bit_or(email_events(r.delivered_at, r.opened_at, r.clicked_at, r.bounced_at, r.unsubscribed_at, r.blacklisted_at, r.abuse_report_at)))::smallint as with_value,
             bit_or(254 & ~email_events(r.delivered_at, r.opened_at, r.clicked_at, r.bounced_at, r.unsubscribed_at, r.blacklisted_at, r.abuse_report_at))::smallint as without_value,
             coalesce(max(opened_at), '-infinity') as opened_max,
             coalesce(max(clicked_at), '-infinity') as clicked_max,
             bool_or(coalesce(cardinality(r.clicked_urls), 0) > 0) as has_links,
             bool_or(coalesce(cardinality(r.clicked_urls), 0) = 0) as lacks_links,
             coalesce(min(delivered_at), 'infinity') as delivered_min,
             coalesce(max(delivered_at), '-infinity') as delivered_max
        from emails r
       where r.group_id = space and r.contact_id = any(contacts) and r.deleted_at is null
       group by r.contact_id) g
   where s.group_id = space and s.contact_id = g.contact_id
     and (s.with_value, s.without_value, s.opened_max, s.clicked_max, s.has_links, s.lacks_links, s.delivered_min, s.delivered_max)
         is distinct from (g.with_value, g.without_value, g.opened_max, g.clicked_max, g.has_links, g.lacks_links, g.delivered_min, g.delivered_max);
end $$;

-- Derives the next `many` contacts of a space again, by their ids, after the rules of folding or the country of the space have changed; returns how many there
-- were. With none the space is done. It writes only what differs, and tells nobody: no contact has changed.
create or replace function rederive_search(space bigint, many int) returns int
language plpgsql volatile as $$
declare
  last bigint := (select s.rederived_to from spaces s where s.id = space for no key update);
  contacts bigint[] := array(select c.id from contacts c where c.group_id = space and c.id > last order by c.id limit many);
  -- Citus crashes on an element of a list in an update of a table that all nodes have.
  latest bigint := contacts[cardinality(contacts)];
begin
  perform set_config('muster.loads_spaces', 'on', true);
  perform refresh_search(space, contacts);
  perform refresh_emails(space, contacts);
  update answers a set data = data
   where a.group_id = space and a.contact_id = any(contacts) and a.folded <> left(fold(coalesce(a.data, '')), 160) collate "C";
  update spaces s set rederived_to = latest where s.id = space and s.rederived_to is not null;
  if contacts = '{}' then
    -- No change tells who is found by another folding, so watched segments look at all contacts.
    update segment_evaluations e set due_at = now() where e.group_id = space and e.evaluated_at is not null;
  end if;
  return cardinality(contacts);
end $$;

-- Writing contacts

-- Marks contacts as changed by a user, in their own fields or in their records. It returns the ids of the existing ones. It locks them in the
-- order of their ids, so that writers of several contacts never deadlock.
create or replace function mark_contacts(space bigint, contacts bigint[], by bigint) returns setof bigint
language plpgsql volatile as $$
begin
  return query
  with living as materialized (
    select c.id from contacts c where c.group_id = space and c.id = any(contacts) and c.deleted_at is null order by c.id for no key update)
  update contacts c set lastchange = now(), updated_at = now(), version = version + 1, user_id = by
    from living l
   where c.group_id = space and c.id = l.id
  returning c.id;
end $$;

-- The same for changes that affect search rows, which it refreshes. Every writer calls one of the two in the transaction of its write, after the write.
create or replace function touch_contacts(space bigint, contacts bigint[], by bigint) returns setof bigint
language plpgsql volatile as $$
declare
  living bigint[] := array(select mark_contacts(space, contacts, by));
begin
  if living = '{}' then return; end if;
  perform refresh_search(space, living);
  return query select unnest(living);
end $$;

-- Writes audit lines of records, in the order of the JSON: `[{id, user_id, token_id, operation, request_id, fields}]`, with the fields joined by commas.
create or replace function add_audit_lines(space bigint, type text, lines jsonb) returns void
language plpgsql volatile as $$
begin
  insert into audit_log (group_id, user_id, token_id, operation, request_id, type, record_id, fields)
  select space, l.user_id, l.token_id, l.operation, l.request_id, add_audit_lines.type, l.id, string_to_array(l.fields, ',')
    from rows from (jsonb_to_recordset(lines) as (id bigint, user_id bigint, token_id bigint, operation text, request_id text, fields text)) with ordinality
         as l (id, user_id, token_id, operation, request_id, fields, place)
   order by l.place;
end $$;

-- Functions of triggers (triggers.sql)

-- Deletes the rows of a contact that have no foreign key to it. Muster itself never deletes a contact permanently.
create or replace function forget_contacts() returns trigger
language plpgsql as $$
declare
  space bigint;
  contacts bigint[];
begin
  for space, contacts in select g.group_id, array_agg(g.id) from gone g group by g.group_id loop
    delete from contact_search s where s.group_id = space and s.contact_id = any(contacts);
    delete from contact_emails e where e.group_id = space and e.contact_id = any(contacts);
    delete from import_contacts i where i.group_id = space and i.contact_id = any(contacts);
  end loop;
  return null;
end $$;

-- A team's reply contains its users: their profiles, their roles in the space, their contacts. A change of one of these increases the version of the
-- teams that contain it.
-- Teams are locked after the changed row, in the order of their ids. A load of whole spaces sets the versions itself, and disables this with a setting
-- if it may not switch triggers off.
create or replace function teams_of_users_changed(spaces bigint[], users bigint[]) returns void
language plpgsql volatile as $$
declare
  space bigint;
begin
  if current_setting('muster.loads_spaces', true) is not distinct from 'on' then return; end if;
  for space in select distinct s from unnest(spaces) s order by s loop
    if holds_space(space) then
      update teams t set version = t.version + 1, updated_at = now()
       where t.group_id = space and t.id = any(array(
         select h.id
           from teams h
          where h.group_id = space and h.deleted_at is null
            and h.id in (select tu.team_id from team_users tu where tu.group_id = space and tu.user_id = any(users))
          order by h.id
            for no key update));
    end if;
  end loop;
end $$;

create or replace function user_changed() returns trigger
language plpgsql as $$
begin
  perform teams_of_users_changed(array(select m.group_id from members m where m.user_id = new.id), array[new.id]);
  return null;
end $$;

create or replace function role_changed() returns trigger
language plpgsql as $$
begin
  perform teams_of_users_changed(
    array[new.group_id],
    array(select m.user_id from members m where m.group_id = new.group_id and m.role_id = new.id));
  return null;
end $$;

create or replace function member_changed() returns trigger
language plpgsql as $$
begin
  perform teams_of_users_changed(array[new.group_id], array[new.user_id]);
  return null;
end $$;

-- Parts of a profile are visible only while its user belongs to no other space: joining or leaving a space changes replies in the other spaces.
create or replace function membership_changed() returns trigger
language plpgsql as $$
declare
  space bigint := case tg_op when 'DELETE' then old.group_id else new.group_id end;
  member bigint := case tg_op when 'DELETE' then old.user_id else new.user_id end;
begin
  perform teams_of_users_changed(
    array(
      select m.group_id from members m join spaces s on s.id = m.group_id and s.deleted_at is null
       where m.user_id = member and m.group_id <> space),
    array[member]);
  return null;
end $$;

create or replace function user_contact_changed() returns trigger
language plpgsql as $$
begin
  perform teams_of_users_changed(
    array[new.group_id],
    array_remove(array[case when tg_op = 'UPDATE' then old.user_contact_id end, new.user_contact_id], null));
  return null;
end $$;

-- A price group shows its prices: it changes when they come, change, move or go.
create or replace function membership_price_changed() returns trigger
language plpgsql as $$
begin
  if 'on' in (current_setting('muster.loads_spaces', true), current_setting('muster.keeps_times', true)) then return null; end if;
  update membership_price_groups g set updated_at = now()
   where g.group_id = new.group_id and g.updated_at <> now()
     and g.id in (new.membership_price_group_id, case when tg_op = 'UPDATE' then old.membership_price_group_id end);
  return null;
end $$;

-- The lines of the audit log are final. Only `delete_old_audit_lines` may delete: it sets a mark for its own statement. The owner of the table can remove
-- the trigger, or set the mark: this protects against mistakes and against SQL that was smuggled into a statement, not against the owner.
create or replace function refuse_audit_change() returns trigger
language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('muster.deletes_audit_lines', true) = 'on' then return null; end if;
  raise exception 'the lines of audit_log are final: % is refused', lower(tg_op) using errcode = 'insufficient_privilege';
end $$;

-- Deletes the oldest audit lines of a space from before an instant, at most `most` of them; returns how many.
-- It must run on the node of the space, where the trigger reads the mark: select it from a table of the space.
create or replace function delete_old_audit_lines(space bigint, before timestamptz, most int) returns int
language plpgsql volatile as $$
declare
  deleted int;
begin
  perform set_config('muster.deletes_audit_lines', 'on', true);
  delete from audit_log d where d.group_id = space and d.id = any(array(
    select a.id from audit_log a where a.group_id = space and a.created_at < before order by a.created_at limit most for update skip locked));
  get diagnostics deleted = row_count;
  perform set_config('muster.deletes_audit_lines', 'off', true);
  return deleted;
end $$;

-- The outbox

-- Columns of bookkeeping and of secrets, which are no content of a record: their change alone is no change of it.
create or replace function unpublished_columns() returns text[]
language sql immutable parallel safe as $$
  select '{group_id,id,created_at,updated_at,version,lastchange,fingerprint,purged_at,secret_hash,expires_at}'::text[]
$$;

-- The columns of a contact that differ, without those of bookkeeping. They are listed, since comparing rows as JSON would take longer than most writes.
create or replace function changed_contact_columns(o contacts, n contacts) returns text[]
language sql immutable parallel safe as $$
  select case when row(
      o.external_id, o.firstname, o.surname, o.married_name, o.gender, o.birthdate, o.age_category, o.birth_city, o.birth_country, o.birth_dept, o.nationality,
      o.mail, o.phone, o.phone_invalid, o.mobile, o.mobile_invalid, o.black_list, o.user_contact_id, o.merged_into)
    is distinct from row(
      n.external_id, n.firstname, n.surname, n.married_name, n.gender, n.birthdate, n.age_category, n.birth_city, n.birth_country, n.birth_dept, n.nationality,
      n.mail, n.phone, n.phone_invalid, n.mobile, n.mobile_invalid, n.black_list, n.user_contact_id, n.merged_into)
  then array_remove(array[
    case when o.external_id is distinct from n.external_id then 'external_id' end,
    case when o.firstname is distinct from n.firstname then 'firstname' end,
    case when o.surname is distinct from n.surname then 'surname' end,
    case when o.married_name is distinct from n.married_name then 'married_name' end,
    case when o.gender is distinct from n.gender then 'gender' end,
    case when o.birthdate is distinct from n.birthdate then 'birthdate' end,
    case when o.age_category is distinct from n.age_category then 'age_category' end,
    case when o.birth_city is distinct from n.birth_city then 'birth_city' end,
    case when o.birth_country is distinct from n.birth_country then 'birth_country' end,
    case when o.birth_dept is distinct from n.birth_dept then 'birth_dept' end,
    case when o.nationality is distinct from n.nationality then 'nationality' end,
    case when o.mail is distinct from n.mail then 'mail' end,
    case when o.phone is distinct from n.phone then 'phone' end,
    case when o.phone_invalid is distinct from n.phone_invalid then 'phone_invalid' end,
    case when o.mobile is distinct from n.mobile then 'mobile' end,
    case when o.mobile_invalid is distinct from n.mobile_invalid then 'mobile_invalid' end,
    case when o.black_list is distinct from n.black_list then 'black_list' end,
    case when o.user_contact_id is distinct from n.user_contact_id then 'user_contact_id' end,
    case when o.merged_into is distinct from n.merged_into then 'merged_into' end], null)
  else '{}' end
$$;

-- These keys of an object. An empty list gives an empty object.
create or replace function pick_keys(object jsonb, keys text[]) returns jsonb
language sql immutable parallel safe as $$
  select coalesce((select jsonb_object_agg(k, object -> k) from unnest(keys) k), '{}')
$$;

-- The columns whose values an update of these has: an amount has its currency.
create or replace function valued_columns(fields text[]) returns text[]
language sql immutable parallel safe as $$
  select case when fields && '{amount,currency}' then array(select unnest(fields) union select unnest('{amount,currency}'::text[])) else fields end
$$;

-- Functions of the triggers `…_published`. They work space by space, and read other tables in statements of their own: on a cluster no statement joins the changed rows,
-- which are those of a shard, with a distributed table. They pass on 10,000 changes at a time, and sort them into groups, so that a statement may change millions of rows.
-- Nested loops are off, since a plan that was made for one changed row is kept, and would take hours for a million.
-- JIT is off too: servers before version 18 give a nested loop that they cannot avoid a huge cost, and so take 0.1 s to compile its plan.

-- The spaces among these whose outbox holds values.
create or replace function spaces_keeping_values(spaces bigint[]) returns bigint[]
language plpgsql stable as $$
declare
  space bigint;
  keeping bigint[] := '{}';
begin
  foreach space in array spaces loop
    continue when not holds_space(space);
    if (select f.keeps_values from change_feeds f where f.group_id = space) then
      keeping := keeping || space;
    end if;
  end loop;
  return keeping;
end $$;

-- The contact of a record that has parts; null for one of no contact, and for one that is gone.
create or replace function contact_of_part(type text, space bigint, record bigint) returns bigint
language plpgsql stable as $$
begin
  if type <> 'Interaction' then return null; end if;
  return (select i.contact_id from interactions i where i.group_id = space and i.id = record);
end $$;

-- When a contact was created; null for one that is gone.
create or replace function creation_of_contact(space bigint, contact bigint) returns timestamptz
language plpgsql stable as $$
begin
  return (select c.created_at from contacts c where c.group_id = space and c.id = contact);
end $$;

-- The name of a tag or an action.
create or replace function name_of_part(part text, space bigint, record bigint) returns text
language plpgsql stable as $$
begin
  if part = 'tags' then return (select t.name from tags t where t.group_id = space and t.id = record); end if;
  return (select a.name from actions a where a.group_id = space and a.id = record);
end $$;

-- A row of a part of a contact, as changes have it: `id` tells it from the others. Tags and actions have their names, which messages tell.
create or replace function row_of_contact_part(part text, space bigint, content jsonb) returns jsonb
language sql stable as $$
  select case part
    when 'tags' then jsonb_build_object('id', content -> 'tag_id', 'name', name_of_part(part, space, cast(content ->> 'tag_id' as bigint)))
    when 'actions' then jsonb_build_object('id', content -> 'action_id', 'name', name_of_part(part, space, cast(content ->> 'action_id' as bigint)))
    else content - '{group_id,contact_id,created_at,updated_at,folded}'::text[] end
$$;

-- All parts of a contact, without those that it does not have.
create or replace function parts_of_contact(space bigint, contact bigint) returns jsonb
language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_object_agg(p.part, p.rows), '{}') from (
      select r.part, jsonb_agg(row_of_contact_part(r.part, space, r.content)) as rows from (
        select 'address' as part, to_jsonb(a) as content from addresses a where a.group_id = space and a.contact_id = contact
        union all
        select 'tags', to_jsonb(t) from contact_tags t where t.group_id = space and t.contact_id = contact
        union all
        select 'actions', to_jsonb(a) from contact_actions a where a.group_id = space and a.contact_id = contact
        union all
        select 'answers', to_jsonb(a) from answers a where a.group_id = space and a.contact_id = contact) r
       group by r.part) p);
end $$;

-- The values that have these rows alone; null without rows.
create or replace function make_value(part text, rows jsonb) returns jsonb
language sql immutable parallel safe as $$
  select case when rows is not null then jsonb_build_object(part, rows) end
$$;

-- A row for the outbox. Writing it sets its id, its transaction and its time.
create or replace function make_change(type text, record bigint, contact bigint, operation text, fields text[], before jsonb, after jsonb) returns change_queue
language sql immutable parallel safe as $$
  select row(null, null, null, null, type, record, contact, operation, coalesce(fields, '{}'), before, after, null)::change_queue
$$;

-- Writes changes into the outbox of a space. When every node has a copy of the changed table, only the node of the space writes them.
create or replace function queue_changes(space bigint, changes change_queue[]) returns void
language plpgsql volatile as $$
begin
  if not holds_space(space) then return; end if;
  insert into change_queue (group_id, type, record_id, contact_id, operation, fields, before, after)
  select space, c.type, c.record_id, c.contact_id, c.operation, c.fields, c.before, c.after from unnest(changes) c;
end $$;

-- Created and deleted records. The first argument is their type; the second says which contact is theirs: `self`, `contact` for the one in contact_id, or `none`.
-- A record that is deleted for good has been deleted before, or its deletion is published now.
create or replace function publish_rows() returns trigger
language plpgsql
set enable_nestloop = off
set enable_hashagg = off
set jit = off
as $$
declare
  contact_key text := case tg_argv[1] when 'self' then 'id' when 'contact' then 'contact_id' end;
  space bigint;
  changes change_queue[];
begin
  if tg_op = 'DELETE' then
    for space, changes in
      select c.group_id, array_agg(c.change) from (
        select o.group_id, (row_number() over ()) / 10000 as part,
               make_change(tg_argv[0], cast(r.row ->> 'id' as bigint), cast(r.row ->> contact_key as bigint), 'deleted', null, null, null) as change
          from old_rows o cross join lateral (select to_jsonb(o) as row offset 0) r
         where r.row ->> 'deleted_at' is null) c
       group by c.group_id, c.part
    loop perform queue_changes(space, changes); end loop;
    return null;
  end if;
  for space, changes in
    select c.group_id, array_agg(c.change) from (
      select n.group_id, (row_number() over ()) / 10000 as part,
             make_change(tg_argv[0], n.id, cast(to_jsonb(n) ->> contact_key as bigint), 'created', null, null,
               case when n.group_id = any((select spaces_keeping_values(array(select distinct k.group_id from new_rows k)))::bigint[]) then to_jsonb(n) - unpublished_columns() end) as change
        from new_rows n) c
     group by c.group_id, c.part
  loop perform queue_changes(space, changes); end loop;
  return null;
end $$;

-- Updated records, among them deleted and restored ones. The arguments are those of `publish_rows`.
create or replace function publish_updates() returns trigger
language plpgsql
set enable_nestloop = off
set enable_hashagg = off
set jit = off
as $$
declare
  contact_key text := case tg_argv[1] when 'self' then 'id' when 'contact' then 'contact_id' end;
  space bigint;
  changes change_queue[];
begin
  for space, changes in
    select c.group_id, array_agg(c.change) from (
      select u.group_id, (row_number() over ()) / 10000 as part,
             make_change(tg_argv[0], u.id, cast(u.after ->> contact_key as bigint), u.operation, case when u.operation = 'updated' then u.fields end,
               case when u.operation = 'updated' and u.keeps then pick_keys(u.before, valued_columns(u.fields)) end,
               case when not u.keeps then null when u.operation = 'updated' then pick_keys(u.after, valued_columns(u.fields))
                    when u.operation = 'restored' then u.after - unpublished_columns() - 'deleted_at' end) as change
        from (
          select o.group_id, o.id, o.group_id = any((select spaces_keeping_values(array(select distinct k.group_id from old_rows k)))::bigint[]) as keeps, r.before, r.after,
                 array(select e.key from jsonb_each(r.after - unpublished_columns() - 'deleted_at') e where e.value is distinct from r.before -> e.key) as fields,
                 case when r.before ->> 'deleted_at' is null and r.after ->> 'deleted_at' is null then 'updated'
                      when r.before ->> 'deleted_at' is null then 'deleted'
                      when r.after ->> 'deleted_at' is null then 'restored' end as operation
            from old_rows o
            join new_rows n on n.group_id = o.group_id and n.id = o.id
           cross join lateral (select to_jsonb(o) as before, to_jsonb(n) as after offset 0) r) u
       where u.operation in ('deleted', 'restored') or u.operation = 'updated' and u.fields <> '{}') c
     group by c.group_id, c.part
  loop perform queue_changes(space, changes); end loop;
  return null;
end $$;

-- The same for contacts, most of whose updates only count a change of one of their records.
create or replace function publish_contact_updates() returns trigger
language plpgsql
set enable_nestloop = off
set enable_hashagg = off
set jit = off
as $$
declare
  space bigint;
  changes change_queue[];
begin
  for space, changes in
    select c.group_id, array_agg(c.change) from (
      select u.group_id, (row_number() over ()) / 10000 as part,
             make_change('Contact', u.id, u.id, u.operation, case when u.operation = 'updated' then u.fields end,
               case when u.operation = 'updated' and u.keeps then pick_keys(to_jsonb(u.o), u.fields) end,
               case when not u.keeps then null when u.operation = 'updated' then pick_keys(to_jsonb(u.n), u.fields)
                    when u.operation = 'restored' then to_jsonb(u.n) - unpublished_columns() - '{deleted_at,user_id}'::text[] || parts_of_contact(u.group_id, u.id) end) as change
        from (
          select o.group_id, o.id, o.group_id = any((select spaces_keeping_values(array(select distinct k.group_id from old_rows k)))::bigint[]) as keeps, o, n, changed_contact_columns(row(o.*)::contacts, row(n.*)::contacts) as fields,
                 case when o.deleted_at is null and n.deleted_at is null then 'updated' when o.deleted_at is null then 'deleted' when n.deleted_at is null then 'restored' end as operation
            from old_rows o
            join new_rows n on n.group_id = o.group_id and n.id = o.id) u
       where u.operation in ('deleted', 'restored') or u.operation = 'updated' and u.fields <> '{}') c
     group by c.group_id, c.part
  loop perform queue_changes(space, changes); end loop;
  return null;
end $$;

-- Rows that are a part of another record: an update of that one. The arguments: its type, the name of the part, the column that refers to the record. The values of a part are
-- a list of its rows, those that went and those that came; `id` tells a row from the others. A row that refers to no record is no part, and a deleted one neither. Parts of
-- contacts have a function of their own.
create or replace function publish_parts() returns trigger
language plpgsql
set enable_nestloop = off
set enable_hashagg = off
set jit = off
as $$
declare
  key text := case tg_argv[1] when 'users' then 'user_id' when 'teams' then 'team_id' when 'counts' then 'first_row' else 'id' end;
  hidden text[] := array['group_id', 'created_at', 'updated_at', 'deleted_at', key, tg_argv[2]];
  space bigint;
  changes change_queue[];
begin
  if tg_op = 'INSERT' then
    for space, changes in
      select c.group_id, array_agg(c.change) from (
        select p.group_id, (row_number() over ()) / 10000 as part,
               make_change(tg_argv[0], p.record, contact_of_part(tg_argv[0], p.group_id, p.record), 'updated', array[tg_argv[1]], null, make_value(tg_argv[1], p.after)) as change
          from (
            select n.group_id, cast(r.row ->> tg_argv[2] as bigint) as record, jsonb_agg(r.row - hidden || jsonb_build_object('id', r.row -> key)) filter (where n.group_id = any((select spaces_keeping_values(array(select distinct k.group_id from new_rows k)))::bigint[])) as after
              from new_rows n cross join lateral (select to_jsonb(n) as row offset 0) r
             where r.row ->> tg_argv[2] is not null
             group by 1, 2) p) c
       group by c.group_id, c.part
    loop perform queue_changes(space, changes); end loop;
  elsif tg_op = 'DELETE' then
    for space, changes in
      select c.group_id, array_agg(c.change) from (
        select p.group_id, (row_number() over ()) / 10000 as part, make_change(tg_argv[0], p.record, p.contact, 'updated', array[tg_argv[1]], make_value(tg_argv[1], p.before), null) as change
          from (
            select g.group_id, g.record, g.before, contact_of_part(tg_argv[0], g.group_id, g.record) as contact
              from (
                select o.group_id, cast(r.row ->> tg_argv[2] as bigint) as record, jsonb_agg(r.row - hidden || jsonb_build_object('id', r.row -> key)) filter (where o.group_id = any((select spaces_keeping_values(array(select distinct k.group_id from old_rows k)))::bigint[])) as before
                  from old_rows o cross join lateral (select to_jsonb(o) as row offset 0) r
                 where r.row ->> tg_argv[2] is not null and r.row ->> 'deleted_at' is null
                 group by 1, 2) g offset 0) p
         where tg_argv[0] <> 'Interaction' or p.contact is not null) c
       group by c.group_id, c.part
    loop perform queue_changes(space, changes); end loop;
  else
    for space, changes in
      select c.group_id, array_agg(c.change) from (
        select p.group_id, (row_number() over ()) / 10000 as part,
               make_change(tg_argv[0], p.record, contact_of_part(tg_argv[0], p.group_id, p.record), 'updated', array[tg_argv[1]],
                 make_value(tg_argv[1], p.before), make_value(tg_argv[1], p.after)) as change
          from (
            select u.group_id, u.record,
                   jsonb_agg(u.before - hidden || jsonb_build_object('id', u.before -> key)) filter (where u.keeps and u.before ->> 'deleted_at' is null) as before,
                   jsonb_agg(u.after - hidden || jsonb_build_object('id', u.after -> key)) filter (where u.keeps and u.after ->> 'deleted_at' is null) as after
              from (
                select b.group_id, cast(a.row ->> tg_argv[2] as bigint) as record, b.row as before, a.row as after,
                       b.group_id = any((select spaces_keeping_values(array(select distinct k.group_id from old_rows k)))::bigint[]) as keeps
                  from (select o.group_id, to_jsonb(o) as row, row_number() over () as place from old_rows o) b
                  join (select to_jsonb(n) as row, row_number() over () as place from new_rows n) a on a.place = b.place
                 where a.row ->> tg_argv[2] is not null and b.row - '{updated_at}'::text[] <> a.row - '{updated_at}'::text[]) u
             group by u.group_id, u.record) p) c
       group by c.group_id, c.part
    loop perform queue_changes(space, changes); end loop;
  end if;
  return null;
end $$;

-- Parts of contacts. The argument is the name of the part. Parts of a contact that this transaction has created are in its creation, and those of one that is
-- deleted for good in its deletion: contacts with the time of this transaction are its own. A row that moves to another contact, as in a merge, goes from the one and comes to
-- the other.
create or replace function publish_contact_parts() returns trigger
language plpgsql
set enable_nestloop = off
set enable_hashagg = off
set jit = off
as $$
declare
  space bigint;
  changes change_queue[];
begin
  if tg_op = 'INSERT' then
    for space, changes in
      select c.group_id, array_agg(c.change) from (
        select p.group_id, (row_number() over ()) / 10000 as part, make_change('Contact', p.contact, p.contact, 'updated', array[tg_argv[0]], null, make_value(tg_argv[0], p.after)) as change
          from (
            select n.group_id, n.contact_id as contact, jsonb_agg(row_of_contact_part(tg_argv[0], n.group_id, to_jsonb(n))) filter (where n.group_id = any((select spaces_keeping_values(array(select distinct k.group_id from new_rows k)))::bigint[])) as after
              from new_rows n
             group by 1, 2) p
         where p.after is not null or creation_of_contact(p.group_id, p.contact) <> now()) c
       group by c.group_id, c.part
    loop perform queue_changes(space, changes); end loop;
  elsif tg_op = 'DELETE' then
    for space, changes in
      select c.group_id, array_agg(c.change) from (
        select p.group_id, (row_number() over ()) / 10000 as part, make_change('Contact', p.contact, p.contact, 'updated', array[tg_argv[0]], make_value(tg_argv[0], p.before), null) as change
          from (
            select o.group_id, o.contact_id as contact, jsonb_agg(row_of_contact_part(tg_argv[0], o.group_id, to_jsonb(o))) filter (where o.group_id = any((select spaces_keeping_values(array(select distinct k.group_id from old_rows k)))::bigint[])) as before
              from old_rows o
             group by 1, 2) p
         where creation_of_contact(p.group_id, p.contact) is not null) c
       group by c.group_id, c.part
    loop perform queue_changes(space, changes); end loop;
  else
    for space, changes in
      select c.group_id, array_agg(c.change) from (
        select p.group_id, (row_number() over ()) / 10000 as part,
               make_change('Contact', p.contact, p.contact, 'updated', array[tg_argv[0]],
                 make_value(tg_argv[0], p.before), make_value(tg_argv[0], p.after)) as change
          from (
            select u.group_id, u.contact, jsonb_agg(u.before) filter (where u.before is not null) as before, jsonb_agg(u.after) filter (where u.after is not null) as after
              from (
                select o.group_id, o.contact_id as contact, case when o.group_id = any((select spaces_keeping_values(array(select distinct k.group_id from old_rows k)))::bigint[]) then row_of_contact_part(tg_argv[0], o.group_id, to_jsonb(o)) end as before, null as after
                  from old_rows o
                union all
                select n.group_id, n.contact_id, null, case when n.group_id = any((select spaces_keeping_values(array(select distinct k.group_id from new_rows k)))::bigint[]) then row_of_contact_part(tg_argv[0], n.group_id, to_jsonb(n)) end
                  from new_rows n) u
             group by u.group_id, u.contact) p) c
       group by c.group_id, c.part
    loop perform queue_changes(space, changes); end loop;
  end if;
  return null;
end $$;

-- Members, who are the users of a space. The operation of a user who joins is `created`, of one who leaves `deleted`.
create or replace function publish_members() returns trigger
language plpgsql
set enable_nestloop = off
set enable_hashagg = off
set jit = off
as $$
declare
  space bigint;
  changes change_queue[];
begin
  if tg_op = 'INSERT' then
    for space, changes in
      select c.group_id, array_agg(c.change) from (
        select n.group_id, (row_number() over ()) / 10000 as part, make_change('User', n.user_id, null, 'created', null, null, null) as change
          from new_rows n) c
       group by c.group_id, c.part
    loop perform queue_changes(space, changes); end loop;
  elsif tg_op = 'DELETE' then
    for space, changes in
      select c.group_id, array_agg(c.change) from (
        select o.group_id, (row_number() over ()) / 10000 as part, make_change('User', o.user_id, null, 'deleted', null, null, null) as change
          from old_rows o) c
       group by c.group_id, c.part
    loop perform queue_changes(space, changes); end loop;
  else
    for space, changes in
      select c.group_id, array_agg(c.change) from (
        select o.group_id, (row_number() over ()) / 10000 as part, make_change('User', n.user_id, null, 'updated', '{role_id}', null, null) as change
          from old_rows o join new_rows n on n.group_id = o.group_id and n.user_id = o.user_id and n.role_id <> o.role_id) c
       group by c.group_id, c.part
    loop perform queue_changes(space, changes); end loop;
  end if;
  return null;
end $$;

-- The spaces with changes that have no position yet. Each step is a lookup in the index of the space's changes, since one space may have a million of them.
create or replace function spaces_with_changes() returns setof bigint
language plpgsql stable as $$
declare
  space bigint := -1;
begin
  loop
    select min(q.group_id) into space from change_queue q where q.group_id > space;
    exit when space is null;
    return next space;
  end loop;
end $$;

-- The values of a record before and after all steps of a transaction, as a list of both, from those of each step in their order. A field has its first value before and its last
-- value after. Of a part, a list of rows with ids, these are the rows that went, and those that came: a row that comes and goes, or that is in the end as it was, is in neither.
create or replace function join_values(befores jsonb[], afters jsonb[]) returns jsonb
language sql immutable parallel safe as $$
  with said as (
    select s.n, s.is_after, e.key, e.value, e.value #> '{0,id}' is not null as is_part
      from (
        select b.n, false as is_after, b.value from unnest(befores) with ordinality b (value, n)
        union all
        select a.n, true, a.value from unnest(afters) with ordinality a (value, n)) s
     cross join lateral jsonb_each(s.value) e),
  fields as (
    select s.key, (array_agg(s.value order by s.n) filter (where not s.is_after))[1] as first, (array_agg(s.value order by s.n desc) filter (where s.is_after))[1] as last
      from said s where not s.is_part group by s.key),
  rows as (
    select s.key, r.value -> 'id' as id, array_agg(r.value order by s.n, s.is_after) as values, array_agg(s.is_after order by s.n, s.is_after) as came
      from said s cross join lateral jsonb_array_elements(s.value) r where s.is_part group by 1, 2),
  parts as (
    select r.key, jsonb_agg(r.values[1] order by r.id) filter (where not r.came[1]) as first, jsonb_agg(r.values[cardinality(r.values)] order by r.id) filter (where r.came[cardinality(r.came)]) as last
      from rows r
     where r.came[1] or not r.came[cardinality(r.came)] or r.values[1] <> r.values[cardinality(r.values)]
     group by r.key),
  joined as (select f.key, f.first, f.last from fields f union all select p.key, p.first, p.last from parts p)
  select jsonb_build_array(
    (select coalesce(jsonb_object_agg(j.key, j.first), '{}') from joined j where j.first is not null),
    (select coalesce(jsonb_object_agg(j.key, j.last), '{}') from joined j where j.last is not null))
$$;

-- Gives positions to committed changes of a space, at most `most` rows of the outbox; returns how many rows it took. Positions are given under the lock of the feed's row,
-- which lasts until they are committed: so they become visible in their order. A statement after the lock sees all that was committed before.
-- The changes of one record by one transaction become one: its creation, deletion or restoration, or an update with all of its fields. A record that a transaction creates
-- and deletes is no change.
create or replace function number_changes(space bigint, most int default 10000) returns int
language plpgsql volatile as $$
declare
  highest bigint;
  taken change_queue[];
  given bigint;
begin
  if not exists (select 1 from change_queue q where q.group_id = space) then return 0; end if;
  insert into change_feeds (group_id) values (space) on conflict do nothing;
  select f.position into highest from change_feeds f where f.group_id = space for no key update;
  -- Two statements: a cluster sends the rows of a CTE that an insert reads to all of its nodes. The ids are an array: the queue is empty most of the
  -- time, and a plan of that time would compare each of thousands with each.
  with gone as (
    delete from change_queue q
     where q.group_id = space and q.id = any(array(select o.id from change_queue o where o.group_id = space order by o.id limit most))
    returning q.*)
  select array_agg(cast(row(g.*) as change_queue)) into taken from gone g;
  with merged as (
    select t.type, t.record_id, max(t.id) as place, max(t.created_at) as created_at, min(t.version) as version,
           (array_agg(t.contact_id order by t.id desc) filter (where t.contact_id is not null))[1] as contact_id,
           (array_agg(t.operation order by t.id) filter (where t.operation <> 'updated'))[1] as first_step,
           (array_agg(t.operation order by t.id desc) filter (where t.operation <> 'updated'))[1] as last_step,
           array(select distinct x from unnest(array_agg(array_to_string(t.fields, ','))) s (list), unnest(string_to_array(s.list, ',')) x order by x) as fields,
           array_agg(t.before order by t.id) filter (where t.before is not null or t.after is not null) as befores,
           -- While a transaction writes, the outbox may begin to hold values. Those of a part of its changes would say that the others have none.
           case when not bool_or(t.operation <> 'deleted' and num_nonnulls(t.before, t.after) = 0) then
             array_agg(t.after order by t.id) filter (where t.before is not null or t.after is not null) end as afters,
           sum(cardinality(t.fields)) as named, bool_or(t.operation = 'restored') and count(*) > 1 as is_restored
      from unnest(taken) t
     -- Contacts that enter a segment, or leave it, are a change each.
     group by t.transaction, t.type, t.record_id, case when t.operation in ('entered', 'left') then t.contact_id end)
  insert into changes (group_id, position, created_at, type, record_id, contact_id, operation, fields, before, after, version)
  select space, highest + row_number() over (order by m.place), m.created_at, m.type, m.record_id, m.contact_id, o.operation,
         case when o.operation in ('updated', 'entered', 'left') then m.fields else '{}' end,
         case when o.operation = 'updated' then v.nothing || (v.joined -> 0) end, case when o.operation = 'updated' then v.nothing || (v.joined -> 1) else v.joined -> 1 end, m.version
    from merged m
   cross join lateral (
     select case when m.first_step is null then 'updated' when m.last_step = 'deleted' then 'deleted' when m.first_step = 'deleted' then 'updated' else m.first_step end as operation offset 0) o
   cross join lateral (
     -- Rows are joined where several steps wrote a part, since that takes a fifth of a millisecond.
     select case when m.afters is null or o.operation = 'deleted' then null
                 when m.named > cardinality(m.fields) or m.is_restored then join_values(m.befores, m.afters)
                 else jsonb_build_array(
                   (select coalesce(jsonb_object_agg(e.key, e.value order by b.n desc), '{}') from unnest(m.befores) with ordinality b (value, n), jsonb_each(b.value) e),
                   (select coalesce(jsonb_object_agg(e.key, e.value order by a.n), '{}') from unnest(m.afters) with ordinality a (value, n), jsonb_each(a.value) e)) end as joined,
            case when m.afters is not null and o.operation = 'updated' then (select coalesce(jsonb_object_agg(f, null), '{}') from unnest(m.fields) f) end as nothing
     offset 0) v
   where m.first_step is distinct from 'created' or m.last_step is distinct from 'deleted';
  get diagnostics given = row_count;
  if given > 0 then
    update change_feeds f set position = highest + given where f.group_id = space;
  end if;
  return coalesce(cardinality(taken), 0);
end $$;

-- Deletes the oldest changes of a space from before an instant, at most `most` of them; returns how many. Positions are in the order of commits, and times nearly so: the
-- first younger one ends it.
create or replace function delete_old_changes(space bigint, before timestamptz, most int) returns int
language plpgsql volatile as $$
declare
  until bigint;
  deleted int;
begin
  select max(p.position) into until
    from (select c.position, bool_and(c.created_at < delete_old_changes.before) over (order by c.position) as old
            from (select * from changes k where k.group_id = space order by k.position limit most) c) p
   where p.old;
  if until is null then return 0; end if;
  update change_feeds f set first_position = until + 1 where f.group_id = space;
  delete from changes c where c.group_id = space and c.position <= until;
  get diagnostics deleted = row_count;
  return deleted;
end $$;

-- Webhooks

-- Claims due deliveries of a webhook for one attempt each: no more than may be under way at once of the webhook, and of the space. A delivery waits for the earlier ones of
-- the same record. Claims of a space take turns, so that the counts hold in any number of processes.
create or replace function claim_deliveries(space bigint, webhook bigint, of_webhook int, of_space int, lease interval) returns setof webhook_deliveries
language plpgsql volatile as $$
#variable_conflict use_column
declare
  free int;
begin
  perform pg_advisory_xact_lock(hashtextextended(format('deliveries/%s', space), 7)) from (select count(*) from rate_buckets b where b.group_id = space) one;
  select least(of_space - count(*), of_webhook - count(*) filter (where d.webhook_id = webhook)) into free
    from webhook_deliveries d
   where d.group_id = space and d.locked_until > now();
  return query
    update webhook_deliveries u set locked_until = now() + lease, attempts = u.attempts + 1
     where u.group_id = space and u.id = any(array(
       select d.id
         from webhook_deliveries d
        where d.group_id = space and d.webhook_id = webhook and d.state = 'waiting' and d.next_attempt_at <= now() and (d.locked_until is null or d.locked_until <= now())
          and not exists (
            select 1 from webhook_deliveries e
             where e.group_id = space and e.webhook_id = webhook and e.state = 'waiting' and e.type = d.type and e.record_id = d.record_id and e.id < d.id)
        order by d.next_attempt_at, d.id
        limit greatest(0, free)))
    returning u.*;
end $$;
