// Sends searches that must be refused, and checks that the database was not asked.
import { expect } from 'vitest';
import type { Answer, Door, Json } from '../harness/app.ts';

/** The place of a search in a body. */
export const root = 'body.data.advanced_search';

/** A valid condition. */
export const someone = { attr: 'surname', ope: 'ext' };

/** A query with these conditions in one group. */
export const buildGroupQuery = (...conditions: Json[]): Json => ({
  query: { $all: [{ $all: conditions.map(($condition) => ({ $condition })) }] },
});

/** The faults of a body, which all these paths refuse alike, and the length of the response. */
export const expectRefusal = async (
  door: Door,
  body: unknown,
  paths = ['/search', '/kpi'],
): Promise<{ errors: Json[]; size: number }> => {
  const answers: Answer[] = [];
  const statements = await door.statements(async () => {
    for (const path of paths) answers.push(await door.rest('POST', path, body));
  });
  expect(statements.filter((sql) => !sql.includes('enter_gate'))).toEqual([]);
  for (const { status, body: problem } of answers) {
    expect([status, problem.title]).toEqual([400, 'Invalid request']);
    expect(problem.errors).toEqual(answers[0]!.body.errors);
  }
  return { errors: answers[0]!.body.errors, size: JSON.stringify(answers[0]!.body).length };
};

/** The same for a search with one fault. */
export const expectRefusedSearch = (door: Door, advanced: Json, paths?: string[]) =>
  expectRefusal(door, { data: { advanced_search: { per_page: 5, ...advanced } } }, paths);
