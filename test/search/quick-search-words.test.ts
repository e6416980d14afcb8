// The words of a space follow every write, are verified and rebuilt; and no search takes long, whatever words the contacts have.
import { beforeAll, describe, expect, it } from 'vitest';
import { SearchRows } from '../../src/data/search/verify.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { openQuickSearch } from './quick-search.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const { read, find, create, mutate } = openQuickSearch(() => door);

describe('the words of a space', () => {
  const findWrong = async (): Promise<Json[]> => {
    const rows = await SearchRows.open(door.databaseUrl);
    const wrong: Json[] = [];
    for await (const batch of rows.readBatches({ batch: 1000, again: false, repair: false }))
      wrong.push(...batch.wrong);
    await rows.close();
    return wrong;
  };

  it('follow every write: of one, of many, of a merge, and of what undoes them', async () => {
    const id = await create({ lastName: 'Erstling', address: { city: 'Altstadt' } });
    await mutate(
      `updateContact(input: { id: ${id}, lastName: "Zweitling", address: { city: "Neustadt" } }) { contact { databaseId } }`,
    );
    expect(await find('zweitlnig neustadt')).toEqual([id]);
    expect(await find('erstling')).toEqual([]);
    const { importContacts } = await mutate(
      'importContacts(input: { contacts: [{ lastName: "Drittling", firstName: "Hildegundis" }, { lastName: "Drittling", firstName: "Notburga" }], name: "two" }) { import { id: databaseId } }',
    );
    expect(await find('drittlign')).toHaveLength(2);
    await mutate(`undoImport(input: { id: ${importContacts.import.id} }) { __typename }`);
    expect(await find('drittling')).toEqual([]);
    const survivor = await create({ lastName: 'Viertling' });
    const other = await create({ lastName: 'Viertling', firstName: 'Ermentraud' });
    await mutate(`mergeContacts(input: { survivorId: ${survivor}, ids: [${other}] }) { __typename }`);
    expect(await find('ermentruad viertling')).toEqual([survivor]);
    expect(await findWrong()).toEqual([]);
  });

  it('are found missing, and added again; those of nobody are removed', async () => {
    const id = await create({ lastName: 'Erinnerling Vergessling' });
    const gone = await create({ lastName: 'Niemandling' });
    await mutate(`deleteContact(input: { id: ${gone} }) { databaseId }`);
    // The first word of the text is still there.
    await door.sql(`delete from search_words where word = 'vergessling'`);
    await door.sql(
      `insert into search_words (group_id, kind, word, value) select group_id, kind, word, value from search_words where word = 'martin'`,
    );
    expect(await find('vergessling')).toEqual([]);
    expect(await findWrong()).toEqual([{ table: 'search_words', id, kind: 'missing', columns: ['surname'] }]);
    const rows = await SearchRows.open(door.databaseUrl);
    for await (const _ of rows.readBatches({ batch: 100, again: false, repair: true }));
    const [{ copies }] = await door.sql(`select count(*) as copies from search_words where word = 'martin'`);
    expect(await rows.removeUnusedWords()).toBeGreaterThan(copies / 2);
    expect(await rows.removeUnusedWords()).toBe(0);
    await rows.close();
    expect(await find('vergessling')).toEqual([id]);
    expect(await door.sql(`select from search_words where word = 'niemandling'`)).toEqual([]);
    expect(await door.sql(`select from search_words where word = 'martin'`)).toHaveLength(copies / 2);
    expect(await findWrong()).toEqual([]);
  });
});

it('answers soon when all contacts have the words of a search', async () => {
  const started = performance.now();
  for (let first = 1; first <= 20_000; first += 1000) {
    await door.sql(
      `with made as (insert into contacts (group_id, firstname, surname, mail)
         select 1, 'A', 'An' || case when n % 7 = 0 then ' O' else '' end, 'a' || n || '@example.org' from generate_series(?::int, ?) n returning id)
       select add_search(1, array(select id from made))`,
      [first, first + 999],
    );
  }
  await door.sql('analyze contact_search');
  const creation = performance.now() - started;
  for (const search of ['a', 'an', 'a an', 'an a o', 'a a a a a a a a', 'o a xx', 'an 0', 'a@', 'a1', '@']) {
    const asked = performance.now();
    await read(search, { first: 200 });
    expect(performance.now() - asked, search).toBeLessThan(creation);
  }
});

it('runs in the pool of searches, within its time limit', async () => {
  const inPool: string[] = [];
  const listen = ({ sql }: { sql: string }): void => void inPool.push(sql);
  door.database.searchPool.pool.knex.on('query', listen);
  const all = await door.statements(() => find('martin paris'));
  door.database.searchPool.pool.knex.off('query', listen);
  const searching = all.filter((sql) => /contact_search|search_words/.test(sql));
  expect(searching.length).toBeGreaterThan(2);
  expect(inPool.filter((sql) => /contact_search|search_words/.test(sql))).toHaveLength(searching.length);
});
