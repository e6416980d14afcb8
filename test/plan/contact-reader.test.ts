// Both contact readers give the same bytes: rows with loaders, and JSON written by PostgreSQL, at every size of a page.

import { type DocumentNode, execute, parse } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import type { Context } from '../../src/context.ts';
import { planJsonPassthrough } from '../../src/plan/json-passthrough.ts';
import { JsonText, stringifyResult } from '../../src/plan/json-text.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createContext } from '../harness/context.ts';
import { flattenConnections } from '../harness/plain-lists.ts';
import { drawSample, isThorough } from '../harness/sizes.ts';

let door: Door;

/** Up to 200 contacts are read with all their relations, more are not: the plan changes there, and `contacts` reads one more. */
const sizes = [1, 2, 199, 200, 201, 202, ...(isThorough ? [1000] : [])];

const relations: Record<string, string> = {
  columns: 'id databaseId lastName email phoneInvalid birthDate createdAt',
  address: 'address { databaseId city latitude invalidReason }',
  tags: 'tags { id name color }',
  actions: 'actions { id databaseId name startsAt createdAt }',
  answers: 'answers { nodes { id surveyId text answeredAt createdAt } }',
  'custom fields': 'customFields { id databaseId text }',
  note: 'note { id content pinned }',
  notes: 'notes { nodes { id content createdAt } }',
};
/** The names of a relation several times, and between columns: the text of a contact is cut there. */
const everything = `firstName ${Object.values(relations).join(' ')} lastName names: tags { name } lastChangedAt other: note { updatedAt } version`;
const selections = Object.entries({ ...relations, everything });

const addedContacts = 1100;
const surname = 'Parity';
/** Contacts of which each has relations of its own, one in seven none at all, and one in eleven all of them several times. */
const added = [
  `insert into contacts (group_id, firstname, surname, mail, birthdate)
   select 1, 'N' || n, '${surname}', case when n % 3 = 0 then 'n' || n || '@example.org' end, case when n % 4 = 0 then date '1980-02-29' end from generate_series(1, ${addedContacts}) n`,
  ...[
    ['addresses', 'city, latitude', `'City ' || c.id, 48.5 + c.id % 9`, '2'],
    [
      'contact_tags',
      'tag_id',
      't.id',
      '3',
      'cross join (select id from tags where group_id = 1 order by id limit 3) t',
    ],
    [
      'contact_actions',
      'action_id',
      't.id',
      '4',
      'cross join (select id from actions where group_id = 1 order by id desc limit 2) t',
    ],
    [
      'notes',
      'content, pinned',
      `'Note ' || t.n || E' "of"\\n' || c.id, t.n = 2`,
      '5',
      'cross join generate_series(1, 25) t (n)',
    ],
    [
      'answers',
      'form_id, form_ref_id, data',
      `r.form_id, r.id, 'Answer ' || c.id`,
      '6',
      `cross join (select distinct on (f.kind, r.form_id) r.form_id, r.id from forms f join form_refs r on r.group_id = 1 and r.form_id = f.id
         where f.group_id = 1 and f.deleted_at is null) r`,
    ],
  ].map(
    ([table, columns, values, every, from = '']) =>
      `insert into ${table} (group_id, contact_id, ${columns}) select 1, c.id, ${values} from contacts c ${from}
        where c.group_id = 1 and c.surname = '${surname}' and c.id % 7 <> 0 and (c.id % ${every} = 0 or c.id % 11 = 0)`,
  ),
  `select add_search(1, array(select id from contacts where group_id = 1 and surname = '${surname}'))`,
  `select refresh_search(1, array(select id from contacts where group_id = 1 and surname = '${surname}'))`,
];

/** Contacts that are asked for by id: with all, without anything, merged, survivors, deleted, and one that never was. */
let asked: number[];

beforeAll(async () => {
  door = await openApp();
  for (const sql of added) await door.sql(sql);
  const rows = await door.sql(`select id from contacts where group_id = 1 and surname = '${surname}' order by id`);
  const ids: number[] = rows.map(({ id }) => id);
  // Merged and deleted among the first of both orders, so that pages of every size pass over them.
  const [survivor, merged, another, deleted] = [ids[0]!, ids[1]!, ids[2]!, ids[3]!];
  const changed = await door.graphql(
    `mutation { mergeContacts(input: { survivorId: ${survivor}, ids: [${merged}, ${another}] }) { contact { id: databaseId } } deleteContact(input: { id: ${deleted} }) { id: databaseId } }`,
  );
  expect(changed.body.errors).toBeUndefined();
  asked = [...ids.slice(0, 40), ...ids.filter((id) => id % 77 === 0 || id % 11 === 0).slice(0, 20), 999_999_999];
});

const contextOf = (): Context => createContext(door.database.space(1));

const countTexts = (value: unknown): number =>
  value instanceof JsonText
    ? 1
    : typeof value === 'object' && value !== null
      ? Object.values(value).reduce((sum: number, inner) => sum + countTexts(inner), 0)
      : 0;

/** The answer that rows give, once the one of JSON was found to be the same text. */
const answerByBoth = async (query: string): Promise<Json> => {
  const document: DocumentNode = parse(query);
  const { plans, ...plan } = planJsonPassthrough(schema, document)!({}, contextOf())!;
  const byRows = await execute({ schema, document, contextValue: contextOf() });
  const byJson = await execute({ ...plan, contextValue: { ...contextOf(), jsonPlans: plans } });
  expect(byRows.errors ?? byJson.errors, query).toBeUndefined();
  const [rows, json] = [stringifyResult(byRows.data), stringifyResult(byJson.data)];
  // A long difference takes the runner minutes to show.
  if (json !== rows) expect(shorten(json, rows), query).toBe(shorten(rows, json));
  expect(countTexts(byRows.data)).toBe(0);
  return { ...JSON.parse(rows), texts: countTexts(byJson.data) };
};

const shorten = (text: string, other: string): string => {
  const at = [...text].findIndex((letter, index) => letter !== other[index]);
  return text.slice(Math.max(0, at - 200), at < 0 ? undefined : at + 200);
};

const countLiving = async (): Promise<number> =>
  (await door.sql('select count(*) as total from contacts where group_id = 1 and deleted_at is null'))[0].total;

describe.each(drawSample(selections, { small: 3 }))('%s', (_, fields) => {
  it.each(sizes)('are the same on pages of %i', async (size) => {
    const total = await countLiving();
    const [first] = await door.sql(`select min(id) - 10 as id from contacts where surname = '${surname}'`);
    const [after, before] = [first.id, first.id + 500].map((id) =>
      Buffer.from(JSON.stringify(['contacts', id])).toString('base64url'),
    );
    const [{ between }] = await door.sql(
      'select count(*) as between from contacts where group_id = 1 and deleted_at is null and id > ? and id < ?',
      [first.id, first.id + 500],
    );
    expect(between).toBeGreaterThan(100);
    const pages = [
      `contacts(first: ${size}) { nodes { ${fields} } pageInfo { endCursor hasNextPage } }`,
      `contacts(first: ${size}, after: "${after}") { edges { cursor node { ${fields} version } } }`,
      `contacts(last: ${size}) { nodes { ${fields} } pageInfo { startCursor hasPreviousPage } }`,
      `contacts(after: "${after}", last: ${size}, before: "${before}") { edges { cursor node { ${fields} } } }`,
      `searchContacts(first: ${size}) { nodes { ${fields} version } }`,
      `searchContacts(last: ${size}, orderBy: { field: EMAIL, direction: DESC }) { nodes { ${fields} } pageInfo { hasPreviousPage } }`,
      `searchContacts(first: ${size}, orderBy: { field: LAST_NAME }) { edges { cursor node { ${fields} } } pageInfo { hasNextPage } }`,
      `searchContactsByTree(first: ${size}, page: 1, sortBy: lastchange) { nodes { ${fields} } }`,
    ];
    for (const page of pages) {
      const { contacts, searchContacts, searchContactsByTree, texts } = await answerByBoth(`{ ${page} }`);
      const { nodes, edges } = contacts ?? searchContacts ?? searchContactsByTree;
      const left = page.includes('page: 1')
        ? total - size
        : page.includes('before')
          ? between
          : page.includes('after')
            ? addedContacts - 3
            : total;
      expect((nodes ?? edges).length, page).toBe(Math.min(size, Math.max(left, 0)));
      expect(texts, page).toBe(1);
    }
  });

  it('are the same of one contact', async () => {
    for (const id of asked) {
      const { contact, texts } = await answerByBoth(`{ contact(id: ${id}) { ${fields} } }`);
      expect(texts).toBe(contact ? 1 : 0);
    }
  });
});

it('finds survivors for merged contacts, and no deleted ones', async () => {
  const idOf = async (id: number): Promise<number | null> =>
    (await answerByBoth(`{ contact(id: ${id}) { id: databaseId } }`)).contact?.id ?? null;
  const [survivor, merged, another, deleted] = asked;
  expect(await Promise.all(asked.slice(0, 4).map(idOf))).toEqual([survivor, survivor, survivor, null]);
  expect(await idOf(asked.at(-1)!)).toBeNull();
  const { contacts } = await answerByBoth('{ contacts(first: 1000) { nodes { id: databaseId } } }');
  const found = contacts.nodes.map(({ id }: Json) => id);
  expect(found).not.toContain(merged);
  expect(found).not.toContain(another);
  expect(found).not.toContain(deleted);
});

it('compares relations that are there, and contacts without any', async () => {
  const { searchContacts } = await answerByBoth(
    `{ searchContacts(first: 1000, orderBy: { field: LAST_NAME }) { nodes { ${everything} } } }`,
  );
  const contacts: Json[] = flattenConnections(searchContacts);
  const lists = ['tags', 'actions', 'answers', 'customFields', 'notes'];
  for (const list of lists) {
    expect(contacts.filter((one) => one[list].length > 1).length, list).toBeGreaterThan(20);
    expect(contacts.filter((one) => one[list].length === 0).length, list).toBeGreaterThan(20);
  }
  expect(contacts.filter(({ address }) => address).length).toBeGreaterThan(20);
  const bare = contacts.filter((one) => !one.address && !one.note && lists.every((list) => one[list].length === 0));
  expect(bare.length).toBeGreaterThan(20);
});

it('refuses to write what was not planned', async () => {
  const document = parse('{ contact(id: 1) { id: databaseId } }');
  const { plans, ...plan } = planJsonPassthrough(schema, document)!({}, contextOf())!;
  const { errors } = await execute({ ...plan, contextValue: contextOf() });
  expect(errors?.[0]?.message).toContain('no plan for contact__json');
});
