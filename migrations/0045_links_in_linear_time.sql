-- Links are collected in a list, and joined at the end: a text would be copied for each of them. The text is the same as before, so that no index changes.
do $do$
begin
  execute format($body$
    create or replace function fold_links(text[]) returns text
    language plpgsql immutable strict parallel safe
    as $$
    declare
      folded text[] := '{}';
      link text;
    begin
      if cardinality($1) = 0 then
        return null;
      end if;
      foreach link in array $1 loop
        folded := array_append(folded, %I.fold_inline(link));
      end loop;
      return concat(E'\n', array_to_string(folded, E'\n', ''), E'\n');
    end $$
  $body$, current_schema());
end $do$;
