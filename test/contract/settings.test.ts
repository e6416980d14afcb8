// Spec §2.7–§2.9, §4.9–§4.11: the three settings lists.
import { beforeAll, describe, expect, it } from 'vitest';
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
