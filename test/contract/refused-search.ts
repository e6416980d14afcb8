// A search that is refused: what is said of it, and that the database did not hear of it.
import { expect } from 'vitest';
import type { Answer, Door, Json } from '../harness/app.ts';

/** Where a search stands in a body. */
export const root = 'body.data.advanced_search';

/** A condition that is right. */
export const someone = { attr: 'surname', ope: 'ext' };

/** The query of these conditions in one group. */
export const group = (...conditions: Json[]): Json => ({
  query: { $all: [{ $all: conditions.map(($condition) => ({ $condition })) }] },
});

/** The faults of a body, which is refused alike at these paths, and how long the answer is. */
export const refused = async (
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

/** The same of a search that is right but for this. */
export const refusedSearch = (door: Door, advanced: Json, paths?: string[]) =>
  refused(door, { data: { advanced_search: { per_page: 5, ...advanced } } }, paths);
