-- Clicked links as one text that an index of trigrams answers: folded, each between line feeds, which no folded text has. Null where there are none.
-- A change of this function must reindex them. Its text is not parsed here, so it names the schema of what it calls.
do $do$
begin
  execute format($body$
    create or replace function fold_links(text[]) returns text
    language plpgsql immutable strict parallel safe
    as $$
    declare
      folded text := E'\n';
      link text;
    begin
      if cardinality($1) = 0 then
        return null;
      end if;
      foreach link in array $1 loop
        folded := concat(folded, %I.fold_inline(link), E'\n');
      end loop;
      return folded;
    end $$
  $body$, current_schema());
end $do$;

create index emails_link_texts on emails using gin ((fold_links(clicked_urls) collate "C") gin_trgm_ops)
  where deleted_at is null and clicked_urls is not null;
-- How many e-mails have a link: an index that leaves rows out gives no statistics.
create statistics emails_clicked_urls_folded (mcv) on group_id, (fold_links(clicked_urls) collate "C") from emails;
-- For links that an e-mail has not, all links are read. What is compared with their text implies that there is a list, but not how long it is.
drop index emails_links;
create index emails_links on emails (group_id, contact_id) where deleted_at is null and clicked_urls is not null;

analyze emails;
