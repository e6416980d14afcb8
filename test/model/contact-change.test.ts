// Changes of the contacts that a query finds, where the change alters what the query asks for: each of those that were found is changed once, and nobody else.
// Undone in reverse order, they leave everybody as before.
import { expect, it } from 'vitest';
import { continueContactChange } from '../../src/data/import/contact-change.ts';
import { findWrongRows } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { type Chance, createChance, seedOf } from '../search/random.ts';

const rounds = Number(process.env.MODEL_ROUNDS ?? 12);
const people = 1300;
const nationalities = ['FR', 'BE', 'CH'];
const genders = ['M', 'F', 'O'];
const tags = ['red', 'green', 'blue'];

interface Person {
  id: number;
  nationality: string | null;
  gender: string | null;
  tags: string[];
  version: number;
}

type Asked = { query: Json; holds(person: Person): boolean };

/** A random query, and whether it finds a person. */
const drawQuery = (draw: Chance, depth = 2): Asked => {
  const kind = depth > 0 ? draw.whole(6) : draw.whole(3);
  if (kind === 0) {
    const value = draw.pick(nationalities);
    return { query: { nationality: { equals: value } }, holds: (one) => one.nationality === value };
  }
  if (kind === 1) {
    const value = draw.pick(genders);
    return { query: { gender: { equals: value } }, holds: (one) => one.gender === value };
  }
  if (kind === 2) {
    const value = draw.pick(tags);
    return { query: { tags: { equals: value } }, holds: (one) => one.tags.includes(value) };
  }
  const [one, other] = [drawQuery(draw, depth - 1), drawQuery(draw, depth - 1)];
  if (kind === 3) return { query: { not: one.query }, holds: (person) => !one.holds(person) };
  if (kind === 4)
    return { query: { and: [one.query, other.query] }, holds: (person) => one.holds(person) && other.holds(person) };
  return { query: { or: [one.query, other.query] }, holds: (person) => one.holds(person) || other.holds(person) };
};

/** A random change, and the person after it. */
const drawChange = (draw: Chance): { change: Json; apply(person: Person): Person } => {
  const set = {
    ...(draw.whole(2) === 0 && { nationality: draw.pick([...nationalities, null]) }),
    ...(draw.whole(2) === 0 && { gender: draw.pick([...genders, null]) }),
  };
  const [added, removed] = draw.some(tags, 2) as [string, string];
  const change = { ...(Object.keys(set).length > 0 && { set }), addTags: [added], removeTags: [removed] };
  const apply = (person: Person): Person => {
    const left = person.tags.filter((tag) => tag !== removed && tag !== added);
    const after = { ...person, ...set, tags: [...left, added].sort() };
    const isSame = JSON.stringify(after) === JSON.stringify(person);
    return isSame ? person : { ...after, version: person.version + 1 };
  };
  return { change, apply };
};

const readPeople = (door: Door): Promise<Person[]> =>
  door.sql(
    `select c.id, c.nationality, c.gender, c.version, array(select t.name from contact_tags x join tags t on t.group_id = 1 and t.id = x.tag_id
              where x.group_id = 1 and x.contact_id = c.id order by t.name) as tags
       from contacts c where c.group_id = 1 and c.surname = 'Model' order by c.id`,
  ) as Promise<Person[]>;

it('a change is of those whom the query found when it began', async () => {
  const door = await openApp();
  await door.sql(
    `with made as (
       insert into contacts (group_id, surname, nationality, gender)
       select 1, 'Model', (array['FR', 'BE', 'CH', null])[1 + n % 4], (array['M', 'F', 'O', null])[1 + n / 4 % 4] from generate_series(1, ?) n returning id)
     select refresh_search(1, array(select id from made))`,
    [people],
  );
  const space = door.database.space(1);
  let model = await readPeople(door);
  const done: { id: string; before: Person[] }[] = [];
  for (let round = 0; round < rounds; round++) {
    const draw = createChance(seedOf('change', round));
    const { query: drawn, holds } = drawQuery(draw);
    const query = { and: [{ lastName: { equals: 'Model' } }, drawn] };
    const { change, apply } = drawChange(draw);
    const after = model.map((one) => (holds(one) ? apply(one) : one));
    const { body } = await door.graphql(
      'mutation ($input: ContactsChangeInput!) { changeContacts(input: $input) { job { id databaseId total } } }',
      { input: { of: { query }, change, expectedCount: model.filter(holds).length } },
    );
    expect([round, query, body.errors]).toEqual([round, query, undefined]);
    await continueContactChange(space, body.data.changeContacts.job.databaseId, new AbortController().signal);
    expect(await readPeople(door)).toEqual(after);
    done.push({ id: body.data.changeContacts.job.id, before: model });
    model = after;
  }
  const withoutVersions = (some: Person[]) => some.map(({ version: _, ...rest }) => rest);
  for (const { id, before } of done.reverse()) {
    const sent = 'mutation ($id: ID!) { undoContactChange(input: { id: $id }) { left } }';
    expect((await door.graphql(sent, { id })).body.data.undoContactChange).toEqual({ left: 0 });
    expect(withoutVersions(await readPeople(door))).toEqual(withoutVersions(before));
  }
  expect(await findWrongRows(door)).toEqual([]);
}, 120_000);
