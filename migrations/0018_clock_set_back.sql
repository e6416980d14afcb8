-- After the database's clock is set back, the gate refills buckets from the new time. Before, an empty bucket stayed empty until the clock caught up.

create or replace function enter_gate(hashes bytea[], costs double precision[], capacity double precision, refill double precision, waits boolean)
returns table (place bigint, token_id bigint, user_id bigint, group_id bigint, role_id bigint, role_type text, wrote_at_lsn pg_lsn, admitted boolean, tokens double precision, instant timestamptz)
language plpgsql volatile set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  cost double precision;
  used_at timestamptz;
  bucket bigint;
  held double precision;
  filled timestamptz;
  taken boolean := false;
begin
  for place, cost, token_id, user_id, group_id, used_at, wrote_at_lsn, role_id, role_type in
    select g.place, g.cost, t.id, t.user_id, t.group_id, t.last_used_at, t.wrote_at_lsn, r.id, r.type
      from unnest(hashes, costs) with ordinality g (hash, cost, place)
      join tokens t on t.hash = g.hash and t.revoked_at is null and (t.expires_at is null or t.expires_at > clock_timestamp())
      join members m on m.group_id = t.group_id and m.user_id = t.user_id
      join roles r on r.group_id = m.group_id and r.id = m.role_id
      join spaces s on s.id = t.group_id and s.deleted_at is null
      join users u on u.id = t.user_id and u.deleted_at is null
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
        insert into rate_buckets values (bucket, capacity, clock_timestamp()) on conflict do nothing returning rate_buckets.tokens, refilled_at into held, filled;
        if not found and waits then
          select b.tokens, b.refilled_at into held, filled from rate_buckets b where b.group_id = bucket for update;
        end if;
      end if;
      instant := clock_timestamp();
      tokens := case when found then least(capacity, held + greatest(0, extract(epoch from instant - filled)) * refill) end;
      -- If the clock was set back, the new time is stored even when nothing is admitted.
      taken := coalesce(filled > instant, false);
    end if;
    admitted := tokens >= cost;
    if admitted then
      tokens := tokens - cost;
      taken := true;
    end if;
    return next;
    if used_at is null or used_at < instant - interval '1 minute' then
      update tokens t set last_used_at = instant
       where t.id = (select k.id from tokens k where k.id = token_id for no key update skip locked);
    end if;
  end loop;
  if taken then
    update rate_buckets b set tokens = enter_gate.tokens, refilled_at = instant where b.group_id = bucket;
  end if;
end $$;
