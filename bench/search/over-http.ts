// Sends searches as clients do: POST /search for the page, POST /kpi for the count.
import { buildSearchBody, type Search } from './body.ts';
import type { Answer, Ask } from './service.ts';

const good = async (asked: Promise<Answer>): Promise<Answer> => {
  const answer = await asked;
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text.slice(0, 300)}`);
  return answer;
};

export const searchPage = (ask: Ask, search: Search): Promise<Answer> => good(ask('/search', buildSearchBody(search)));

export const countSearch = (ask: Ask, search: Search): Promise<Answer> => good(ask('/kpi', buildSearchBody(search)));

/** Sends a document of the graph. */
export const askGraph = async (ask: Ask, query: string, variables: object): Promise<Answer> => {
  const answer = await good(ask('/graphql', { query, variables }));
  if (answer.text.includes('"errors"')) throw new Error(answer.text.slice(0, 300));
  return answer;
};

/** Requests the page, then the count. The time ends at the last byte and excludes the client's parsing. */
export const prepareHttpRequests = (ask: Ask, search: Search): (() => Promise<unknown>)[] => [
  () => searchPage(ask, search),
  () => countSearch(ask, search),
];

const dataOf = (answer: unknown): { contacts: { id: number }[]; total: number } =>
  JSON.parse((answer as Answer).text).data;
export const pageOverHttp = (answer: unknown): number[] => dataOf(answer).contacts.map(({ id }) => id);
export const countOverHttp = (answer: unknown): number => dataOf(answer).total;

/** Whether the server has these routes. */
export const canSearch = async (ask: Ask): Promise<boolean> =>
  (await ask('/search', buildSearchBody({ per_page: 1, page: 0, include_interactions: false, query: { $all: [] } })))
    .status !== 404;
