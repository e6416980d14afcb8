// Statistics of tables that a test filled.

/**
 * Gathers the statistics of all tables of the service. `analyze` without names would also read the catalogues of all nodes of a cluster, and meet the work
 * of Citus on them in a deadlock now and then.
 */
export const analyzeSql = `do $$ begin
  execute (select 'analyze ' || string_agg(quote_ident(relname), ', ') from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace);
end $$`;
