// A record that is read, edited in some fields and sent back: exactly these change, by both doors and in every shape; unedited, nothing does.
// MODEL_SEED=7 begins with that seed, MODEL_ECHOES=10000 plays so many; each failure names its seed, which plays it again alone.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { chooseCount, drawSample } from '../harness/sizes.ts';
import { createChance, seedOf } from '../search/random.ts';
import { normalizeInstant } from './compare.ts';
import { type Edit, freeForms, type Noun, nouns, readRecord } from './echo.ts';
import { createGround, type Ground, sendCall } from './ground.ts';

const first = Number(process.env.MODEL_SEED ?? 1);
const count = Number(process.env.MODEL_ECHOES ?? chooseCount(400, 400, 2000));
const seeds = Array.from({ length: count }, (_, index) => first + index);

let door: Door;
let ground: Ground;
const ids: Record<string, number[]> = {};

/** Contacts with much, little and nothing on them; users and teams likewise. */
const fill = async (): Promise<void> => {
  const make = async (name: string, input: Json): Promise<number> => {
    const { status, data } = await sendCall(ground, { door: 'graphql', by: ground.boss, name, input });
    expect(status, JSON.stringify(data)).toBe(200);
    return data.id;
  };
  const form = (kind: string, type: string) => ground.forms.find((one) => one.kind === kind && one.type === type)!;
  const answered = [form('survey', 'text'), form('consent', 'radio'), form('survey', 'checkbox')];
  const custom = [form('custom_fields', 'numeric'), form('custom_fields', 'radio')];
  freeForms.add(answered[0]!.id).add(custom[0]!.id);
  const answersTo = (forms: typeof answered, data: string) =>
    forms.flatMap(({ id, type, refs }) =>
      refs.slice(0, type === 'checkbox' ? 2 : 1).map((ref) => ({ formId: id, formRefId: ref.id, data })),
    );
  ids.contacts = [
    await make('createContact', {
      firstname: 'All',
      surname: 'Full',
      externalId: 'full',
      mail: 'full@x.org',
      gender: 'F',
      phone: '01',
      birthdate: '1980-02-29',
      ageCategory: 3,
      birthCity: 'Foix',
      blackList: true,
      address: { houseNumber: '12', postalCode: '01000', city: 'Albi', latitude: 43.5, invalid: 'npai' },
      tags: [{ name: 'red' }, { name: 'blue', color: '#123456' }],
      actionIds: ground.actions,
      answers: answersTo(answered, '4'),
      customFields: answersTo(custom, '42'),
      notes: [{ content: 'a note' }, { content: 'pinned', pinned: true }],
    }),
    await make('createContact', { mail: 'little@x.org', tags: [{ name: 'red' }] }),
    await make('createContact', { surname: 'Alone', address: { street: 'rue A' } }),
  ];
  ids.users = [ground.boss, ground.plain];
  const references = [{ id: ground.plain }, { id: ground.boss }];
  ids.teams = [
    await make('createTeam', {
      name: 'Full',
      users: references,
      leaders: [references[1]],
      address: { city: 'Albi', latitude: 1.5 },
    }),
    await make('createTeam', { name: 'Empty' }),
  ];
};

beforeAll(async () => {
  door = await openApp();
  ground = await createGround(door, 3000);
  await fill();
});

/** As it is compared: an address without a value is none, and lists that have no order are in one. */
const comparable = (record: Json): Json => {
  const { address, tags, ...rest } = record;
  const parts = Object.entries((address ?? {}) as Json).filter(([, value]) => value !== null);
  return {
    ...rest,
    ...(tags && { tags: tags.map(({ name }: Json) => name).sort() }),
    address: Object.fromEntries(parts.sort()),
  };
};

/** What tells that a record was changed. */
const untold = ({ version: _, updatedAt: __, lastchange: ___, ...record }: Json): Json => comparable(record);

/** Sends a record back by one way, edited so; holds what is there then to the model, and yields whether anything changed. */
const echo = async (
  noun: Noun,
  wayAt: number,
  { id, edits, draw }: { id: number; edits: Edit[]; draw: ReturnType<typeof createChance> },
) => {
  const way = noun.ways[wayAt]!;
  const before = await readRecord(ground, noun, id);
  const meant = structuredClone(before);
  const record = await way.read(ground, id);
  for (const edit of edits) {
    edit.inModel(meant);
    way.apply(edit, record, draw);
  }
  const what = `${way.name} ${id}, edited in ${edits.map(({ name }) => name)}: ${JSON.stringify(record)}`;
  const { status, data } = await way.send(ground, id, record);
  expect([200, 202], `${what}: ${JSON.stringify(data)}`).toContain(status);
  const after = await readRecord(ground, noun, id);
  expect(untold(after), what).toEqual(untold(meant));
  const isChanged = JSON.stringify(untold(meant)) !== JSON.stringify(untold(before));
  if (!isChanged) expect(after, what).toEqual(before);
  else {
    expect(normalizeInstant(after.updatedAt) > normalizeInstant(before.updatedAt), what).toBe(true);
    if ('version' in before) expect(after.version, what).toBe(before.version + 1);
    if ('lastchange' in before)
      expect(normalizeInstant(after.lastchange) > normalizeInstant(before.lastchange), what).toBe(true);
  }
  return isChanged;
};

const ways = Object.entries(nouns).flatMap(([name, noun]) =>
  noun.ways.map((way, at) => [way.name, name as keyof typeof nouns, at] as const),
);

describe.each(drawSample(ways, { small: 4 }))('%s', (_, name, at) => {
  const noun = nouns[name];

  it('sent back as it was read changes nothing', async () => {
    for (const id of ids[name]!) expect(await echo(noun, at, { id, edits: [], draw: createChance(1) })).toBe(false);
  });

  it('edited in one field changes that one, whichever it is', async () => {
    const draw = createChance(seedOf(`one ${name} ${at}`, first));
    const left = new Set(noun.edits.map((edit) => edit.name));
    for (const edit of noun.edits)
      if (left.has(edit.name) && (await echo(noun, at, { id: ids[name]![0]!, edits: [edit], draw })))
        left.delete(edit.name);
    expect([...left]).toEqual([]);
  }, 60_000);
});

it('random edits change what was edited, and nothing else', async () => {
  for (const seed of drawSample(seeds, { small: 16 })) {
    const draw = createChance(seedOf('echoes', seed));
    const [, name, at] = draw.pick(ways);
    const noun = nouns[name];
    const edits = draw.some(noun.edits, draw.whole(4));
    // Of two edits of one field the second would be the one.
    const apart = [...new Map(edits.map((edit) => [edit.name, edit])).values()];
    await echo(noun, at, { id: draw.pick(ids[name]!), edits: apart, draw }).catch((error) => {
      throw new Error(`MODEL_SEED=${seed} MODEL_ECHOES=1: ${(error as Error).message}`, { cause: error });
    });
  }
}, 300_000);
