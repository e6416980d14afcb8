// Quick search: one text finds people by their names, misspelt ones too, and by what else is known of them; the best first.
import { beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits/limits.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { isSmall } from '../harness/sizes.ts';
import { openQuickSearch } from './quick-search.ts';
import { type Chance, createChance } from './random.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const { ask, read, find, create, mutate } = openQuickSearch(() => door);

/** One letter too few, too many or another, or two that changed places: never the same text. */
const misspell = (text: string, { whole, pick }: Chance): string => {
  const letters = [...text];
  const places = letters.flatMap((letter, place) => (/\p{L}/u.test(letter) ? [place] : []));
  const letter = pick([...'abcdefghijklmnopqrstuvwxyz']);
  for (;;) {
    const place = pick(places);
    const wrong = [...letters];
    const kind = whole(4);
    if (kind === 0) wrong.splice(place, 1);
    else if (kind === 1) wrong.splice(place, 0, letter);
    else if (kind === 2) wrong[place] = letter;
    else if (places.includes(place + 1)) [wrong[place], wrong[place + 1]] = [letters[place + 1]!, letters[place]!];
    if (wrong.join('').toLowerCase() !== text.toLowerCase()) return wrong.join('');
  }
};

it.skipIf(isSmall)(
  'finds 190 of 200 people among the first five, when one letter of the first or the family name is wrong',
  {
    timeout: 120_000,
  },
  async () => {
    const people = await door.sql(
      `select id, firstname, surname from contacts where group_id = 1 and deleted_at is null and firstname <> '' and surname <> '' order by id limit 200`,
    );
    expect(people).toHaveLength(200);
    const drawn = createChance(20);
    const missed: string[] = [];
    for (const { id, firstname, surname } of people) {
      const search = drawn.odds(0.5)
        ? `${misspell(firstname, drawn)} ${surname}`
        : `${firstname} ${misspell(surname, drawn)}`;
      if (!(await find(search, { first: 5 })).includes(id)) missed.push(`${firstname} ${surname}: ${search}`);
    }
    expect(missed.slice(10)).toEqual([]);
  },
);

describe('a person', () => {
  let id: number;
  beforeAll(async () => {
    id = await create({
      firstName: 'Zéphyrine',
      lastName: 'Quatremère-Dupuis',
      marriedName: 'Wolkenstein',
      email: 'zq.dupuis77@example.org',
      mobile: '+33 6 71 92 83 74',
      phone: '04 71 92 83 75',
      externalId: 'CRM-00Zx9',
      address: { city: 'Saint-Étienne-du-Rouvray', postalCode: '76809' },
    });
  });

  it.each([
    ['her names in order', 'Zéphyrine Quatremère-Dupuis'],
    ['her names in another order', 'quatremère zéphyrine'],
    ['without accents, in capitals', 'ZEPHYRINE QUATREMERE DUPUIS'],
    ['one part of a double name', 'dupuis zephyrine'],
    ['her married name', 'wolkenstein'],
    ['her name and her city', 'wolkenstein saint etienne du rouvray'],
    ['her city first', 'Rouvray Wolkenstein'],
    ['a postal code and a name', '76809 quatremere'],
    ['a name and the beginning of a postal code', 'quatremere 768'],
    ['the beginning of the last word', 'zephyrine quatr'],
    ['one letter more', 'quatremere z'],
    ['an address', 'zq.dupuis77@example.org'],
    ['an address in capitals', 'ZQ.Dupuis77@Example.ORG'],
    ['the beginning of an address', 'zq.dupuis7'],
    ['the part before the @', 'zq.dupuis77 wolkenstein'],
    ['a mobile number with blanks', '06 71 92 83 74'],
    ['a mobile number with dots', '06.71.92.83.74'],
    ['a mobile number with the code of the country', '+33 (0)6 71 92 83 74'],
    ['a number without blanks', '0671928374'],
    ['a number with a blank behind the code of the country', '+33 671928374'],
    ['the same with zeros for the plus', '0033 671928374'],
    ['a number with the trunk in brackets', '+33 (0)671928374'],
    ['a number with a blank behind the area', '06 71928374'],
    ['such a number and her postal code', '+33 671928374 76809'],
    ['the beginning of such a number', '+33 67192'],
    ['a whole number and her postal code', '06 71 92 83 74 76809'],
    ['the beginning of a number', '06 71 92 8'],
    ['a landline number', '+33471928375'],
    ['a number and a name', '04 71 92 83 75 zephyrine'],
    ['an external id', 'CRM-00Zx9'],
    ['an external id and a name', 'CRM-00Zx9 wolkenstein'],
    ['both names misspelt', 'zephyrinne quatremerre'],
    ['a misspelt city', 'wolkenstein rouvrya'],
    ['blanks of all kinds', ' \t zephyrine\u00a0\u2003quatremere \n'],
    ['punctuation between the words', '(Zéphyrine), «quatremère»'],
  ])('is found by %s', async (_, search) => {
    expect(await find(search)).toEqual([id]);
  });

  it.each([
    ['a word that nobody has', 'zephyrine xxqxx'],
    ['nonsense', 'qxzjk wvvq'],
    ['two errors in one word', 'wlokenstien'],
    ['the name of one and the city of another', 'zephyrine marseille'],
    ['the middle of a word', 'atremer'],
    ['a beginning that is not the last word', 'zeph quatremere'],
    ['a pattern', 'zephyr% quatremere'],
    ['a pattern for one letter', 'zephyr_ne quatremere'],
    ['a regular expression', 'z.*phyrine'],
    ['punctuation alone', '%'],
    ['underscores alone', '___'],
  ])('is not found by %s', async (_, search) => {
    expect(await find(search)).not.toContain(id);
  });
});

describe('the order', () => {
  it('is whole words, then beginnings, then misspelt ones; names before cities; then ids', async () => {
    const names = ['Brundelle', 'Brundellec', 'Brundell', 'Autre', 'Encore Brundelle'];
    const ids: number[] = [];
    for (const surname of names)
      ids.push(await create({ lastName: surname, ...(surname === 'Autre' && { address: { city: 'Brundelle' } }) }));
    const [exact, begun, misspelt, city, part] = ids;
    expect(await find('brundelle')).toEqual([exact, part, city, begun, misspelt]);
    // Beside enough contacts with the very word, words that differ are of no interest.
    const fifth = await create({ firstName: 'Brundelle' });
    expect(await find('brundelle')).toEqual([exact, part, fifth, city, begun]);
  });

  it('is read page by page, up to its end', async () => {
    for (let n = 0; n < 7; n++) await create({ lastName: 'Pagelot', firstName: n % 2 ? 'Ab' : 'Cd' });
    const all = await read('pagelot');
    expect(all.nodes).toHaveLength(7);
    expect(all.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
    const pages: number[][] = [];
    for (let after: string | undefined; ; ) {
      const page = await read('pagelot', { first: 3, after });
      expect(page.totalCount).toBe(7);
      expect(page.edges.map(({ node }: Json) => node.id)).toEqual(page.nodes.map(({ id }: Json) => id));
      expect(page.pageInfo.hasPreviousPage).toBe(after !== undefined);
      pages.push(page.nodes.map(({ id }: Json) => id));
      expect(page.pageInfo.endCursor).toBe(page.edges.at(-1).cursor);
      if (!page.pageInfo.hasNextPage) break;
      after = page.pageInfo.endCursor;
    }
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(pages.flat()).toEqual(all.nodes.map(({ id }: Json) => id));
  });

  it('ends after the first matches', async () => {
    await door.sql(
      `with made as (insert into contacts (group_id, surname) select 1, 'Multitude' from generate_series(1, 230) returning id)
       select add_search(1, array(select id from made))`,
    );
    const first = await read('multitude', { first: 150 });
    expect([first.totalCount, first.nodes.length]).toEqual([limits.search.quickResults, 150]);
    const second = await read('multitude', { first: 150, after: first.pageInfo.endCursor });
    expect([second.nodes.length, second.pageInfo.hasNextPage]).toEqual([50, false]);
    const beyond = await read('multitude', { first: 10, after: second.pageInfo.endCursor });
    expect(beyond.nodes).toEqual([]);
  });

  it('is the same for the graph as rows and as text', async () => {
    const fields = 'id firstName lastName email address { city } tags { name } notes { nodes { content } }';
    const { body } = await door.graphql(
      `{ texts: contacts(search: "ma", first: 20) { nodes { ${fields} } } rows: contacts(search: "ma", first: 20) { nodes { ${fields} interactions { nodes { id: databaseId } } } } }`,
    );
    expect(body.data.texts.nodes.length).toBeGreaterThan(5);
    expect(body.data.rows.nodes.map(({ interactions, ...rest }: Json) => rest)).toEqual(body.data.texts.nodes);
  });
});

describe('a text that is refused', () => {
  const long = limits.value.lineCharacters;
  it.each([
    ['nothing', '', 'must not be blank'],
    ['blanks', ' \t\u00a0 ', 'must not be blank'],
    ['more than a line', 'a'.repeat(long + 1), `must be at most ${long} characters`],
    [
      'too many words',
      'ab '.repeat(limits.search.quickWords + 1),
      `must have at most ${limits.search.quickWords} words`,
    ],
    ['U+0000', 'dupont\0', 'must not contain U+0000 or a lone surrogate'],
    ['a lone surrogate', 'dupont\ud800', 'must not contain U+0000 or a lone surrogate'],
  ])('is %s', async (_, search, message) => {
    const { body } = await ask(search);
    expect(body.errors[0].extensions).toMatchObject({
      code: 'invalid-request',
      status: 400,
      errors: [{ location: 'search', message }],
    });
  });

  it.each([
    ['of the plain list', Buffer.from('["contacts",5]').toString('base64url')],
    ['of no position', Buffer.from('["matches",0]').toString('base64url')],
    ['of a text', Buffer.from('["matches","x"]').toString('base64url')],
  ])('has a cursor %s', async (_, after) => {
    const { body } = await ask('martin', { after });
    expect(body.errors[0].extensions.errors).toMatchObject([{ location: 'after' }]);
  });

  it('is not refused at the bounds', async () => {
    expect(await find('q'.repeat(long))).toEqual([]);
    expect(await find('xqz '.repeat(limits.search.quickWords).trim())).toEqual([]);
    expect((await ask(null, { first: 3 })).body.data.contacts.nodes).toHaveLength(3);
  });
});

describe('what the caller may not see', () => {
  it('stays invisible: other spaces, with their words, and deleted contacts', async () => {
    const [{ id: user }] = await door.sql(
      `select min(m.user_id) as id from members m join roles r on r.group_id = 2 and r.id = m.role_id and r.type = 'superadmin' where m.group_id = 2`,
    );
    const token = await door.token(2, user);
    const foreign = await create({ lastName: 'Xanthopoulos', externalId: 'F-1', mobile: '+33799887766' }, token);
    for (const search of ['xanthopoulos', 'xanthopoulso', 'xantho', 'F-1', '07 99 88 77 66']) {
      expect(await find(search, { token })).toEqual([foreign]);
      expect(await find(search)).toEqual([]);
    }
    const own = await create({ lastName: 'Verschwunden' });
    expect(await find('verschwunden')).toEqual([own]);
    await mutate(`deleteContact(input: { id: ${own} }) { databaseId }`);
    expect(await find('verschwunden')).toEqual([]);
    expect(await find('verschwnuden')).toEqual([]);
    await mutate(`restoreContact(input: { id: ${own} }) { contact { id } }`);
    expect(await find('verschwnuden')).toEqual([own]);
  });

  it.each(['2026-0012', '(00) 77.12', 'AB 12/é-7', 'ZX#9 %_\\z'])('by the external id %s', async (externalId) => {
    const id = await create({ lastName: 'Aussenstelle', externalId });
    expect(await find(externalId)).toEqual([id]);
  });

  it('by the external id of a merged contact', async () => {
    const survivor = await create({ lastName: 'Bleibtreu', externalId: 'KEPT-1' });
    const other = await create({ lastName: 'Bleibtreu', externalId: 'GONE-1' });
    await mutate(`mergeContacts(input: { survivorId: ${survivor}, ids: [${other}] }) { __typename }`);
    expect(await find('gone-1 bleibtreu')).toEqual([survivor]);
  });
});
