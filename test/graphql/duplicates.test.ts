// Contacts that may be one person: what groups them, how pages go on, who is kept apart, and what a merge makes of that.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type DuplicateReason,
  duplicateReasons,
  findDuplicates,
  type Place,
} from '../../src/data/contact/duplicates.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createSpace } from '../move/moving.ts';

let door: Door;
let space: number;
let token: string;
beforeAll(async () => {
  door = await openApp();
});

const openSpace = async (): Promise<void> => {
  space = await createSpace(door);
  token = await door.token(space, 1);
};
const run = async (query: string, variables: Json = {}, as = token): Promise<Json> =>
  (await door.graphql(query, variables, as)).body;
const create = async (contact: Json): Promise<number> =>
  (await door.rest('POST', '/contacts', { data: { contact } }, token)).body.data.contact.id;
const list = `query ($by: [DuplicateReason!], $first: Int, $after: String) {
  duplicateContacts(by: $by, first: $first, after: $after) { nodes { reason score contactCount contacts { id: databaseId } } cursor hasMore } }`;
const readAll = async (variables: Json = {}): Promise<Json[]> => {
  const nodes: Json[] = [];
  for (let after: string | null = null; ; ) {
    const { data, errors } = await run(list, { ...variables, after });
    expect(errors).toBeUndefined();
    nodes.push(...data.duplicateContacts.nodes);
    after = data.duplicateContacts.cursor;
    if (!data.duplicateContacts.hasMore) return nodes;
  }
};
const idsOf = (nodes: Json[]): number[][] => nodes.map(({ contacts }) => contacts.map(({ id }: Json) => id));
const apart = (name: string, ...ids: number[]): Promise<Json> =>
  run(`mutation ($contactIds: [ID!]!) { ${name}(input: { contactIds: $contactIds }) { count } }`, { contactIds: ids });

describe('groups', () => {
  it.each<[reason: string, one: Json, other: Json, score: number | undefined]>([
    ['SAME_EMAIL', { surname: 'A', mail: 'Ada@Example.org' }, { surname: 'B', mail: 'ada@example.org' }, 0.6],
    ['SAME_EMAIL', { surname: 'Éva', mail: 'eva@example.org' }, { surname: 'EVA', mail: 'eva@example.org' }, 0.95],
    ['SAME_EMAIL', { surname: 'A', mail: 'a@example.org' }, { surname: 'A', mail: 'b@example.org' }, undefined],
    ['SAME_PHONE', { surname: 'A', phone: '+33 6 12 34 56 78' }, { surname: 'B', mobile: '0033612345678' }, 0.4],
    ['SAME_PHONE', { surname: 'A', phone: '0102030405', mobile: '0102030405' }, { surname: 'B' }, undefined],
    [
      'SAME_NAME_AND_BIRTHDATE',
      { firstname: 'Léa', surname: 'Roux', birthdate: '1980-02-01' },
      { firstname: 'LEA', surname: 'roux', birthdate: '1980-02-01' },
      0.9,
    ],
    [
      'SAME_NAME_AND_BIRTHDATE',
      { firstname: 'Léa', surname: 'Roux', birthdate: '1980-02-01' },
      { firstname: 'Léa', surname: 'Roux', birthdate: '1981-02-01' },
      undefined,
    ],
    [
      'SAME_NAME_AND_BIRTHDATE',
      { firstname: 'Léa', surname: 'Roux' },
      { firstname: 'Léa', surname: 'Roux' },
      undefined,
    ],
    [
      'SAME_NAME_AND_BIRTHDATE',
      { surname: 'Roux', birthdate: '1980-02-01' },
      { surname: 'Roux', birthdate: '1980-02-01' },
      undefined,
    ],
    [
      'SIMILAR_NAME_SAME_ADDRESS',
      {
        firstname: 'Jean',
        surname: 'Dupont',
        address: { housenumber: '1', street: 'Rue Étroite', postalcode: '69001' },
      },
      {
        firstname: 'Jean',
        surname: 'Dupond',
        address: { housenumber: '1', street: 'rue etroite', postalcode: '69001' },
      },
      0.57,
    ],
    [
      'SIMILAR_NAME_SAME_ADDRESS',
      { firstname: 'Jean', surname: 'Dupont', address: { housenumber: '1', street: 'Rue A', postalcode: '69001' } },
      { firstname: 'Zoé', surname: 'Martin', address: { housenumber: '1', street: 'Rue A', postalcode: '69001' } },
      undefined,
    ],
    [
      'SIMILAR_NAME_SAME_ADDRESS',
      { firstname: 'Jean', surname: 'Dupont', address: { postalcode: '69001' } },
      { firstname: 'Jean', surname: 'Dupont', address: { postalcode: '69001' } },
      undefined,
    ],
  ])('%s: %j and %j', async (reason, one, other, score) => {
    await openSpace();
    const ids = [await create(one), await create(other)];
    const nodes = await readAll({ by: [reason] });
    expect(nodes).toEqual(
      score === undefined ? [] : [{ reason, score, contactCount: 2, contacts: ids.map((id) => ({ id })) }],
    );
    // Nobody is told of another space's people.
    expect(idsOf(await readAll({ by: [reason], first: 1 }))).toEqual(idsOf(nodes));
  });

  it('divide the people of one address by their names', async () => {
    await openSpace();
    const address = { housenumber: '3', street: 'Rue B', postalcode: '69002' };
    const names = [
      ['Jean', 'Dupont'],
      ['Marie', 'Martin'],
      ['Jean', 'Dupond'],
      ['Marie', 'Martine'],
      ['Zoé', 'Petit'],
    ];
    const ids: number[] = [];
    for (const [firstname, surname] of names) ids.push(await create({ firstname, surname, address }));
    const [a, b, c, d] = ids;
    const by = ['SIMILAR_NAME_SAME_ADDRESS'];
    expect(idsOf(await readAll({ by }))).toEqual([
      [a, c],
      [b, d],
    ]);
    expect(idsOf(await readAll({ by, first: 1 }))).toEqual([
      [a, c],
      [b, d],
    ]);
  });

  it('are the same, whatever the pages and the steps in which contacts are looked at', async () => {
    const expected: Partial<Record<DuplicateReason, string>> = {
      same_email: `select array_agg(contact_id order by contact_id) as ids from contact_search where group_id = 1 and mail <> '' group by mail having count(*) > 1 order by mail`,
      same_phone: `select array_agg(distinct contact_id order by contact_id) as ids from (select mobile as n, contact_id from contact_search where group_id = 1
         union all select phone, contact_id from contact_search where group_id = 1) p where n <> '' group by n having count(distinct contact_id) > 1 order by n`,
      same_name_and_birthdate: `select array_agg(contact_id order by contact_id) as ids from contact_search where group_id = 1 and surname <> '' and firstname <> '' and isfinite(birthdate)
         group by surname, firstname, birthdate having count(*) > 1 order by surname, firstname, birthdate`,
    };
    const walk = async (reason: DuplicateReason, first: number, atOnce: number): Promise<number[][]> => {
      const found: number[][] = [];
      for (let after: Place | undefined; ; ) {
        const page = await findDuplicates(door.database.space(1), { reasons: [reason], first, after, atOnce });
        expect(page.groups.length).toBeLessThanOrEqual(first);
        found.push(...page.groups.map(({ ids }) => ids));
        after = page.place;
        if (!page.hasMore) return found;
      }
    };
    // People of the demo, some of whom share everything, and one mail and one postal code that many share.
    await door.sql(`update contacts set mail = 'family' || id % 40 || '@example.org', mobile = '06' || lpad((id % 50)::text, 8, '0'), surname = 'Name' || id % 9, firstname = 'First' || id % 5,
       birthdate = date '1980-01-01' + (id % 11)::int where group_id = 1 and id % 3 = 0`);
    await door.sql(`update contacts set mail = 'all@example.org' where group_id = 1 and id % 7 = 0`);
    await door.sql(
      `update addresses set street = 'Rue ' || contact_id % 3, house_number = '1', postal_code = '6900' || contact_id % 2 where group_id = 1 and contact_id % 4 < 2`,
    );
    await door.sql('select refresh_search(1, array(select id from contacts where group_id = 1))');
    for (const reason of duplicateReasons) {
      const whole = await walk(reason, 1000, 20_000);
      const sql = expected[reason];
      if (sql) expect(whole).toEqual((await door.sql(sql)).map(({ ids }) => ids.map(Number)));
      expect(whole.length).toBeGreaterThan(0);
      for (const [first, atOnce] of [
        [1, 20_000],
        [3, 7],
        [1000, 1],
        [2, 50],
      ] as const)
        expect([reason, first, atOnce, await walk(reason, first, atOnce)]).toEqual([reason, first, atOnce, whole]);
    }
  });

  it('take no cursor that this server has not given', async () => {
    await openSpace();
    const { errors } = await run(list, { after: Buffer.from('["duplicates","same_email"]').toString('base64url') });
    expect(errors[0].extensions).toMatchObject({ code: 'invalid-request', errors: [{ location: 'after' }] });
  });

  it('take no cursor of a reason that is not asked for', async () => {
    await openSpace();
    for (const mail of ['a@example.org', 'b@example.org'])
      for (const surname of ['A', 'B']) await create({ surname, mail });
    const { data } = await run(list, { first: 1 });
    const { cursor: after } = data.duplicateContacts;
    expect((await run(list, { by: ['SAME_PHONE', 'SAME_EMAIL'], after })).data.duplicateContacts.nodes).toHaveLength(1);
    const { errors } = await run(list, { by: ['SAME_PHONE'], after });
    expect(errors[0].extensions.errors).toMatchObject([{ location: 'after', value: after }]);
  });
});

describe('contacts that are kept apart', () => {
  it('are no duplicates and are not merged, until they are released', async () => {
    await openSpace();
    const [one, other, third] = [
      await create({ firstname: 'Ada', surname: 'Twin', mail: 'twins@example.org' }),
      await create({ firstname: 'Eva', surname: 'Twin', mail: 'twins@example.org' }),
      await create({ firstname: 'Ida', surname: 'Twin', mail: 'twins@example.org' }),
    ];
    const by = ['SAME_EMAIL'];
    expect((await apart('keepContactsApart', other, one)).data.keepContactsApart.count).toBe(1);
    expect((await apart('keepContactsApart', one, other)).data.keepContactsApart.count).toBe(0);
    // The third may still be one of them.
    expect(idsOf(await readAll({ by }))).toEqual([[one, other, third]]);
    const merge = (survivorId: number, ...ids: number[]) =>
      run(
        'mutation ($survivorId: ID!, $ids: [ID!]!) { mergeContacts(input: { survivorId: $survivorId, ids: $ids }) { contact { id } } }',
        { survivorId, ids },
      );
    const refused = (await merge(third, one, other)).errors[0];
    expect([refused.extensions.code, refused.message]).toEqual([
      'conflict',
      `Contacts ${one} and ${other} are kept apart: if they are one person, release them first`,
    ]);
    // The survivor is kept apart from whom the merged one was.
    expect((await merge(third, one)).errors).toBeUndefined();
    expect(await readAll({ by })).toEqual([]);
    expect((await merge(third, other)).errors[0].extensions.code).toBe('conflict');
    expect((await apart('releaseContacts', other, third)).data.releaseContacts.count).toBe(1);
    expect(idsOf(await readAll({ by }))).toEqual([[other, third]]);
    expect((await merge(third, other)).errors).toBeUndefined();
  });

  it('must be contacts of the space, each named once', async () => {
    await openSpace();
    const one = await create({ surname: 'A' });
    for (const ids of [
      [one, one],
      [one, 1],
    ]) {
      const { errors } = await apart('keepContactsApart', ...ids);
      expect(errors[0].extensions).toMatchObject({
        code: 'unprocessable',
        errors: [{ location: 'input.contactIds[1]', value: ids[1] }],
      });
    }
    expect(await door.sql('select 1 from kept_apart where group_id = ?', [space])).toEqual([]);
  });
});
