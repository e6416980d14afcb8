// Texts and phones that mean the same are compared as one, wherever they are compared: searches, upserts, tags, labels, quick search.
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { setSpaceCountry } from '../../src/data/access/space.ts';
import { rederiveSearch } from '../../src/data/search/rederive.ts';
import { Database } from '../../src/database/database.ts';
import { createMigrationTable, listMigrations, migrateDatabase, runMigrations } from '../../src/database/migrate.ts';
import { createDatabase, type Door, type Json, openApp } from '../harness/app.ts';
import { foldText } from '../search/oracle-text.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const create = async (contact: Json): Promise<number> =>
  (await door.rest('POST', '/contacts', { data: { contact } })).body.data.contact.id;
const read = async (id: number): Promise<Json> => (await door.rest('GET', `/contacts/${id}`)).body.data.contact;
const upsert = async (data: Json): Promise<Json> =>
  (await door.rest('POST', '/contacts/upsert', { kind: 'contact', data })).body;
const search = async (attr: string, ope: string, value: string): Promise<number[]> => {
  const query = { $all: [{ $all: [{ $condition: { attr, ope, value } }] }] };
  const { body } = await door.rest('POST', '/search', { data: { advanced_search: { query, per_page: 100 } } });
  return body.data.contacts.map(({ id }: Json) => id);
};
const findIdsByText = async (text: string): Promise<number[]> => {
  const { body } = await door.graphql(
    'query ($text: String!) { contacts(search: $text, first: 50) { nodes { databaseId } } }',
    {
      text,
    },
  );
  return body.data.contacts.nodes.map(({ databaseId }: Json) => databaseId);
};

/** Two spellings of one text. */
const alike: [string, string, string][] = [
  ['case', 'Zoé', 'ZOÉ'],
  ['an accent', 'Zoé', 'Zoe'],
  ['an accent of its own', 'José', 'Jose\u0301'],
  ['й and и', 'Андрей', 'АНДРЕИ'],
  ['й in two parts', 'Сергей', 'Серге\u0438\u0306'],
  ['ї in two parts', 'Київ', 'Ки\u0456\u0308в'],
  ['ё and е', 'Семён', 'Семен'],
  ['kana in two parts', 'ながしま', 'なか\u3099しま'],
  ['hangul in two parts', '각시', '각시'.normalize('NFD')],
  ['a final sigma', 'Παπαδόπουλος', 'ΠΑΠΑΔΌΠΟΥΛΟΣ'],
  ['the accents of Vietnamese', 'Nguyễn Thị', 'NGUYEN THI'],
  ['a ligature', 'Œuvrard', 'oeuvrard'],
  ['two spaces', 'Jean  Pierre', 'Jean Pierre'],
  ['a tab', 'Jean\tPaul', 'jean paul'],
  ['a blank and a tab', 'Jean \tMarc', 'jean marc'],
  ['a no-break space', 'De\u00a0la Tour', 'de la tour'],
  ['a narrow space', 'De\u202fla Cour', 'de la cour'],
  ['a zero-width space', 'Mar\u200btin', 'Martin'],
  ['a soft hyphen', 'Du\u00adpont', 'Dupont'],
  ['a mark of direction', '\u200fכהן\u200e', 'כהן'],
  ['a line break at the end', 'Durand\r\n', 'durand'],
];
/** Two texts. */
const different: [string, string][] = [
  ['が', 'か'],
  ['각', '가'],
  ['Jean Pierre', 'JeanPierre'],
  ['كريم', 'كرم'],
];

describe('two spellings of one name', () => {
  it.each(alike)('%s: %j and %j are one person, found by either', async (_, one, other) => {
    const surname = `${one} ${crypto.randomUUID()}`;
    const again = surname.replace(one, () => other);
    const first = await upsert({ surname });
    const second = await upsert({ surname: again });
    expect([second.data.outcome, second.data.contact.id]).toEqual(['updated', first.data.contact.id]);
    for (const name of [surname, again]) expect(await search('surname', 'eql', name)).toEqual([first.data.contact.id]);
  });

  it.each(different)('%j and %j are two names', async (one, other) => {
    const mark = crypto.randomUUID();
    const ids = [await create({ surname: `${one} ${mark}` }), await create({ surname: `${other} ${mark}` })];
    expect(await search('surname', 'eql', `${one} ${mark}`)).toEqual([ids[0]]);
  });

  it('are folded alike by the database, inline and not, and twice as once', async () => {
    const texts = [
      ...alike.flatMap(([, one, other]) => [one, other]),
      ...different.flat(),
      '',
      ' ',
      '\u200b',
      'a ½',
      'x\u2009\t y',
      'e\u0301\u00a0 é',
    ];
    const rows = await door.sql(
      'select fold(t) as fold, fold_inline(t) as inline, fold(fold(t)) as twice from unnest(cast(? as text[])) with ordinality u (t, n) order by n',
      [texts],
    );
    const folded = texts.map((text) => foldText(text).replace('½', '1/2'));
    expect(rows).toEqual(folded.map((text) => ({ fold: text, inline: text, twice: text })));
  });

  it('Latin letters take the short way to the same folding', async () => {
    const rows = await door.sql(
      `select chr(c) as letter from generate_series(192, 383) c where fold_inline(chr(c)) <> fold_inline(chr(c) || U&'\\0416') and fold_inline(chr(c) || U&'\\0416') <> fold_inline(chr(c)) || 'ж'`,
    );
    expect(rows).toEqual([]);
  });
});

describe('what is invisible at the edges of a mail', () => {
  const edges = ['\u00a0', '\u202f', '\u200b', '\ufeff', '\u200e', ' ', '\t'];
  it.each(edges)('%j is not written over REST; other texts are stored as they are sent', async (edge) => {
    const sent = { surname: `${edge}Edge${edge}`, mobile: `${edge}0612${edge}` };
    const id = await create({ ...sent, mail: `${edge}edge@example.org${edge}` });
    expect(await read(id)).toMatchObject({ ...sent, mail: 'edge@example.org' });
  });

  it('nor in the graph, in arguments and variables', async () => {
    const [one, other] = ['"\u200ba@example.org\u00a0"', '$email'].map(
      (email) => `createContact(input: { email: ${email} }) { contact { email } }`,
    );
    const text = `mutation ($email: String) { one: ${one} other: ${other} }`;
    const { body } = await door.graphql(text, { email: '\u00a0b@example.org\u200b' });
    expect([body.data.one.contact.email, body.data.other.contact.email]).toEqual(['a@example.org', 'b@example.org']);
  });

  it('makes no second contact of a mail', async () => {
    const first = await upsert({ mail: 'one.edge@example.org' });
    for (const mail of ['\u00a0one.edge@example.org', 'one.edge@example.org\u200b', ' ONE.edge@example.org\t'])
      expect((await upsert({ mail })).data.contact.id).toBe(first.data.contact.id);
  });

  it('alone is no value', async () => {
    const id = await create({ surname: 'Blank', firstname: '\u200b\u00a0' });
    expect((await read(id)).firstname ?? null).toBeNull();
    expect(
      (await door.graphql('mutation { createTag(input: { name: "\u200b" }) { tag { id } } }')).body.errors,
    ).toHaveLength(1);
  });

  it.each([
    'a\u200bb@example.org',
    'ab@exam\u00adple.org',
    'a\u00a0b@example.org',
    'a\u200eb@example.org',
  ])('is refused within the mail %j, at its place', async (mail) => {
    const { status, body } = await door.rest('POST', '/contacts', { data: { contact: { mail } } });
    expect([status, body.errors?.[0]?.location]).toEqual([400, expect.stringMatching(/mail$/)]);
  });
});

describe('a tag', () => {
  const names = async (id: number): Promise<string[]> => (await read(id)).tags.map(({ name }: Json) => name);
  const createTag = (name: string) =>
    door.graphql('mutation ($name: String!) { createTag(input: { name: $name }) { tag { databaseId name } } }', {
      name,
    });

  it('is one in every spelling and on every way', async () => {
    const id = await create({ surname: 'Tagged', tags: ['Bénévole', 'bénévole', ' BENEVOLE '] });
    expect(await names(id)).toEqual(['Bénévole']);
    const other = await create({ surname: 'Tagged', tags: [{ name: 'benevole' }] });
    expect(await names(other)).toEqual(['Bénévole']);
    await door.rest('PATCH', `/contacts/${other}`, { data: { contact: { tags: ['Be\u0301ne\u0301vole\u00a0'] } } });
    expect(await names(other)).toEqual(['Bénévole']);
    const third = (await upsert({ surname: 'Tagged thrice', tags: ['BÉNÉVOLE', 'Neuf', 'neuf'] })).data.contact.id;
    expect(await names(third)).toEqual(['Bénévole', 'Neuf']);
    const put = `mutation ($ids: [ID!]!, $tags: [String!]!) { tagContacts(input: { contactIds: $ids, tags: $tags }) { count } }`;
    expect((await door.graphql(put, { ids: [id], tags: ['NEUF', 'bénévole'] })).body.data.tagContacts.count).toBe(1);
    expect(await names(id)).toEqual(['Bénévole', 'Neuf']);
    const takeOff = put.replace('tagContacts', 'untagContacts');
    expect((await door.graphql(takeOff, { ids: [id], tags: ['neuf '] })).body.data.untagContacts.count).toBe(1);
    const [{ count }] = await door.sql(
      `select count(*)::int as count from tags where group_id = 1 and fold(name) in ('benevole', 'neuf')`,
    );
    expect(count).toBe(2);
  });

  it('in another spelling says nothing new of a contact', async () => {
    const id = await create({ surname: 'Same', tags: ['Éclair'] });
    const { version } = (await door.sql('select version from contacts where group_id = 1 and id = ?', [id]))[0];
    await door.rest('PATCH', `/contacts/${id}`, { data: { contact: { tags: ['eclair'] } } });
    await upsert({ id, tags: ['ECLAIR'] });
    expect(await door.sql('select version from contacts where group_id = 1 and id = ?', [id])).toEqual([{ version }]);
  });

  it('of the same folding is a conflict, when it is created or renamed', async () => {
    expect((await createTag('Réseau')).body.errors).toBeUndefined();
    expect((await createTag('RESEAU')).body.errors[0].extensions.code).toBe('conflict');
    const free = (await createTag('Libre')).body.data.createTag.tag.databaseId;
    const rename = (name: string) =>
      door.graphql(
        'mutation ($id: ID!, $name: String) { updateTag(input: { id: $id, name: $name }) { tag { name } } }',
        {
          id: free,
          name,
        },
      );
    expect((await rename('reseau')).body.errors[0].extensions.code).toBe('conflict');
    expect((await rename('LIBRE')).body.data.updateTag.tag.name).toBe('LIBRE');
  });

  it('that is there twice stays so: the very name is meant, else the oldest', async () => {
    await door.sql(`insert into tags (group_id, name) values (1, 'Double'), (1, 'double')`);
    const both = await create({ surname: 'Double', tags: ['double', 'Double'] });
    expect((await names(both)).toSorted()).toEqual(['Double', 'double']);
    expect(await names(await create({ surname: 'Double', tags: ['DOUBLE'] }))).toEqual(['Double']);
  });

  it('is created once by two at the same time', async () => {
    const spellings = ['Échec', 'echec', 'ECHEC', 'échec'];
    await Promise.all(spellings.map((name) => create({ surname: 'Race', tags: [name] })));
    expect(await door.sql(`select 1 as one from tags where group_id = 1 and fold(name) = 'echec'`)).toHaveLength(1);
  });
});

it('answers name forms and choices in any spelling', async () => {
  const form = `mutation { createForm(input: { kind: CUSTOM_FIELDS, label: "Préférée", type: RADIO, options: [{ label: "Été", value: "été" }] }) { form { databaseId } } }`;
  expect((await door.graphql(form)).body.errors).toBeUndefined();
  const { data } = await upsert({ surname: 'Answers', custom_fields: [{ label: 'PREFEREE ', value: 'ETE' }] });
  expect(await door.sql('select data from answers where group_id = 1 and contact_id = ?', [data.contact.id])).toEqual([
    { data: 'été' },
  ]);
});

/** A number, the country of the address, the country of the space, and the number with its calling code and within the country. */
const phones: [string, string | null, string | null, string, string][] = [
  ['06 12 34 56 78', 'FR', null, '+33612345678', '0612345678'],
  ['06.12.34.56.78', 'France', null, '+33612345678', '0612345678'],
  ['612345678', 'fr ', null, '+33612345678', '0612345678'],
  ['0033612345678', null, null, '+33612345678', '0612345678'],
  ['+33 (0)6 12 34 56 78', null, null, '+33612345678', '0612345678'],
  ['0033 (0) 6 12 34 56 78', 'BE', null, '+33612345678', '0612345678'],
  ['tel. +33 6 12 34 56 78', null, null, '+33612345678', '0612345678'],
  ['33612345678', 'FR', null, '+33612345678', '0612345678'],
  ['٠٦١٢٣٤٥٦٧٨', 'FR', null, '+33612345678', '0612345678'],
  ['+٣٣ ٦ ١٢ ٣٤ ٥٦ ٧٨', null, null, '+33612345678', '0612345678'],
  ['＋３３６１２３４５６７８', null, null, '+33612345678', '0612345678'],
  ['06\u00a012\u200934 56\u202f78', 'FR', null, '+33612345678', '0612345678'],
  ['0612345678', null, 'FR', '+33612345678', '0612345678'],
  ['0612345678', '', 'FR', '+33612345678', '0612345678'],
  ['0470 12 34 56', 'BE', 'FR', '+32470123456', '0470123456'],
  ['0470 12 34 56', 'Belgien', 'FR', '+32470123456', '0470123456'],
  ['0470 12 34 56', 'Atlantis', 'FR', '0470123456', '0470123456'],
  ['0612345678', null, null, '0612345678', '0612345678'],
  ['06 6982', 'IT', null, '+39066982', '066982'],
  ['+39 06 6982', null, null, '+39066982', '066982'],
  ['06 6982', 'VA', null, '+39066982', '066982'],
  ['0549 882', 'SM', null, '+3780549882', '0549882'],
  ['(212) 555-0100', 'US', null, '+12125550100', '2125550100'],
  ['1-212-555-0100', 'CA', null, '+12125550100', '2125550100'],
  ['+1 212 555 0100', null, 'FR', '+12125550100', '2125550100'],
  ['06 30 123 4567', 'HU', null, '+36301234567', '06301234567'],
  ['8 (912) 345-67-89', 'RU', null, '+79123456789', '89123456789'],
  ['+7 701 123 45 67', null, null, '+77011234567', '87011234567'],
  ['8 701 123 45 67', 'KZ', null, '+77011234567', '87011234567'],
  ['612 34 56 78', 'ES', null, '+34612345678', '612345678'],
  ['030 123456', 'DE', null, '+4930123456', '030123456'],
  ['07 12 34 56 78', 'CI', null, '+2250712345678', '0712345678'],
  ['+352 621 123 456', null, null, '+352621123456', '621123456'],
  ['néant', 'FR', null, '', ''],
  ['+', 'FR', null, '', ''],
];

describe('a phone', () => {
  it.each(phones)('%j with country %j, in a space of %j, is %j', async (number, country, home, whole, national) => {
    const [{ forms }] = await door.sql(`select phone_forms(?, coalesce(nullif(cast(? as text), ''), ?)) as forms`, [
      number,
      country,
      home,
    ]);
    expect(forms).toEqual([whole, national]);
  });

  it('stays as it was sent, and is found however it is written', async () => {
    const sent = ['612345670', '0033612345670', '+33 (0)6 12 34 56 70', '06.12.34.56.70', '٠٦ ١٢ ٣٤ ٥٦ ٧٠'];
    const ids: number[] = [];
    for (const mobile of sent) ids.push(await create({ surname: 'Phone', mobile, address: { country: 'FR' } }));
    expect(await Promise.all(ids.map(async (id) => (await read(id)).mobile))).toEqual(sent);
    for (const value of [...sent, '+33612345670', '٠٠٣٣٦١٢٣٤٥٦٧٠'])
      expect([value, await search('mobile', 'eql', value)]).toEqual([value, ids]);
    for (const value of ['06 12 34 56 7', '+33 6 12 34 56 7', '0033 6 12 34 56 7', '33 6 12 34 56 7'])
      expect([value, await search('mobile', 'start_with', value)]).toEqual([value, ids]);
    for (const value of ['12 34 56 70', '061234567', '3361234567', '+336 12 34 56 70', '٣٤٥٦٧٠', '٠٠٣٣٦١٢', '𝟘𝟘𝟛𝟛𝟞𝟙𝟚'])
      expect([value, await search('mobile', 'contains', value)]).toEqual([value, ids]);
    expect(await search('mobile', 'eql', '+32612345670')).toEqual([]);
    // Within a number, two zeros may be two zeros, in any script.
    const zeros = await create({ surname: 'Zeros', mobile: '0610002670', address: { country: 'FR' } });
    for (const value of ['0002670', '٠٠٠٢٦٧٠']) expect(await search('mobile', 'contains', value)).toEqual([zeros]);
    for (const value of ['0612345670', '+33 (0)6 12 34 56 70', '33612345670', '٠٦١٢٣٤٥٦٧٠', '06 12 34 56 7'])
      expect([value, await findIdsByText(value)]).toEqual([value, ids]);
  });

  it('of a contact without a country is of that of the space, whose rows follow', async () => {
    const id = await create({ surname: 'Home', phone: '01 23 45 67 80' });
    expect(await search('phone', 'eql', '+33 1 23 45 67 80')).toEqual([]);
    const space = door.database.space(1);
    const before = await read(id);
    await expect(setSpaceCountry(space, 'ZZ')).rejects.toThrow();
    await setSpaceCountry(space, 'FR');
    await rederiveSearch(space, new AbortController().signal);
    expect(await search('phone', 'eql', '+33 1 23 45 67 80')).toEqual([id]);
    expect(await read(id)).toEqual(before);
    expect(await door.sql('select rederived_to from spaces where id = 1')).toEqual([{ rederived_to: null }]);
    await setSpaceCountry(space, null);
    await rederiveSearch(space, new AbortController().signal);
    expect(await search('phone', 'eql', '+33 1 23 45 67 80')).toEqual([]);
    expect(await search('phone', 'eql', '0123456780')).toEqual([id]);
  });
});

it('what an earlier version has folded is folded again, in pieces, and tells nobody', async () => {
  const url = await createDatabase('empty');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(createMigrationTable);
  const before = listMigrations().filter(({ name, repeatable }) => !repeatable && name < '0028');
  await runMigrations(client, before);
  await client.query(`
    insert into spaces (id, name) values (1, 'One');
    insert into contacts (group_id, id, surname, mobile) select 1, n, 'Сергей  ' || n, '06 12 ' || n from generate_series(1, 1200) n;
    insert into contact_search (contact_id, group_id, transactions_sum, transactions_min, transactions_max, donations_sum, donations_min, donations_max, birthdate,
      transactions_count, donations_count, filled, age_category, gender, black_list, tag_ids, action_ids, form_ids, form_ref_ids, surname, firstname, married_name,
      mail, city, postal_code, mobile, phone)
    select id, 1, 0, 0, 0, 0, 0, 0, 'infinity', 0, 0, 130, -1, '', false, '{}', '{}', '{1}', '{1}', fold(surname), '', '', '', '', '', '0612' || id, '' from contacts;
    insert into forms (group_id, id, kind, label, type) values (1, 1, 'survey', 'F', 'text');
    insert into form_refs (group_id, id, form_id, label) values (1, 1, 1, 'F');
    insert into answers (group_id, contact_id, form_id, form_ref_id, data) select 1, n, 1, 1, 'й' from generate_series(1, 1200) n;
    insert into segments (group_id, name, query) values (1, 'Й', '{}'), (1, 'И', '{}');`);
  expect(await migrateDatabase(url)).toContain('0028_folding.sql');
  const segments = await client.query('select name from segments order by id');
  expect(segments.rows).toEqual([{ name: 'Й' }, { name: expect.stringMatching(/^И \(\d+\)$/) }]);
  const database = new Database(url);
  onTestFinished(() => database.close());
  await rederiveSearch(database.space(1), new AbortController().signal);
  const count = async (sql: string): Promise<number> =>
    (await client.query(`select count(*)::int as count from ${sql}`)).rows[0].count;
  expect(
    await count(`contact_search where surname = 'сергеи ' || contact_id and mobile_national = '0612' || contact_id`),
  ).toBe(1200);
  expect(await count(`answers where folded = 'и'`)).toBe(1200);
  expect(await count(`search_words where word = 'сергеи'`)).toBe(1200);
  expect(await count('change_queue')).toBe(0);
  expect(await count('contacts where version > 1')).toBe(0);
  expect(await count('spaces where rederived_to is not null')).toBe(0);
});
