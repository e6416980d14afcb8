-- The gate lets several requests of one token in at once: costs in their order, a row for each, decided as if each had asked alone.

drop function enter_gate(bytea, double precision, double precision, double precision);
create function enter_gate(token_hash bytea, costs double precision[], capacity double precision, refill double precision)
returns table (token_id bigint, user_id bigint, group_id bigint, role_id bigint, role_type text, wrote_at_lsn pg_lsn, admitted boolean, tokens double precision, instant timestamptz)
language plpgsql volatile as $$
#variable_conflict use_column
declare
  used_at timestamptz;
  held double precision;
  filled timestamptz;
  cost double precision;
  taken boolean := false;
begin
  select t.id, t.user_id, t.group_id, t.last_used_at, t.wrote_at_lsn, r.id, r.type
    into token_id, user_id, group_id, used_at, wrote_at_lsn, role_id, role_type
    from tokens t
    join members m on m.group_id = t.group_id and m.user_id = t.user_id
    join roles r on r.group_id = m.group_id and r.id = m.role_id
    join spaces s on s.id = t.group_id and s.deleted_at is null
    join users u on u.id = t.user_id and u.deleted_at is null
   where t.hash = token_hash and t.revoked_at is null and (t.expires_at is null or t.expires_at > clock_timestamp());
  if not found then
    return;
  end if;

  select b.tokens, b.refilled_at into held, filled from rate_buckets b where b.group_id = enter_gate.group_id for update;
  if not found then
    insert into rate_buckets values (group_id, capacity, clock_timestamp()) on conflict do nothing;
    select b.tokens, b.refilled_at into held, filled from rate_buckets b where b.group_id = enter_gate.group_id for update;
  end if;
  instant := clock_timestamp();
  tokens := least(capacity, held + greatest(0, extract(epoch from instant - filled)) * refill);
  foreach cost in array costs loop
    admitted := tokens >= cost;
    if admitted then
      tokens := tokens - cost;
      taken := true;
    end if;
    return next;
  end loop;
  if taken then
    update rate_buckets b set tokens = enter_gate.tokens, refilled_at = instant where b.group_id = enter_gate.group_id;
  end if;

  if used_at is null or used_at < instant - interval '1 minute' then
    update tokens t set last_used_at = instant where t.id = token_id;
  end if;
end $$;
