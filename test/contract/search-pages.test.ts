// Spec §4.13: which contacts a search finds, in which order, page by page; and all counts agree with them.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';

let door: Door;
let all: number[];

beforeAll(async () => {
  door = await openApp();
  // Ties and empty values in every order, blank ones too.
  await door.sql(`update contacts set surname = 'Dupont', firstname = null, mail = '  ', married_name = 'ÉLAN', gender = null,
    birthdate = null where group_id = 1 and id % 7 = 0`);
  await door.sql(`update contacts set surname = null, married_name = 'elan', lastchange = '2020-01-01', gender = 'O',
    birthdate = '1970-01-01' where group_id = 1 and id % 11 = 0`);
  await door.sql(`update addresses set city = ' lyon ' where group_id = 1 and id % 3 = 0`);
  await door.sql(`delete from addresses where group_id = 1 and id % 5 = 0`);
  await door.sql('select refresh_search(1, array(select id from contacts where group_id = 1))');
  all = (await door.sql('select id from contacts where group_id = 1 and deleted_at is null order by id')).map(
    ({ id }) => id,
  );
});

const asked = async (path: string, advanced_search: Json, token?: string): Promise<Json> => {
  const { status, body } = await door.rest('POST', path, { data: { advanced_search } }, token);
  expect({ advanced_search, status, errors: body.errors }).toEqual({ advanced_search, status: 200 });
  return body.data;
};
const idsOf = ({ contacts }: Json): number[] => contacts.map(({ id }: Json) => id);
const search = async (advanced: Json): Promise<number[]> =>
  idsOf(await asked('/search', { per_page: 1000, ...advanced }));
const where = (...conditions: [attr: string, ope: string, value?: unknown][]): Json => ({
  $all: [{ $all: conditions.map(([attr, ope, value]) => ({ $condition: { attr, ope, value } })) }],
});

describe('all contacts', () => {
  it.each([
    ['no query', {}],
    ['null', { query: null }],
    ['{"$all": []}', { query: { $all: [] } }],
    ['a condition that all contacts meet', { query: where(['transactions.count_amount', 'gte', '0']) }],
  ])('are found by %s, ordered by id, without those of another space', async (_, advanced) => {
    expect(await search(advanced)).toEqual(all);
    expect(await asked('/kpi', advanced)).toEqual({ total: all.length });
  });

  it('of another space are found by its users', async () => {
    const [{ user_id }] = await door.sql('select min(user_id) as user_id from members where group_id = 2');
    const found = idsOf(await asked('/search', { per_page: 1000 }, await door.token(2, user_id)));
    const theirs = await door.sql('select id from contacts where group_id = 2 and deleted_at is null order by id');
    expect(found).toEqual(theirs.map(({ id }) => id));
    expect(found.some((id) => all.includes(id))).toBe(false);
  });

  it('do not include deleted ones', async () => {
    const [gone] = all as [number];
    await door.sql('update contacts set deleted_at = now() where id = ?', [gone]);
    await door.sql('select refresh_search(1, array[?]::bigint[]), refresh_emails(1, array[?]::bigint[])', [gone, gone]);
    all = all.slice(1);
    expect(await search({})).toEqual(all);
  });

  it('are filtered by a search that also has unknown properties', async () => {
    const query = { $all: [{ $all: [{ $condition: { attr: 'id', ope: 'gte0' } }] }], colour: 'red' };
    query.$all[0]!.$all[0]!.$condition = { attr: 'id', ope: 'eql', value: all[3], unit: 'm', from: 1 } as Json;
    const found = await asked('/search', { per_page: 5, query, offset: 3, columns: ['id'] });
    expect(idsOf(found)).toEqual([all[3]]);
    const { body } = await door.rest('POST', '/search', {
      id: 5,
      data: { kind: 'contact', advanced_search: { per_page: 5, query } },
    });
    expect(idsOf(body.data)).toEqual([all[3]]);
  });
});

const text = (column: string): string => `nullif(fold(coalesce(${column}, '')), '') collate "C"`;
const sorts: Record<string, string> = {
  surname: text('surname'),
  firstname: text('firstname'),
  married_name: text('married_name'),
  mail: text('mail'),
  city: text('city'),
  birthdate: 'birthdate',
  gender: 'gender collate "C"',
  lastchange: 'lastchange',
};
const directions = [
  [true, 'asc'],
  [false, 'desc'],
] as const;
const orders = Object.entries(sorts).flatMap(([sort_attr, key]) =>
  directions.map(([sort_asc, direction]) => ({
    name: `${sort_attr} ${direction}`,
    order: { sort_attr, sort_asc },
    by: `${key} ${direction}`,
  })),
);

describe('the order', () => {
  it.each(drawSample(orders, { small: 8 }))('by $name: contacts without a value are last, then by id', async ({
    order,
    by,
  }) => {
    const due = await door.sql(
      `select c.id from contacts c left join addresses a on a.group_id = c.group_id and a.contact_id = c.id
        where c.group_id = 1 and c.deleted_at is null order by ${by} nulls last, c.id`,
    );
    expect(await search(order)).toEqual(due.map(({ id }) => id));
  });

  it('is descending by default', async () => {
    const descending = await search({ sort_attr: 'surname', sort_asc: false });
    for (const order of [{ sort_attr: 'surname' }, { sort_attr: 'surname', sort_asc: null }])
      expect(await search(order)).toEqual(descending);
  });

  it('by id is ascending, whatever is sent', async () => {
    for (const order of [{ sort_asc: true }, { sort_asc: false }, { sort_attr: null }])
      expect(await search(order)).toEqual(all);
  });
});

describe('pages', () => {
  const query = where(['gender', 'not_eql', 'M']);

  it.each(
    drawSample([...orders, { name: 'id', order: {} }], { small: 8 }),
  )('by $name follow one another without gap or overlap', async ({ order }) => {
    const whole = await search({ query, ...order });
    expect(whole.length).toBeGreaterThan(60);
    for (const per_page of [1, 13, 60].filter((size) => size > 1 || order === orders[0]!.order)) {
      const pages: number[][] = [];
      while (pages.at(-1)?.length !== 0) pages.push(await search({ query, per_page, page: pages.length, ...order }));
      expect(pages.flat()).toEqual(whole);
      expect(pages.slice(0, -2).every(({ length }) => length === per_page)).toBe(true);
    }
  });

  it('are right in any sequence, and empty past the end', async () => {
    const whole = await search({ query, sort_attr: 'city' });
    for (const page of [9, 3, 0, 14, 3, 9, 1, 2, 1000, 1_000_000, 10])
      expect(await search({ query, sort_attr: 'city', per_page: 5, page })).toEqual(
        whole.slice(page * 5, page * 5 + 5),
      );
  });

  it('are 0 when null, and have up to 1000 contacts', async () => {
    expect(await search({ page: null, per_page: 3 })).toEqual(all.slice(0, 3));
    expect(await search({ per_page: 1000 })).toEqual(all);
  });
});

describe('the total', () => {
  const questions: Json[] = [
    where(['surname', 'start_with', 'd']),
    where(['surname', 'not_start_with', 'd']),
    where(['mail', 'ext'], ['gender', 'eql', 'F']),
    where(['tags.name', 'ext'], ['address.city', 'not_eql', 'lyon']),
    where(['transactions.sum_amount', 'gte', '100']),
    where(['emails.opened_at', 'ext'], ['emails.clicked_at', 'not_ext']),
    where(['birthdate', 'range']),
    { $at_least_one: where(['gender', 'eql', 'M']).$all.concat(where(['user_id', 'ext']).$all) },
    { $all: [{ $at_least_one: where(['gender', 'eql', 'M'], ['sanctions.status', 'contains', 'a']).$all[0].$all }] },
    { $at_least_one: [] },
    where(['surname', 'eql', 'nobody at all']),
  ];
  Object.assign(questions[6].$all[0].$all[0].$condition, { from: 'now-50y', to: 'now-20y/y' });

  it.each(
    questions.map((query, index) => [index, query] as const),
  )('of question %i is the number of all ids', async (_, query) => {
    const found = await search({ query });
    expect(await asked('/kpi', { query })).toEqual({ total: found.length });
    for (const page of [0, 1, 99]) {
      const part = await asked('/search', { query, per_page: 10, page, with_total: true });
      expect([part.total, idsOf(part)]).toEqual([found.length, found.slice(page * 10, page * 10 + 10)]);
    }
  });

  it('is sent only when it is requested', async () => {
    for (const more of [{}, { with_total: false }, { with_total: null }])
      expect(Object.keys(await asked('/search', { per_page: 1, ...more }))).toEqual(['contacts']);
    expect(Object.keys(await asked('/search', { per_page: 1, with_total: true })).sort()).toEqual([
      'contacts',
      'total',
    ]);
  });
});
