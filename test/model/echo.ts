// Records as clients read them, edited in some fields and sent back: how each is read, what may be edited, and how it is sent.
import { listSpellings } from '../../src/input/legacy-input.ts';
import type { Json } from '../harness/app.ts';
import type { Chance } from '../search/random.ts';
import { addressPools, contactPools, type Pool, teamAddressPools, userPools } from './echo-pools.ts';
import { findGraphName, selectFields, translateResult } from './graph-names.ts';
import { type Ground, sendCall } from './ground.ts';

/** A change of one thing: to what is known of the record, and to what is sent, as its input is called in the graph. */
export interface Edit {
  name: string;
  inModel(record: Json): void;
  inGraph(input: Json): void;
  inReply(reply: Json, draw: Chance): void;
}

/** The names under which a reply has a field; the usual one, where it has none. */
const namesIn = (reply: Json, typeName: string, field: string): string[] => {
  const all = listSpellings(typeName, findGraphName(typeName, field));
  const present = all.filter((name) => name in reply);
  return present.length > 0 ? present : [all[0]!];
};

const edit = (typeName: string, field: string, value: Json): Edit => {
  const set = (record: Json): void => {
    record[field] = value;
  };
  return {
    name: field,
    inModel: set,
    inGraph: set,
    inReply: (reply, draw) => {
      reply[draw.pick(namesIn(reply, typeName, field))] = value;
    },
  };
};

/** An address without a value is none. */
const editPart = (typeName: string, field: string, value: Json): Edit => {
  const part = edit(typeName, field, value);
  const below = (record: Json): Json => {
    record.address ??= {};
    return record.address;
  };
  return {
    name: `address.${field}`,
    inModel: (record) => {
      if (record.address || value !== null) part.inModel(below(record));
    },
    inGraph: (input) => part.inGraph(below(input)),
    inReply: (reply, draw) => part.inReply(below(reply), draw),
  };
};

let tags = 0;
/** Adds a tag that nobody has. */
const addTag = (): Edit => {
  const add = (record: Json): void => {
    record.tags = [...record.tags, { name: `tag ${tags}` }];
  };
  return {
    name: 'tags',
    inModel: (record) => {
      tags++;
      add(record);
    },
    inGraph: add,
    inReply: add,
  };
};

/** Says something else in the first answer of a list, if there is one. */
const editAnswer = (list: 'answers' | 'customFields', data: string): Edit => {
  const first = (answers: Json[] = []): void => {
    const text = answers.find(({ formId, form_id }) => freeForms.has(formId ?? form_id));
    if (text) text.data = data;
  };
  return {
    name: list,
    inModel: (record) => first(record[list]),
    inGraph: (input) => first(input[list]),
    inReply: (reply, draw) => first(reply[draw.pick(namesIn(reply, 'ContactUpdateInput', list))]),
  };
};
/** Forms of free input: any text among the answers, numbers among the custom fields. */
export const freeForms = new Set<number>();

const editsOf = (pools: Record<string, Pool>, one: (field: string, value: Json) => Edit): Edit[] =>
  Object.entries(pools).flatMap(([field, pool]) => pool.map((value) => one(field, value)));

const answer = `{ ${selectFields('Answer', ['formId', 'formRefId', 'data', 'date', 'surveyId'])} }`;
const user = `{ ${selectFields('User', ['id', 'mail', ...Object.keys(userPools), 'updatedAt'])} }`;

/** A noun of which records are read, edited and sent back. */
export interface Noun {
  edits: Edit[];
  /** All that can be written of a record, and by what its changes are told, as the graph has it. */
  selection: string;
  query: string;
  ways: Way[];
}

/** How a client reads a record, and sends it back. */
interface Way {
  name: string;
  read(ground: Ground, id: number): Promise<Json>;
  /** The status of the answer, and its body. */
  send(ground: Ground, id: number, record: Json): Promise<{ status: number; data: Json }>;
  apply(edit: Edit, record: Json, draw: Chance): void;
}

const rest = async ({ door, space, boss }: Ground, method: string, path: string, body?: Json): Promise<Json> => {
  const reply = await door.rest(method, path, body, await door.token(space, boss));
  return { status: reply.status, data: reply.body };
};

const restWay = (
  name: string,
  read: (ground: Ground, id: number) => Promise<Json>,
  write: (id: number, record: Json) => [method: string, path: string, body: Json],
): Way => ({
  name,
  read,
  send: (ground, id, record) => rest(ground, ...write(id, record)),
  apply: (one, record, draw) => one.inReply(record, draw),
});

const without = (record: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** What the graph shows of a record, sent back as an input that has its fields. */
const graphWay = (noun: () => Noun, mutation: string, inputOf: (id: number, record: Json) => Json): Way => ({
  name: mutation,
  read: (ground, id) => readRecord(ground, noun(), id),
  send: (ground, id, record) =>
    sendCall(ground, { door: 'graphql', by: ground.boss, name: mutation, input: inputOf(id, record) }),
  apply: (one, record) => one.inGraph(record),
});

/** A record as the graph has it: what is compared. */
export const readRecord = async ({ door, space, boss }: Ground, noun: Noun, id: number): Promise<Json> => {
  const { body } = await door.graphql(
    `{ ${noun.query}(id: ${id}) ${noun.selection} }`,
    {},
    await door.token(space, boss),
  );
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return translateResult(body.data[noun.query]);
};

const found = async (ground: Ground, id: number): Promise<Json> => {
  const condition = { attr: 'id', ope: 'eql', value: id };
  const query = { $all: [{ $all: [{ $condition: condition }] }] };
  const { data } = await rest(ground, 'POST', '/search', { data: { advanced_search: { per_page: 1, query } } });
  return data.data.contacts[0];
};
const shapes: [name: string, read: (ground: Ground, id: number) => Promise<Json>][] = [
  ['GET /v1/contacts', async (ground, id) => (await rest(ground, 'GET', `/v1/contacts/${id}`)).data],
  ['GET /contacts', async (ground, id) => (await rest(ground, 'GET', `/contacts/${id}`)).data.data.contact],
  ['POST /search', found],
];

const told = ['version', 'updatedAt', 'lastchange'];
const contacts: Noun = {
  query: 'contact',
  selection: `{ ${selectFields('Contact', [...Object.keys(contactPools), ...told, 'externalId', 'mail', 'actionIds'])}
    address { ${selectFields('Address', Object.keys(addressPools))} } tags { name } answers { nodes ${answer} } customFields ${answer} notes { nodes { content pinned } } }`,
  edits: [
    ...editsOf(contactPools, (field, value) => edit('ContactUpdateInput', field, value)),
    ...editsOf(addressPools, (field, value) => editPart('ContactAddressInput', field, value)),
    addTag(),
    ...['1', 'une réponse'].map((data) => editAnswer('answers', data)),
    ...['7', '43.5'].map((data) => editAnswer('customFields', data)),
  ],
  ways: [
    ...shapes.flatMap(([name, read]) => [
      restWay(`${name}, PATCH`, read, (id, contact) => ['PATCH', `/contacts/${id}`, { data: { contact } }]),
      restWay(`${name}, upsert`, read, (_, data) => ['POST', '/contacts/upsert', { kind: 'contact', data }]),
    ]),
    graphWay(
      () => contacts,
      'updateContact',
      (id, record) => ({ ...without(record, ...told), id }),
    ),
    graphWay(
      () => contacts,
      'upsertContact',
      (id, { customFields, ...record }) => ({
        ...without(record, ...told),
        id,
        customFields: customFields.map((one: Json) => without(one, 'surveyId')),
      }),
    ),
  ],
};

const users: Noun = {
  query: 'user',
  selection: user,
  edits: editsOf(userPools, (field, value) => edit('UserUpdateInput', field, value)),
  ways: [
    restWay(
      'GET /users, PATCH',
      async (ground, id) => (await rest(ground, 'GET', `/users/${id}`)).data.data.User,
      (id, data) => ['PATCH', `/users/${id}`, { data }],
    ),
    graphWay(
      () => users,
      'updateUser',
      (id, record) => ({ ...without(record, 'updatedAt'), id }),
    ),
  ],
};

const degrees = ['latitude', 'longitude'];

const teams: Noun = {
  query: 'team',
  selection: `{ name description private hideUsers version updatedAt users { id } leaders { id }
    address { ${Object.keys(teamAddressPools)
      .map((name) => `${name}: ${findGraphName('TeamAddressInput', name)}`)
      .join(' ')} } }`,
  edits: [
    ...['One', 'Deux'].map((value) => edit('TeamReplaceInput', 'name', value)),
    ...['', 'For all'].map((value) => edit('TeamReplaceInput', 'description', value)),
    ...[true, false].flatMap((value) => [
      edit('TeamReplaceInput', 'private', value),
      edit('TeamReplaceInput', 'hideUsers', value),
    ]),
    ...editsOf(teamAddressPools, (field, value) => {
      const part = editPart('TeamAddressInput', field, value);
      // Legacy clients send degrees of teams as texts.
      const onWire = degrees.includes(field) && value !== null ? editPart('TeamAddressInput', field, `${value}`) : part;
      return { ...part, inReply: onWire.inReply };
    }),
  ],
  ways: [
    restWay(
      'GET /teams, PATCH',
      async (ground, id) => (await rest(ground, 'GET', `/teams/${id}`)).data.data.team,
      (_, team) => ['PATCH', '/teams', { data: { team } }],
    ),
    graphWay(
      () => teams,
      'replaceTeam',
      (id, record) => ({ ...without(record, 'version', 'updatedAt'), id }),
    ),
  ],
};

export const nouns = { contacts, users, teams };
