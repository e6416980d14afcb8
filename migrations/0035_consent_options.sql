-- The option of an answer, also where a form takes one: merged contacts may have given others, and a search asks when the answer that they have was given. Of a withdrawn answer it is the one before.
alter table consent_changes add column option_id bigint;
-- By what people agreed, such as a form on paper.
alter table consent_changes add column source text;
update consent_changes c set option_id = r.id
  from form_refs r
 where r.group_id = c.group_id and r.form_id = c.form_id
   and case when c.form_ref_id is null then coalesce(nullif(r.value, ''), r.label) = coalesce(c.after, c.before) else r.id = c.form_ref_id end;
-- When people opted out, and when they gave answers.
create index consent_changes_opted_out on consent_changes (group_id, created_at, contact_id)
  where form_id is null and after = 'true' and before is distinct from after;
create index consent_changes_given on consent_changes (group_id, form_id, option_id, created_at, contact_id)
  where after is not null and before is distinct from after;
-- A number of each opt-out that outlives its contact, for lists: the beginning of its digest.
alter table opt_outs add column number bigint not null generated always as (('x' || left(encode(digest, 'hex'), 13))::bit(52)::bigint) stored;
create index opt_outs_number on opt_outs (group_id, number);
