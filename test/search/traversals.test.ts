// Pages by number: read in turn they miss nobody and show nobody twice, whoever writes meanwhile; any other is the page of its moment.
import { beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import { type Door, type Json, openApp } from '../harness.ts';

let door: Door;
beforeEach(async () => {
  door = await openApp();
});

interface Asked {
  per_page?: number;
  sort_attr?: string;
  sort_asc?: boolean;
  query?: Json;
}

const page = async (number: number, asked: Asked = {}, token?: string): Promise<number[]> => {
  const advanced_search = { per_page: 20, ...asked, page: number };
  const { status, body } = await door.rest('POST', '/search', { data: { advanced_search } }, token);
  expect({ status, errors: body.errors }).toEqual({ status: 200 });
  return body.data.contacts.map(({ id }: Json) => id);
};
/** Everybody of a space at this moment, by SQL that shares nothing with the search. */
const everybody = async (space = 1, order = 'c.id'): Promise<number[]> =>
  (
    await door.sql(
      `select c.id from contacts c where c.group_id = ${space} and c.deleted_at is null order by ${order}, c.id`,
    )
  ).map(({ id }) => id);
const remove = async (ids: number[]): Promise<void> => {
  await door.sql('update contacts set deleted_at = now() where group_id = 1 and id = any(?)', [ids]);
  await door.sql('select refresh_search(1, ?), refresh_emails(1, ?)', [ids, ids]);
};
const sliceOf = (ids: number[], number: number, size = 20): number[] => ids.slice(number * size, (number + 1) * size);
/** All pages in turn, with something done after each. */
const traverse = async (
  asked: Asked = {},
  meanwhile: (seen: number[], number: number) => unknown = () => {},
): Promise<number[]> => {
  const seen: number[] = [];
  for (let number = 0; ; number++) {
    const ids = await page(number, asked);
    if (ids.length === 0) return seen;
    seen.push(...ids);
    await meanwhile(seen, number);
  }
};
const fate = (seen: number[], due: number[]) => ({
  missed: due.filter((id) => !seen.includes(id)),
  twice: seen.filter((id, at) => seen.indexOf(id) !== at),
});
const none = { missed: [], twice: [] };
const traversals = () => door.sql('select * from search_traversals order by read_at');

it('a sync after sixty deletions meets everybody once, though one before it read the same pages', async () => {
  expect(await traverse()).toEqual(await everybody());
  await remove((await everybody()).filter((_, at) => at % 5 === 0).slice(0, 60));
  expect(await traverse()).toEqual(await everybody());
});

it('a page that is asked for out of turn is the page of that moment', async () => {
  for (const number of [9, 3, 0, 14, 3, 9, 12, 7, 4, 16, 2, 0, 5]) {
    expect({ number, ids: await page(number) }).toEqual({ number, ids: sliceOf(await everybody(), number) });
    await remove((await everybody()).slice(0, 3));
  }
});

it('pages out of turn amid a sync are of their moment, and the sync goes on where it was', async () => {
  const due = new Set(await everybody());
  const seen = await traverse({}, async (_, number) => {
    const gone = (await everybody()).slice(0, 2);
    for (const id of gone) due.delete(id);
    await remove(gone);
    for (const other of [number + 5, Math.max(0, number - 4) || number + 9])
      expect({ other, ids: await page(other) }).toEqual({ other, ids: sliceOf(await everybody(), other) });
  });
  expect(fate(seen, [...due])).toEqual(none);
});

describe('in turn, while contacts come and go', () => {
  const orders: Asked[] = [
    {},
    ...['surname', 'firstname', 'birthdate', 'gender', 'mail', 'city', 'married_name', 'lastchange'].flatMap(
      (sort_attr) => [true, false].map((sort_asc) => ({ sort_attr, sort_asc })),
    ),
  ];
  it.each(orders)('%j: with ties and empty values, whoever stays is met once', async (asked) => {
    await door.sql(`update contacts set surname = 'Martin', firstname = null, gender = null, birthdate = null, mail = null,
      lastchange = '2020-01-01' where group_id = 1 and id % 3 = 0`);
    await door.sql('select refresh_search(1, array(select id from contacts where group_id = 1))');
    const due = new Set(await everybody());
    const seen = await traverse({ per_page: 13, ...asked }, async (met) => {
      // The last that was met is the place where the next page begins.
      const gone = [met.at(-1)!, met[Math.floor(met.length / 2)]!];
      for (const id of gone) due.delete(id);
      await remove(gone);
      await door.sql(
        `insert into contacts (group_id, surname, firstname) select 1, s, s from unnest(array['Aaa', 'Martin', 'Zzz', null]) s`,
      );
      await door.sql(
        'select refresh_search(1, array(select id from contacts where group_id = 1 order by id desc limit 4))',
      );
      // Those who come at the end would be read for ever.
      if (met.length > 700) await remove((await everybody()).filter((id) => !due.has(id)));
    });
    expect(fate(seen, [...due])).toEqual(none);
  });
});

describe('a page that is asked for again', () => {
  it('begins where it began, so that nobody is missed by whoever lost an answer', async () => {
    await page(0);
    await page(1);
    const lost = await page(2);
    await remove([...(await everybody()).slice(0, 10), lost[0]!]);
    const again = await page(2);
    expect(again.slice(0, 19)).toEqual(lost.slice(1));
    const all = await everybody();
    expect(await page(3)).toEqual(all.slice(all.indexOf(again.at(-1)!) + 1).slice(0, 20));
  });

  it('is of the moment when it was not read in turn, and so is the first', async () => {
    await page(6);
    await page(0);
    await remove((await everybody()).slice(0, 7));
    expect(await page(6)).toEqual(sliceOf(await everybody(), 6));
    expect(await page(0)).toEqual(sliceOf(await everybody(), 0));
    await remove((await everybody()).slice(0, 7));
    expect(await page(0)).toEqual(sliceOf(await everybody(), 0));
  });

  it('after an earlier sync was given up one page before, begins where this one began it', async () => {
    for (const number of [0, 1, 2]) await page(number);
    await remove((await everybody()).slice(0, 5));
    const [, , , lost] = [await page(0), await page(1), await page(2), await page(3)];
    expect(await page(3)).toEqual(lost);
  });
});

it('the first page begins a new sync, wherever an earlier one was given up', async () => {
  for (const number of [0, 1, 2, 3]) await page(number);
  await remove((await everybody()).slice(10, 25));
  expect(await traverse()).toEqual(await everybody());
  await page(0);
  await remove((await everybody()).slice(0, 15));
  await page(0);
  expect(await page(1)).toEqual(sliceOf(await everybody(), 1));
});

describe('two clients at once with one token', () => {
  it('that are pages apart each meet everybody once', async () => {
    const due = new Set(await everybody());
    const seen: [number[], number[]] = [[], []];
    for (let number = 0; number < 24; number++) {
      seen[0].push(...(await page(number)));
      const gone = (await everybody()).slice(0, 2);
      if (number < 12) {
        for (const id of gone) due.delete(id);
        await remove(gone);
      }
      if (number >= 3) seen[1].push(...(await page(number - 3)));
    }
    for (const ids of seen) expect(fate(ids, [...due])).toEqual(none);
  });

  it('that read the same pages in turn miss nobody once both have gone on', async () => {
    const due = new Set(await everybody());
    const seen: [number[], number[]] = [[], []];
    for (let number = 0; number < 24; number++)
      for (const ids of number % 2 ? [seen[1], seen[0]] : seen) {
        ids.push(...(await page(number)));
        const gone = (await everybody()).slice(0, 2);
        if (number === 0 || number > 12) continue;
        for (const id of gone) due.delete(id);
        await remove(gone);
      }
    for (const ids of seen) expect(fate(ids, [...due]).missed).toEqual([]);
  });

  it('that ask at the same moments miss nobody', async () => {
    const due = new Set(await everybody());
    let reading = 2;
    const client = async (): Promise<number[]> => traverse({ per_page: 5 }).finally(() => reading--);
    const writer = async (): Promise<void> => {
      while (reading > 0 && due.size > 200) {
        const all = [...due];
        const gone = [all[0]!, all[Math.floor(all.length / 3)]!];
        for (const id of gone) due.delete(id);
        await remove(gone);
      }
    };
    const [one, other] = await Promise.all([client(), client(), writer()]);
    expect(due.size).toBeLessThan(380);
    for (const ids of [one, other]) expect(fate(ids, [...due]).missed).toEqual([]);
  });
});

describe('nothing is shared', () => {
  /** Whether page 1 is the page of its moment to whoever has not read page 0 before it. */
  const begun = async (): Promise<void> => {
    await page(0);
    await remove((await everybody()).slice(0, 8));
  };

  it('by two tokens of a user', async () => {
    const [{ id }] = await door.sql('select min(user_id) as id from members where group_id = 1 and user_id <> 1');
    await begun();
    expect(await page(1, {}, await door.token(1, id))).toEqual(sliceOf(await everybody(), 1));
  });

  it('by pages of another size, in another order or of another search', async () => {
    await begun();
    expect(await page(1, { per_page: 19 })).toEqual(sliceOf(await everybody(), 1, 19));
    expect(await page(1, { sort_attr: 'lastchange', sort_asc: true })).toEqual(
      sliceOf(await everybody(1, 'c.lastchange'), 1),
    );
    const query = { $all: [{ $all: [{ $condition: { attr: 'surname', ope: 'not_eql', value: 'nobody at all' } }] }] };
    expect(await page(1, { query })).toEqual(sliceOf(await everybody(), 1));
  });

  it('by two spaces, though one token acts in both, one after the other', async () => {
    await begun();
    const [{ user_id }] = await door.sql('select min(user_id) as user_id from members where group_id = 2');
    const token = await door.token(2, user_id);
    await door.sql(
      `update search_traversals set token_id = (select max(id) from tokens where group_id = 2), search = search`,
    );
    expect(await page(1, {}, token)).toEqual(sliceOf(await everybody(2), 1));
  });
});

it('over GraphQL pages by number are read in turn as well', async () => {
  const ask = async (number: number): Promise<number[]> => {
    const { body } = await door.graphql(`{ searchContacts(first: 20, page: ${number}) { nodes { id surname } } }`);
    return body.data.searchContacts.nodes.map(({ id }: Json) => id);
  };
  const all = await everybody();
  expect(await ask(0)).toEqual(sliceOf(all, 0));
  await remove(all.slice(0, 5));
  expect(await ask(1)).toEqual(sliceOf(all, 1));
  expect(await ask(4)).toEqual(sliceOf(await everybody(), 4));
});

describe('what is remembered', () => {
  it('is forgotten after ten minutes: then it is the page of the moment', async () => {
    const aged = async (minutes: number): Promise<number[]> => {
      await page(0);
      await remove((await everybody()).slice(0, 5));
      await door.sql(`update search_traversals set read_at = now() - ${minutes} * interval '1 minute'`);
      return page(1);
    };
    const all = await everybody();
    expect(await aged(9.9)).toEqual(sliceOf(all, 1));
    await door.sql('delete from search_traversals');
    expect(await aged(10.1)).toEqual(sliceOf(await everybody(), 1));
  });

  it('is one row, of which a sync of any length changes the places; nothing of cursors, or of a first page that is not full', async () => {
    await traverse({ sort_attr: 'mail' });
    expect(await traversals()).toHaveLength(1);
    await page(0, { per_page: 1000 });
    await page(500);
    await door.graphql('{ searchContacts(first: 5) { nodes { id } pageInfo { endCursor } } }');
    expect(await traversals()).toHaveLength(1);
  });

  it('is of a hundred searches of a token, the latest, and no word of a search stands in it', async () => {
    const { traversals: most } = limits.search;
    const query = (value: number) => ({
      $all: [{ $all: [{ $condition: { attr: 'surname', ope: 'not_eql', value: `zebra${value}` } }] }],
    });
    for (let value = 0; value < most + 30; value++) {
      await page(0, { query: query(value) });
      // One that goes on is among the latest.
      if (value % 40 === 0) await page(value / 40 + 1, { query: query(0) });
    }
    const rows = await traversals();
    expect(rows).toHaveLength(most);
    expect(JSON.stringify(rows)).not.toContain('zebra');
    const all = await everybody();
    await remove(all.slice(0, 5));
    expect(await page(1, { query: query(most + 29) })).toEqual(sliceOf(all, 1));
    expect(await page(5, { query: query(0) })).toEqual(sliceOf(all, 5));
    expect(await page(1, { query: query(1) })).toEqual(sliceOf(await everybody(), 1));
  });

  it('fails no page when it cannot be: pages are of their moment then', async () => {
    await page(0);
    door.database.space(1).searches.traversals.clear();
    await door.sql('alter table search_traversals rename to elsewhere');
    await remove((await everybody()).slice(0, 5));
    expect(await page(1)).toEqual(sliceOf(await everybody(), 1));
    expect(await page(0)).toEqual(sliceOf(await everybody(), 0));
  });
});

it('a page costs one statement more, and one that looks where it begins when this process did not read the page before', async () => {
  const counted = async (number: number): Promise<number> =>
    (await door.statements(() => page(number))).filter((sql) => /search_traversals/.test(sql)).length;
  expect([await counted(0), await counted(1), await counted(2), await counted(500)]).toEqual([1, 1, 1, 1]);
  door.database.space(1).searches.traversals.clear();
  expect([await counted(3), await counted(4), await counted(4)]).toEqual([2, 1, 2]);
});

it('what a process remembers is believed only as long as it is true', async () => {
  await page(0);
  await page(1);
  const { traversals: memory } = door.database.space(1).searches;
  const [[key, stale]] = [...memory.entries()] as [[string, NonNullable<ReturnType<typeof memory.get>>]];
  // Another process reads on, and then all anew.
  memory.clear();
  for (const number of [2, 0, 1]) {
    await page(number);
    await remove((await everybody()).slice(0, 3));
  }
  const all = await everybody();
  const [last] = (await traversals()).filter((row) => row.page === 1).slice(-1);
  memory.set(key, stale);
  expect(await page(2)).toEqual(all.slice(all.findIndex((id) => id > last.ended_id)).slice(0, 20));
});
