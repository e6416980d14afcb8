-- Text: the extensions, and the one folding of text by which contacts are found.

create extension if not exists unaccent;
create extension if not exists pg_trgm;

-- An operator may have put unaccent into a schema of its own, which no search path names.
select set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), quote_ident(n.nspname)), true)
  from pg_extension e
  join pg_namespace n on n.oid = e.extnamespace
 where e.extname = 'unaccent';

-- Folded text has no case, no accents, and no space around it: btrim removes blanks, line ends, and the spaces and marks of Unicode that nobody
-- sees. These two functions stand here and not in functions.sql, because the stored column answers.folded is computed by fold: after a change
-- of the rules, which is a migration, the stored texts must be computed again (`muster search rebuild`). A new major version of PostgreSQL may
-- also change them, with the dictionary. Their bodies are parsed once, here, and so mean the same dictionary under any search path.

-- For reading many rows: PostgreSQL writes what is not immutable out in place, which takes a third of the time.
create or replace function fold_inline(text) returns text
language sql stable strict parallel safe
return btrim(lower(unaccent('unaccent'::regdictionary, $1)), unistr(' \0009\000A\000B\000C\000D\00A0\2028\2029\202F\3000\FEFF'));

-- For constants of a query, indexes and stored columns, where PostgreSQL takes immutable functions only.
create or replace function fold(text) returns text
language sql immutable strict parallel safe
return fold_inline($1);
