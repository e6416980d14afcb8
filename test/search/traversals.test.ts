// Pages by number: read one after the other they miss and repeat no contact, whatever is written meanwhile. Any other page is the page of its moment.
import { describe, expect, it } from 'vitest';
import type { Json } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';
import {
  type Asked,
  compareSeen,
  deleteContacts,
  door,
  findEverybody,
  none,
  openForEach,
  readPage,
  sliceOf,
  traversePages,
} from './numbered-pages.ts';

openForEach();

it('a sync after sixty deletions meets everybody once, though one before it read the same pages', async () => {
  expect(await traversePages()).toEqual(await findEverybody());
  await deleteContacts((await findEverybody()).filter((_, at) => at % 5 === 0).slice(0, 60));
  expect(await traversePages()).toEqual(await findEverybody());
});

it('a page that is asked for out of turn is the page of that moment', async () => {
  for (const number of [9, 3, 0, 14, 3, 9, 12, 7, 4, 16, 2, 0, 5]) {
    expect({ number, ids: await readPage(number) }).toEqual({ number, ids: sliceOf(await findEverybody(), number) });
    await deleteContacts((await findEverybody()).slice(0, 3));
  }
});

it('pages out of turn amid a sync are of their moment, and the sync goes on where it was', async () => {
  const due = new Set(await findEverybody());
  const seen = await traversePages({}, async (_, number) => {
    const gone = (await findEverybody()).slice(0, 2);
    for (const id of gone) due.delete(id);
    await deleteContacts(gone);
    for (const other of [number + 5, Math.max(0, number - 4) || number + 9])
      expect({ other, ids: await readPage(other) }).toEqual({ other, ids: sliceOf(await findEverybody(), other) });
  });
  expect(compareSeen(seen, [...due])).toEqual(none);
});

describe('in turn, while contacts come and go', () => {
  const orders: Asked[] = [
    {},
    ...['surname', 'firstname', 'birthdate', 'gender', 'mail', 'city', 'married_name', 'lastchange'].flatMap(
      (sort_attr) => [true, false].map((sort_asc) => ({ sort_attr, sort_asc })),
    ),
  ];
  it.each(
    drawSample(orders, { small: 12, all: 3 }),
  )('%j: with ties and empty values, whoever stays is met once', async (asked) => {
    await door.sql(`update contacts set surname = 'Martin', firstname = null, gender = null, birthdate = null, mail = null,
      lastchange = '2020-01-01' where group_id = 1 and id % 3 = 0`);
    await door.sql('select refresh_search(1, array(select id from contacts where group_id = 1))');
    const due = new Set(await findEverybody());
    const seen = await traversePages({ per_page: 13, ...asked }, async (met) => {
      // The last that was met is the place where the next page begins.
      const gone = [met.at(-1)!, met[Math.floor(met.length / 2)]!];
      for (const id of gone) due.delete(id);
      await deleteContacts(gone);
      await door.sql(
        `insert into contacts (group_id, surname, firstname) select 1, s, s from unnest(array['Aaa', 'Martin', 'Zzz', null]) s`,
      );
      await door.sql(
        'select refresh_search(1, array(select id from contacts where group_id = 1 order by id desc limit 4))',
      );
      // Those who come at the end would be read for ever.
      if (met.length > 700) await deleteContacts((await findEverybody()).filter((id) => !due.has(id)));
    });
    expect(compareSeen(seen, [...due])).toEqual(none);
  });
});

describe('a page that is asked for again', () => {
  it('begins where it began before, so that a client that lost an answer misses nobody', async () => {
    await readPage(0);
    await readPage(1);
    const lost = await readPage(2);
    await deleteContacts([...(await findEverybody()).slice(0, 10), lost[0]!]);
    const again = await readPage(2);
    expect(again.slice(0, 19)).toEqual(lost.slice(1));
    const all = await findEverybody();
    expect(await readPage(3)).toEqual(all.slice(all.indexOf(again.at(-1)!) + 1).slice(0, 20));
  });

  it('is of the moment when it was not read in turn, and so is the first', async () => {
    await readPage(6);
    await readPage(0);
    await deleteContacts((await findEverybody()).slice(0, 7));
    expect(await readPage(6)).toEqual(sliceOf(await findEverybody(), 6));
    expect(await readPage(0)).toEqual(sliceOf(await findEverybody(), 0));
    await deleteContacts((await findEverybody()).slice(0, 7));
    expect(await readPage(0)).toEqual(sliceOf(await findEverybody(), 0));
  });

  it('after an earlier sync was given up one page before, begins where this one began it', async () => {
    for (const number of [0, 1, 2]) await readPage(number);
    await deleteContacts((await findEverybody()).slice(0, 5));
    const [, , , lost] = [await readPage(0), await readPage(1), await readPage(2), await readPage(3)];
    expect(await readPage(3)).toEqual(lost);
  });
});

it('the first page begins a new sync, wherever an earlier one was given up', async () => {
  for (const number of [0, 1, 2, 3]) await readPage(number);
  await deleteContacts((await findEverybody()).slice(10, 25));
  expect(await traversePages()).toEqual(await findEverybody());
  await readPage(0);
  await deleteContacts((await findEverybody()).slice(0, 15));
  await readPage(0);
  expect(await readPage(1)).toEqual(sliceOf(await findEverybody(), 1));
});

describe('two clients at once with one token', () => {
  it('that are pages apart each meet everybody once', async () => {
    const due = new Set(await findEverybody());
    const seen: [number[], number[]] = [[], []];
    for (let number = 0; number < 24; number++) {
      seen[0].push(...(await readPage(number)));
      const gone = (await findEverybody()).slice(0, 2);
      if (number < 12) {
        for (const id of gone) due.delete(id);
        await deleteContacts(gone);
      }
      if (number >= 3) seen[1].push(...(await readPage(number - 3)));
    }
    for (const ids of seen) expect(compareSeen(ids, [...due])).toEqual(none);
  });

  it('that read the same pages miss nobody once both have continued', async () => {
    const due = new Set(await findEverybody());
    const seen: [number[], number[]] = [[], []];
    for (let number = 0; number < 24; number++)
      for (const ids of number % 2 ? [seen[1], seen[0]] : seen) {
        ids.push(...(await readPage(number)));
        const gone = (await findEverybody()).slice(0, 2);
        if (number === 0 || number > 12) continue;
        for (const id of gone) due.delete(id);
        await deleteContacts(gone);
      }
    for (const ids of seen) expect(compareSeen(ids, [...due]).missed).toEqual([]);
  });

  it('that ask at the same moments miss nobody', async () => {
    const due = new Set(await findEverybody());
    let reading = 2;
    const client = async (): Promise<number[]> => traversePages({ per_page: 5 }).finally(() => reading--);
    const writer = async (): Promise<void> => {
      while (reading > 0 && due.size > 200) {
        const all = [...due];
        const gone = [all[0]!, all[Math.floor(all.length / 3)]!];
        for (const id of gone) due.delete(id);
        await deleteContacts(gone);
      }
    };
    const [one, other] = await Promise.all([client(), client(), writer()]);
    expect(due.size).toBeLessThan(380);
    for (const ids of [one, other]) expect(compareSeen(ids, [...due]).missed).toEqual([]);
  });
});

describe('nothing is shared', () => {
  /** Whether page 1 is the page of its moment for a token that has not read page 0 before it. */
  const begun = async (): Promise<void> => {
    await readPage(0);
    await deleteContacts((await findEverybody()).slice(0, 8));
  };

  it('by two tokens of a user', async () => {
    const [{ id }] = await door.sql('select min(user_id) as id from members where group_id = 1 and user_id <> 1');
    await begun();
    expect(await readPage(1, {}, await door.token(1, id))).toEqual(sliceOf(await findEverybody(), 1));
  });

  it('by pages of another size, in another order or of another search', async () => {
    await begun();
    expect(await readPage(1, { per_page: 19 })).toEqual(sliceOf(await findEverybody(), 1, 19));
    expect(await readPage(1, { sort_attr: 'lastchange', sort_asc: true })).toEqual(
      sliceOf(await findEverybody(1, 'c.lastchange'), 1),
    );
    const query = { $all: [{ $all: [{ $condition: { attr: 'surname', ope: 'not_eql', value: 'nobody at all' } }] }] };
    expect(await readPage(1, { query })).toEqual(sliceOf(await findEverybody(), 1));
  });

  it('by two spaces, though one token acts in both, one after the other', async () => {
    await begun();
    const [{ user_id }] = await door.sql('select min(user_id) as user_id from members where group_id = 2');
    const token = await door.token(2, user_id);
    await door.sql(
      `update search_traversals set token_id = (select max(id) from tokens where group_id = 2), search = search`,
    );
    expect(await readPage(1, {}, token)).toEqual(sliceOf(await findEverybody(2), 1));
  });
});

it('over GraphQL pages by number are read in turn as well', async () => {
  const ask = async (number: number): Promise<number[]> => {
    const { body } = await door.graphql(
      `{ searchContactsByTree(first: 20, page: ${number}) { nodes { id: databaseId surname: lastName } } }`,
    );
    return body.data.searchContactsByTree.nodes.map(({ id }: Json) => id);
  };
  const all = await findEverybody();
  expect(await ask(0)).toEqual(sliceOf(all, 0));
  await deleteContacts(all.slice(0, 5));
  expect(await ask(1)).toEqual(sliceOf(all, 1));
  expect(await ask(4)).toEqual(sliceOf(await findEverybody(), 4));
});
