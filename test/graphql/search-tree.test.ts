// One question as a query of the graph, as a tree of the contract over GraphQL, and over REST finds the same contacts.
import { beforeAll, describe, expect, it } from 'vitest';
import { attributes, getAttribute } from '../../src/search/attributes.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { faultsByTree, ids, idsByTree, searchedByTree, translateQuery } from './search-query.ts';

let door: Door;
let everybody: number;
beforeAll(async () => {
  door = await openApp();
  everybody = (await ids(door, {})).length;
});

describe('query and tree', () => {
  const where = (attr: string, ope: string, more: Json = {}): Json => ({ $condition: { attr, ope, ...more } });
  it('tree has the faults of the contract, at its own places', async () => {
    expect(await faultsByTree(door, { tree: { $all: [where('surname', 'ext')] } })).toEqual([
      expect.objectContaining({
        location: 'tree.$all[0]',
        message: 'must be a group, $all or $at_least_one, that holds the $condition',
      }),
    ]);
    expect(await faultsByTree(door, { tree: { $all: [{ $all: [where('tags.name', 'any_of')] }] } })).toEqual([
      { location: 'tree.$all[0].$all[0].$condition.value', message: 'is required' },
    ]);
    const { body } = await searchedByTree(door, { after: 'x', page: 0 });
    expect(body.errors[0].extensions.errors).toEqual([{ location: 'page', message: 'cannot be given beside after' }]);
  });

  it('of one question find the same contacts, as REST does', async () => {
    const dates = { from: 'now-60y', to: 'now-20y/y' };
    const formOf = async (kind: string): Promise<number> =>
      (
        await door.sql('select min(id) as id from forms where group_id = 1 and kind = ? and deleted_at is null', [kind])
      )[0].id;
    const forms: Record<string, number> = {
      form: await formOf('survey'),
      custom_fields: await formOf('custom_fields'),
      consented_at: await formOf('consent'),
    };
    const sample = Object.keys(attributes).flatMap((name) => {
      const { operators } = getAttribute(name as keyof typeof attributes);
      const form = name in forms ? { form_id: forms[name] } : {};
      return operators.filter((ope) => ope.endsWith('ext')).map((ope) => where(name, ope, form));
    });
    const questions = [
      ...sample.filter((_, index) => index % 3 === 0).map((one) => ({ $all: [{ $all: [one] }] })),
      ...sample.slice(0, 20).map((one, index) => ({
        $all: [{ $at_least_one: [one, where('surname', 'start_with', { value: 'd' })] }, { $all: [sample[index + 9]] }],
      })),
      {
        $at_least_one: [
          { $all: [where('birthdate', 'range', dates)] },
          { $all: [where('tags.name', 'any_of', { value: ['Sympathisant', 'Bénévole'] })] },
        ],
      },
      {
        $all: [
          {
            $all: [
              where('birthdate', 'period', { value: '12-15/03-15' }),
              where('mail', 'not_eql:strictdata', { value: 'x' }),
            ],
          },
        ],
      },
      {
        $all: [
          {
            $all: [
              where('transactions.sum_amount', 'gte', { value: '20.50' }),
              where('id', 'none_of', { value: '1, 2,3' }),
            ],
          },
        ],
      },
    ];
    expect(questions.length).toBeGreaterThan(40);
    let some = 0;
    for (const tree of questions) {
      const found = await idsByTree(door, { tree });
      const rest = await door.rest('POST', '/search', { data: { advanced_search: { per_page: 1000, query: tree } } });
      expect({ tree, ids: await ids(door, { query: translateQuery(tree) }) }).toEqual({ tree, ids: found });
      expect({ tree, ids: rest.body.data.contacts.map(({ id }: Json) => id) }).toEqual({ tree, ids: found });
      if (found.length > 0 && found.length < everybody) some++;
    }
    expect(some).toBeGreaterThan(25);
  }, 60_000);
});
