// Finds the indexes that a search uses: from the plan, or from the server's own explanation.
import type { Client } from 'pg';
import { translateQuery } from '../../test/search/contact-query.ts';
import type { Search } from './body.ts';
import type { Ask } from './service.ts';

interface Plan {
  'Index Name'?: string;
  'Actual Loops'?: number;
  Plans?: Plan[];
}

/** Replaces the name of a partition's index by that of the whole table's. */
const wholeNames = async (client: Client, names: string[]): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `select distinct coalesce(inhparent, c.oid)::regclass::text as name from pg_class c left join pg_inherits on inhrelid = c.oid
      where c.relname = any($1) and c.relkind in ('i', 'I') order by name`,
    [names],
  );
  return rows.map(({ name }) => name);
};

/** Ignores branches of the plan that did not run. */
export const findPlannedIndexes = async (client: Client, sql: string, space: number): Promise<string[]> => {
  const { rows } = await client.query(`explain (analyze, costs off, format json) ${sql}`, [space]);
  const names = new Set<string>();
  const visit = (plan: Plan): void => {
    if (plan['Actual Loops'] === 0) return;
    if (plan['Index Name']) names.add(plan['Index Name']);
    plan.Plans?.forEach(visit);
  };
  visit(rows[0]['QUERY PLAN'][0].Plan);
  return wholeNames(client, [...names]);
};

/** The indexes that the server names for the whole query. Empty when it reads all contacts. */
export const fetchServedIndexes = async (client: Client, ask: Ask, { query }: Search): Promise<string[]> => {
  const document = 'query ($query: ContactQuery) { explainSearch(query: $query, exact: false) { indexes } }';
  const { text } = await ask('/graphql', { query: document, variables: { query: translateQuery(query) } });
  const names: string[] | undefined = JSON.parse(text).data?.explainSearch?.indexes;
  if (!names) throw new Error(`explainSearch: ${text.slice(0, 300)}`);
  return wholeNames(client, names);
};
