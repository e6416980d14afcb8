// Both doors find the same faults: generated invalid records are refused by each with the same code, places and values.
import {
  type GraphQLInputField,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLNonNull,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import { listSpellings } from '../../src/input/legacy-input.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { type Chance, createChance } from '../search/random.ts';

let door: Door;
/** Existing records, by the name of the field that refers to them. An external id cannot be written twice. */
let there: Record<string, Json>;
beforeAll(async () => {
  door = await openApp();
  const one = async (sql: string): Promise<Json> => (await door.sql(sql))[0];
  const form = await one(
    `select f.id, f.label, min(r.id) as ref from forms f join form_refs r on r.group_id = f.group_id and r.form_id = f.id
      where f.group_id = 1 and f.deleted_at is null and f.type = 'text' and f.kind = 'survey' group by f.id, f.label order by f.id limit 1`,
  );
  there = { label: form.label, formId: form.id, optionId: form.ref, id: 1, accountId: 1, externalId: null };
});

/** A write by both doors: what is sent, and where the place `input` of the graph is in the body. */
interface Write {
  field: string;
  /** Fields of the input that REST clients send elsewhere. */
  more?: Json;
  method: string;
  path: string;
  root: string;
  body(wire: Json): Json;
}

const writes: Record<string, Write> = {
  'a new contact': {
    field: 'createContact',
    method: 'POST',
    path: '/contacts',
    root: 'body.data',
    body: (data) => ({ data }),
  },
  'a changed contact': {
    field: 'updateContact',
    more: { id: 1 },
    method: 'PATCH',
    path: '/contacts/1',
    root: 'body.data',
    body: (data) => ({ data }),
  },
  'an upsert': {
    field: 'upsertContact',
    method: 'POST',
    path: '/contacts/upsert',
    root: 'body.data',
    body: (data) => ({ kind: 'contact', data }),
  },
  'a new team': {
    field: 'createTeam',
    method: 'POST',
    path: '/teams',
    root: 'body.data.team',
    body: (team) => ({ data: { team } }),
  },
  'a replaced team': {
    field: 'replaceTeam',
    more: { id: 1 },
    method: 'PATCH',
    path: '/teams',
    root: 'body.data.team',
    body: (team) => ({ data: { team: { id: 1, ...team } } }),
  },
  'a note': {
    field: 'createNote',
    more: { contactId: 1 },
    method: 'POST',
    path: '/v1/contacts/1/notes',
    root: 'body',
    body: (note) => note,
  },
  invitations: {
    field: 'inviteUsers',
    // Legacy clients have no choice of channels.
    more: { sendsToWebhooks: true },
    method: 'POST',
    path: '/users/invitation',
    root: 'body.data',
    body: (data) => ({ data }),
  },
};

const strange = 987_654_321;
/** Values of the right type that are not in the space. A missing id is no fault of an upsert. */
const unknown: Record<string, Json> = {
  id: strange,
  formId: strange,
  optionId: strange,
  accountId: strange,
  actionIds: strange,
  label: 'No such form',
  roleId: strange,
  teamIds: strange,
};
const wrong: Record<string, Json[]> = {
  String: [{}, [], 'a\u0000b', '\ud800', 'x'.repeat(256)],
  Int: [1.5, 'x', 99, {}],
  Float: ['north', {}, []],
  Boolean: ['yes', 5, []],
  ID: [-1, 1.5, 'x', {}, 2 ** 53],
  Date: ['soon', '2026-13-01', 5],
  DateTime: ['soon', '2026-01-01T25:00:00Z', {}],
};
const right: Record<string, Json[]> = {
  String: ['a text'],
  Int: [3],
  Float: [4.5],
  Boolean: [true, false],
  ID: [1, '2'],
  Date: ['2001-02-03', '2001-02-03T04:05:06Z'],
  DateTime: ['2026-11-21T09:00:00Z'],
};

/** The share of invalid values in a record, and the share of references to missing records. */
interface Shares {
  wrong: number;
  unknown: number;
}

/** A value for a field. The container of a record has its own format at each door, on purpose. */
const valueFor = (draw: Chance, shares: Shares, name: string, type: GraphQLInputType, isRoot = false): Json => {
  const of = getNullableType(type);
  const isWrong = !isRoot && draw.odds(shares.wrong);
  if (isListType(of)) {
    if (isWrong && draw.odds(0.1)) return Array.from({ length: 1001 }, () => 1);
    const list = Array.from({ length: 1 + draw.whole(2) }, () => valueFor(draw, shares, name, of.ofType));
    return isWrong ? [...list, draw.pick([null, 5])] : list;
  }
  if (isInputObjectType(of)) {
    if (isWrong) return draw.pick([5, []]);
    const fields = Object.values(of.getFields()).filter(({ extensions }) => !extensions.graphOnly);
    const filled = fields.length > 12 ? 0.25 : 0.7;
    return Object.fromEntries(
      fields.flatMap((field) =>
        draw.odds(isNonNullType(field.type) ? 0.9 : filled)
          ? [[field.name, valueFor(draw, shares, field.name, field.type)]]
          : [],
      ),
    );
  }
  if (isEnumType(of)) return isWrong ? draw.pick(['X', 5, {}]) : draw.pick(of.getValues()).name;
  if (isWrong) return draw.pick([...wrong[of.name]!, ...(isNonNullType(type) ? [null] : [])]);
  if (draw.odds(shares.unknown) && name in unknown) return unknown[name];
  if (Object.hasOwn(there, name)) return name === 'id' && draw.odds(0.3) ? String(there.id) : there[name];
  if (['mail', 'email'].includes(name)) return `${draw.whole(1e9)}@example.org`;
  return ['phone', 'mobile'].includes(name) ? '0561' : draw.pick(right[of.name]!);
};

/** One spelling of each field for a whole record. */
type Spell = (typeName: string, field: string) => string;
const speller = (draw: Chance): Spell => {
  const chosen = new Map<string, string>();
  return (typeName, field) => {
    const key = `${typeName}.${field}`;
    if (!chosen.has(key)) chosen.set(key, draw.pick(listSpellings(typeName, field)));
    return chosen.get(key)!;
  };
};

/** A value of the graph in the notation of REST clients. */
const onWire = (type: GraphQLInputType, value: Json, spell: Spell): Json => {
  const of = getNullableType(type);
  if (isListType(of) && Array.isArray(value)) return value.map((item) => onWire(of.ofType, item, spell));
  if (!isInputObjectType(of) || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields: Record<string, GraphQLInputField> = of.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [spell(of.name, name), onWire(fields[name]!.type, inner, spell)]),
  );
};

/** A place of the graph in the notation of the wire. */
const placeOnWire = (location: string, { root }: Write, start: GraphQLInputType, spell: Spell): string => {
  let type = start;
  const rest = location.slice('input'.length).replace(/\.(\w+)|\[\d+\]/g, (step, name?: string) => {
    const of = getNullableType(type);
    if (name === undefined) {
      type = isListType(of) ? of.ofType : of;
      return step;
    }
    if (!isInputObjectType(of)) throw new Error(`${location} is no place`);
    type = of.getFields()[name]!.type;
    return `.${spell(of.name, name)}`;
  });
  return root + rest;
};

/** Legacy clients know no ids such as `Contact:42`, and GraphQL reads a number for an id as its text. */
const onlyOnWire = ({ message, value }: Json): Json =>
  message.startsWith('must be an id such as')
    ? { message: 'must be a whole number from 0 to 9007199254740991', value: `${value}` }
    : {};
const withoutEcho = (fault: Json): Json =>
  fault.message.startsWith('must be a whole number from 0 to 9007199254740991, not')
    ? { ...fault, message: 'must be a whole number from 0 to 9007199254740991', value: `${fault.value}` }
    : fault;
/** REST shows an id that is a text as one. */
const withNumber = (fault: Json): Json =>
  /^\d+$/.test(fault.value) ? { ...fault, value: Number(fault.value) } : fault;

const inOrder = (faults: Json[]): Json[] =>
  [...faults].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

describe.each(Object.entries(writes))('%s', (what, write) => {
  const { field, more = {}, method, path, body } = write;
  const [argument] = schema.getMutationType()!.getFields()[field]!.args;
  const whole = (argument!.type as GraphQLNonNull<GraphQLInputObjectType>).ofType;
  const document = `mutation ($input: ${argument!.type}) { ${field}(input: $input) { __typename } }`;
  const config = whole.toConfig();
  const others = Object.entries(config.fields).filter(([name]) => !(name in more) && name !== 'expectedVersion');
  const type = new GraphQLNonNull(new GraphQLInputObjectType({ ...config, fields: Object.fromEntries(others) }));
  const rounds = what.includes('contact') || what === 'an upsert' ? 60 : 36;

  it(`is refused alike in ${rounds} ways`, async () => {
    const found = { refused: 0, several: 0, codes: new Set<string>(), messages: new Set<string>() };
    for (let round = 0; round < rounds; round++) {
      const draw = createChance(round * 31 + what.length);
      const shares = { wrong: [0, 0.04, 0.12][round % 3]!, unknown: 0.1 };
      const value = valueFor(draw, shares, 'input', type, true);
      // Legacy clients send the degrees of a team's address as texts.
      if (what.includes('team') && value.address)
        for (const degrees of ['latitude', 'longitude']) delete value.address[degrees];
      const spell = speller(draw);
      const viaGraph = (await door.graphql(document, { input: { ...value, ...more } })).body.errors?.[0];
      const rest = await door.rest(method, path, body(onWire(type, value, spell)));
      const faults: Json[] = viaGraph?.extensions.errors ?? [];
      const expected = faults.map((fault) => ({
        ...fault,
        ...onlyOnWire(fault),
        location: placeOnWire(fault.location, write, type, spell),
      }));
      const shown = JSON.stringify(value).slice(0, 2000);
      const code = rest.status < 300 ? undefined : rest.body.type.replace('urn:muster:problem:', '');
      expect([code, inOrder((rest.body.errors ?? []).map(withoutEcho).map(withNumber))], shown).toEqual([
        viaGraph?.extensions.code,
        inOrder(expected.map(withNumber)),
      ]);
      if (!code) continue;
      found.refused++;
      found.codes.add(code);
      if (faults.length > 1) found.several++;
      for (const { message } of faults) found.messages.add(message);
    }
    // The comparison is meaningful only with enough faults.
    expect(found.refused).toBeGreaterThan(rounds / 8);
    if (what !== 'a note') expect(found.several).toBeGreaterThan(1);
    if (rounds === 60) expect([...found.codes].sort()).toEqual(['invalid-request', 'unprocessable']);
    expect(found.messages.size).toBeGreaterThan(2);
  });
});
