// The statements of a space: those of every root field and route, and of searches by every attribute and operator.
import { countFoundContacts, findContacts, type Start } from '../../src/data/search/find.ts';
import { routes } from '../../src/rest/routes/index.ts';
import type { PageStrategy } from '../../src/search/page-plan.ts';
import type { SortName } from '../../src/search/sort.ts';
import type { Answer, Door, Recorded } from '../harness/app.ts';
import { fields, makeDocument, prepareIds, requests, rootFields } from '../requests/index.ts';
import { allCells } from '../search/cells.ts';
import { generateSearches } from '../search/generate.ts';
import type { AdvancedSearch } from '../search/oracle.ts';
import { planTestQuery } from '../search/plan-query.ts';

/** Throws for a request that is refused: its statements would be missing. */
const requireAnswer = (what: string, { status, body, text }: Answer): void => {
  if (status >= 300 || body?.errors) throw new Error(`${what} is refused: ${text}`);
};

/** The statements of every root field, with a full selection. */
export const recordRootFields = async (door: Door, space: number): Promise<Recorded[]> => {
  const all: Recorded[] = [];
  for (const root of rootFields) {
    const args = fields[root.field.name]!(await prepareIds(door, space));
    const ask = async () => requireAnswer(root.field.name, await door.graphql(makeDocument(root, args), args));
    all.push(...(await door.recorded(ask)));
  }
  return all;
};

export const recordRoutes = async (door: Door, space: number): Promise<Recorded[]> => {
  const all: Recorded[] = [];
  for (const route of routes) {
    const { path, body } = requests[route.operation]!(await prepareIds(door, space));
    const url = route.path.replace(/\{(\w+)#?\}/g, (_, name) => String(path[name]));
    all.push(
      ...(await door.recorded(async () => requireAnswer(route.operation, await door.rest(route.method, url, body)))),
    );
  }
  return all;
};

const strategies: PageStrategy[] = ['bounded scan', 'unbounded scan', 'scan from the end', 'sort'];
const starts: Start[] = [{ after: null }, { page: 2, token: 1 }];

/** Searches by every attribute with every operator, by one strategy after the other. */
export const recordSearches = (door: Door, space: number): Promise<Recorded[]> =>
  door.recorded(async () => {
    const own = door.database.space(space);
    const search = async ({ query, sort_attr, sort_asc }: AdvancedSearch, index: number): Promise<void> => {
      const order = { sort: (sort_attr as SortName) ?? null, ascending: sort_attr === undefined || sort_asc === true };
      const asked = { plan: planTestQuery(query), order, words: '' };
      const [start, strategy] = [starts[index % starts.length]!, strategies[index % strategies.length]!];
      const side = index % 8 < 4 ? 'matching' : 'failing';
      await findContacts(own, asked, { start, limit: 20, strategy, side });
      await countFoundContacts(own, asked, index % 2 === 0 ? 'matching' : 'failing');
    };
    for (const [index, body] of allCells.flatMap((cell) => generateSearches(cell, 1, 9)).entries())
      await search(body, index);
  });
