// Statistics of tables that a test filled.
import type { Door } from './app.ts';

/**
 * Gathers the statistics of all tables of the service. `analyze` without names would also read the catalogues of all nodes of a cluster, and meet the work
 * of Citus on them in a deadlock now and then.
 */
export const analyzeSql = `do $$ begin
  execute (select 'analyze ' || string_agg(quote_ident(relname), ', ') from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace);
end $$`;

/** Makes the planner take the one space for much larger than others: it expects as many spaces as contacts. */
export const pretendManySpaces = async ({ sql }: Pick<Door, 'sql'>): Promise<void> => {
  const partitions = await sql(
    `select cast(inhrelid as regclass) as name from pg_inherits where inhparent = cast('contact_search' as regclass)`,
  );
  for (const { name } of partitions) await sql(`alter table ${name} alter column group_id set (n_distinct = -1)`);
  await sql('analyze contact_search');
};
