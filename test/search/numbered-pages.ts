// Pages of a search by number, from an app that each test has to itself, and the contacts that are expected on them.
import { beforeEach, expect } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

export let door: Door;
/** Gives every test of a file an app of its own. */
export const openForEach = (): void => {
  beforeEach(async () => {
    door = await openApp();
  });
};

export interface Asked {
  per_page?: number;
  sort_attr?: string;
  sort_asc?: boolean;
  query?: Json;
}

export const readPage = async (number: number, asked: Asked = {}, token?: string): Promise<number[]> => {
  const advanced_search = { per_page: 20, ...asked, page: number };
  const { status, body } = await door.rest('POST', '/search', { data: { advanced_search } }, token);
  expect({ status, errors: body.errors }).toEqual({ status: 200 });
  return body.data.contacts.map(({ id }: Json) => id);
};
/** Everybody of a space at this moment, by SQL that shares nothing with the search. */
export const findEverybody = async (space = 1, order = 'c.id'): Promise<number[]> =>
  (
    await door.sql(
      `select c.id from contacts c where c.group_id = ${space} and c.deleted_at is null order by ${order}, c.id`,
    )
  ).map(({ id }) => id);
export const deleteContacts = async (ids: number[]): Promise<void> => {
  await door.sql('update contacts set deleted_at = now() where group_id = 1 and id = any(?)', [ids]);
  await door.sql('select refresh_search(1, ?), refresh_emails(1, ?)', [ids, ids]);
};
export const sliceOf = (ids: number[], number: number, size = 20): number[] =>
  ids.slice(number * size, (number + 1) * size);
/** All pages in turn, with something done after each. */
export const traversePages = async (
  asked: Asked = {},
  meanwhile: (seen: number[], number: number) => unknown = () => {},
): Promise<number[]> => {
  const seen: number[] = [];
  for (let number = 0; ; number++) {
    const ids = await readPage(number, asked);
    if (ids.length === 0) return seen;
    seen.push(...ids);
    await meanwhile(seen, number);
  }
};
export const compareSeen = (seen: number[], due: number[]) => ({
  missed: due.filter((id) => !seen.includes(id)),
  twice: seen.filter((id, at) => seen.indexOf(id) !== at),
});
export const none = { missed: [], twice: [] };
export const readTraversals = () => door.sql('select * from search_traversals order by read_at');
