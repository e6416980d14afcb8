-- Text: the extensions, and the normalization of text for searches.

create extension if not exists unaccent;
create extension if not exists pg_trgm;

-- An operator may have installed unaccent in a schema outside the search path.
select set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), quote_ident(n.nspname)), true)
  from pg_extension e
  join pg_namespace n on n.oid = e.extnamespace
 where e.extname = 'unaccent';

-- Folded text has no case, no accents, and no space around it: btrim removes blanks, line ends, and the invisible spaces and marks of
-- Unicode. These two functions are here and not in functions.sql, because fold computes the stored column answers.folded: after a change
-- of the rules, which is a migration, the stored texts must be computed again (`muster search rebuild`). A new major version of PostgreSQL may
-- also change them, with the dictionary. Their bodies are parsed here once, so that they use the same dictionary under any search path.

-- For reading many rows: PostgreSQL inlines functions that are not immutable, which takes a third of the time.
create or replace function fold_inline(text) returns text
language sql stable strict parallel safe
return btrim(lower(unaccent('unaccent'::regdictionary, $1)), unistr(' \0009\000A\000B\000C\000D\00A0\2028\2029\202F\3000\FEFF'));

-- For constants of a query, indexes and stored columns, which require immutable functions.
create or replace function fold(text) returns text
language sql immutable strict parallel safe
return fold_inline($1);
