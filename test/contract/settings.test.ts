// Spec §2.7–§2.9, §4.9–§4.11: the three settings lists.
import { beforeAll, describe, expect, it } from 'vitest';
import { runMutation } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const lists = [
  ['membership_price_groups', ['id', 'name', 'hidden', 'created_at', 'updated_at', 'membership_prices']],
  [
    'donation_prices',
    ['id', 'CreatedAt', 'UpdatedAt', 'amount', 'currency', 'allow_custom_amount', 'name', 'hidden', 'kind'],
  ],
  ['transaction_statuses', ['id', 'CreatedAt', 'UpdatedAt', 'name', 'color', 'kind', 'archived']],
] as const;

describe.each(lists)('GET /v1/%s', (name, fields) => {
  it.each(['/v1', ''])('lists all with a total (prefix "%s")', async (prefix) => {
    const { status, body } = await door.rest('GET', `${prefix}/${name}`);
    const [{ count }] = await door.sql(`select count(*) from ${name} where group_id = 1 and deleted_at is null`);
    expect([status, body.status, body.total]).toEqual([200, 'success', count]);
    expect(body.data).toHaveLength(Math.min(20, count));
    expect(count).toBeGreaterThan(1);
    for (const item of body.data) expect([...fields]).toEqual(expect.arrayContaining(Object.keys(item)));
  });

  it('is paged by limit and offset; past the end it is empty, never null', async () => {
    const { body } = await door.rest('GET', `/v1/${name}?limit=1000`);
    const pages = await Promise.all(
      body.data.map((_: Json, offset: number) => door.rest('GET', `/v1/${name}?limit=1&offset=${offset}`)),
    );
    expect(pages.flatMap((page) => page.body.data)).toEqual(body.data);
    for (const offset of [5000, 10_000]) {
      expect((await door.rest('GET', `/v1/${name}?offset=${offset}`)).body).toEqual({
        status: 'success',
        data: [],
        total: body.total,
      });
    }
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'limit=1.5',
    'limit=1e2',
    'offset=-1',
    'offset=9007199254740992',
    'limit=1&limit=1',
    'offset=1&limit=1&offset=',
  ])('is 400 for %s', async (query) => {
    const { status, body } = await door.rest('GET', `/v1/${name}?${query}`);
    expect([status, body.errors[0].location]).toEqual([400, `query.${query.split('=')[0]}`]);
  });

  it('omits deleted records and those of another space', async () => {
    await door.sql(
      `update ${name} set deleted_at = now() where id = (select min(id) from ${name} where group_id = 1 and deleted_at is null)`,
    );
    const { body } = await door.rest('GET', `/v1/${name}?limit=1000`);
    const kept = await door.sql(`select id from ${name} where group_id = 1 and deleted_at is null order by id`);
    expect(body.data.map(({ id }: Json) => id)).toEqual(kept.map(({ id }) => id));
  });
});

describe('amounts', () => {
  it('are whole numbers of minor units', async () => {
    const { body } = await door.rest('GET', '/v1/membership_price_groups');
    const [price] = body.data.flatMap((group: Json) => group.membership_prices);
    const [row] = await door.sql(
      'select amount, currency, membership_price_group_id from membership_prices where id = ?',
      [price.id],
    );
    expect(price).toMatchObject(row);
    expect(Number.isInteger(price.amount)).toBe(true);
  });
});

describe('a price group', () => {
  const create = (name: string, input: Json): Promise<Json> => runMutation(door, name, input);
  const readTimes = async (ids: number[]): Promise<string[]> => {
    const { body } = await door.rest('GET', '/v1/membership_price_groups?limit=1000');
    return ids.map((id) => body.data.find((group: Json) => group.id === id).updated_at);
  };

  it('has a later updated_at when one of its prices comes, changes, moves or goes, and no other has', async () => {
    const groups: number[] = [];
    for (const name of ['One', 'Two', 'Other']) groups.push((await create('createMembershipPriceGroup', { name })).id);
    const [one, two] = groups as [number, number];
    let price = 0;
    const changes: [what: string, change: () => Promise<Json>, moved: boolean[]][] = [
      [
        'comes',
        async () => {
          const input = { name: 'Year', amount: 100, membershipPriceGroupId: one };
          price = (await create('createMembershipPrice', input)).id;
        },
        [true, false, false],
      ],
      ['is renamed', () => create('updateMembershipPrice', { id: price, name: 'A year' }), [true, false, false]],
      ['stays', () => create('updateMembershipPrice', { id: price, name: 'A year' }), [false, false, false]],
      ['moves', () => create('updateMembershipPrice', { id: price, membershipPriceGroupId: two }), [true, true, false]],
      ['goes', () => create('deleteMembershipPrice', { id: price }), [false, true, false]],
    ];
    for (const [what, change, moved] of changes) {
      const before = await readTimes(groups);
      await change();
      const after = await readTimes(groups);
      expect([what, after.map((time, index) => time > before[index]!)]).toEqual([what, moved]);
    }
  });

  it('may be deleted while its prices are changed: none waits for ever', async () => {
    for (let round = 0; round < 10; round++) {
      const group = (await create('createMembershipPriceGroup', { name: `Gone ${round}` })).id;
      const input = { name: 'Year', amount: 100, membershipPriceGroupId: group };
      const prices = await Promise.all([1, 2, 3].map(() => create('createMembershipPrice', input)));
      const [gone, ...changed] = await Promise.allSettled([
        create('deleteMembershipPriceGroup', { id: group }),
        ...prices.map(({ id }) => create('updateMembershipPrice', { id, name: `Changed ${round}` })),
      ]);
      expect(gone!.status).toBe('fulfilled');
      for (const one of changed) if (one.status === 'rejected') expect(String(one.reason)).toContain('not-found');
    }
  });
});
