// Relay against a listening server: its compiler on the SDL, and its runtime without configuration: refetches by `node`, pages, payloads in the store.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildSchema, getNamedType, isObjectType } from 'graphql';
import * as relay from 'relay-runtime';
import { afterEach, beforeAll, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import type { Json } from '../../harness/app.ts';
import { createFolder } from '../../harness/folders.ts';
import { type ClientServer, startClientServer } from './client-server.ts';

const pageSize = 25;
const sdl = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));
/** A fragment for each field that yields a connection, by the type that has it. */
const connections = Object.values(sdl.getTypeMap())
  .filter(isObjectType)
  .flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => getNamedType(field.type).name.endsWith('Connection'))
      .map(({ name }) => ({
        type: type.name,
        field: name,
        fragment: `app${type.name}_${name}`,
        text: `fragment app${type.name}_${name} on ${type.name} {
          ${name}(first: 2) @connection(key: "app${type.name}_${name}") {
            edges { cursor node { __typename } }
            pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
          }
        }`,
      })),
  );
const lists = connections.filter(({ type }) => type === 'Query');

/** The documents of a module `app.js`, whose name begins the names of operations and fragments. */
const documents = [
  `query appScreenQuery($id: ID!) {
    contact(id: $id) { id ...appCard_contact }
    ...appDonations_query
  }`,
  `fragment appCard_contact on Contact @refetchable(queryName: "appCardRefetchQuery") {
    firstName
    version
    address { city }
  }`,
  `fragment appDonations_query on Query
  @argumentDefinitions(count: { type: "Int", defaultValue: ${pageSize} }, cursor: { type: "String" })
  @refetchable(queryName: "appDonationsPageQuery") {
    donations(first: $count, after: $cursor, orderBy: { field: AMOUNT, direction: DESC })
    @connection(key: "appDonations_donations", filters: ["orderBy"]) {
      edges { node { id amount { amount currency } contact { id firstName } } }
    }
  }`,
  `query appNotesQuery($filter: NoteFilter) {
    notes(first: 10, filter: $filter) @connection(key: "app_notes") {
      __id
      edges { node { id content contact { id firstName } } }
    }
  }`,
  `mutation appRenameMutation($input: ContactUpdateInput!) { updateContact(input: $input) { contact { ...appCard_contact } } }`,
  `mutation appWriteMutation($input: NoteCreateInput!, $connections: [ID!]!) {
    createNote(input: $input) {
      note @appendNode(connections: $connections, edgeTypeName: "NoteEdge") { id content contact { id firstName } }
    }
  }`,
  `mutation appEraseMutation($input: NoteDeleteInput!, $connections: [ID!]!) {
    deleteNote(input: $input) { deletedId @deleteEdge(connections: $connections) }
  }`,
  `query appListsQuery { ${lists.map(({ fragment }) => `...${fragment}`).join(' ')} }`,
  ...connections.map(({ text }) => text),
];

let folder: string;
let server: ClientServer;
/** A contact with notes. */
let contactId: string;
/** Relay reports records with conflicting types on the console. */
let warnings: MockInstance[];

beforeAll(async () => {
  folder = createFolder();
  server = await startClientServer();
  const [{ id }] =
    await server.sql(`select contact_id as id from notes n join contacts c on c.group_id = n.group_id and c.id = n.contact_id
    where n.group_id = 1 and n.deleted_at is null and c.deleted_at is null group by contact_id order by count(*) desc limit 1`);
  contactId = `Contact:${id}`;
  await compile();
});
beforeEach(() => {
  warnings = (['warn', 'error'] as const).map((level) => vi.spyOn(console, level).mockReturnValue());
});
afterEach(() => {
  expect(warnings.flatMap(({ mock }) => mock.calls)).toEqual([]);
  vi.restoreAllMocks();
});

/** Compiles the documents, which fails when the SDL does not have what Relay demands. */
const compile = async (): Promise<void> => {
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'src/app.js'), documents.map((text) => `graphql\`${text}\`;\n`).join(''));
  const config = { src: 'src', schema: 'schema.graphql', language: 'javascript', eagerEsModules: false };
  await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config));
  await copyFile('schema/schema.graphql', join(folder, 'schema.graphql'));
  const compiler = resolve('node_modules/relay-compiler/cli.js');
  await promisify(execFile)(process.execPath, [compiler, 'relay.config.json'], { cwd: folder });
};

/** What the compiler wrote for an operation or a fragment. */
const load = (name: string): Json =>
  createRequire(import.meta.url)(join(folder, `src/__generated__/${name}.graphql.js`));

const openEnvironment = (): relay.Environment => {
  const network = relay.Network.create(async ({ text }, variables) => {
    const { url, headers, fetch } = server;
    const body = JSON.stringify({ query: text, variables });
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    });
    return (await answer.json()) as Json;
  });
  return new relay.Environment({ network, store: new relay.Store(new relay.RecordSource()) });
};

/** Fetches an operation, keeps it in the store, and returns a function that reads its data from there. */
const fetchOperation = async (
  environment: relay.Environment,
  name: string | Json,
  variables: Json,
): Promise<() => Json> => {
  const request = relay.getRequest(typeof name === 'string' ? load(name) : name);
  const operation = relay.createOperationDescriptor(request, variables);
  environment.retain(operation);
  await relay.fetchQuery(environment, request, variables).toPromise();
  return () => environment.lookup(operation.fragment).data;
};

/** Reads a fragment at the place of a query's data that spreads it. */
const readFragment = (environment: relay.Environment, name: string, at: Json): Json =>
  environment.lookup(relay.getSingularSelector(load(name), at) as relay.SingularReaderSelector).data;

const mutate = (environment: relay.Environment, name: string, variables: Json): Promise<Json> =>
  new Promise((onCompleted, onError) => {
    relay.commitMutation(environment, { mutation: load(name), variables, onCompleted, onError });
  });

it('refetches a record by `node`, and shows it wherever it is', async () => {
  const environment = openEnvironment();
  const screen = await fetchOperation(environment, 'appScreenQuery', { id: contactId });
  const notes = await fetchOperation(environment, 'appNotesQuery', { filter: { contactId: { equals: contactId } } });
  const card = (): Json => readFragment(environment, 'appCard_contact', screen().contact);
  const before = card();
  await server.sql(`update contacts set firstname = 'Changed' where id = ?`, [contactId.split(':')[1]]);
  const { identifierInfo, refetchableRequest } = relay.getRefetchMetadata(load('appCard_contact'), 'Card');
  expect(identifierInfo).toMatchObject({ identifierField: 'id' });
  await fetchOperation(environment, refetchableRequest, { id: contactId });
  expect(card()).toEqual({ ...before, firstName: 'Changed', version: expect.any(Number) });
  expect(notes().notes.edges.length).toBeGreaterThan(0);
  for (const { node } of notes().notes.edges)
    expect(node.contact).toMatchObject({ id: contactId, firstName: 'Changed' });
});

it('reads every connection of the space', async () => {
  const environment = openEnvironment();
  await server.sql(`insert into sanctions (group_id, contact_id, status) select 1, ?, 's' from generate_series(1, 3)`, [
    contactId.split(':')[1],
  ]);
  const data = await fetchOperation(environment, 'appListsQuery', {});
  expect(lists.map(({ field }) => field)).toEqual(expect.arrayContaining(['contacts', 'donations', 'notes']));
  const full: string[] = [];
  for (const { field, fragment } of lists) {
    const { edges, pageInfo } = readFragment(environment, fragment, data())[field];
    const [startCursor, endCursor] = [edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null];
    // The demo data has nothing of some nouns: there Relay adds no end of a page.
    if (edges.length < 2) {
      expect([field, pageInfo]).toMatchObject([field, { hasNextPage: false, hasPreviousPage: false }]);
      continue;
    }
    full.push(field);
    expect([field, pageInfo]).toEqual([field, { hasNextPage: true, hasPreviousPage: false, startCursor, endCursor }]);
  }
  expect(full.length).toBeGreaterThan(14);
});

it('loads the pages of a connection', async () => {
  const environment = openEnvironment();
  const screen = await fetchOperation(environment, 'appScreenQuery', { id: contactId });
  const connection = (): Json => readFragment(environment, 'appDonations_query', screen()).donations;
  const { paginationRequest, paginationMetadata } = relay.getPaginationMetadata(
    load('appDonations_query'),
    'Donations',
  );
  let loaded = 1;
  for (; connection().pageInfo.hasNextPage; loaded++) {
    expect(connection().edges).toHaveLength(loaded * pageSize);
    const { endCursor } = connection().pageInfo;
    const variables = relay.getPaginationVariables('forward', pageSize, endCursor, {}, {}, paginationMetadata);
    await fetchOperation(environment, paginationRequest, variables);
  }
  expect(loaded).toBeGreaterThan(3);
  const expected =
    await server.sql(`select 'Donation:' || d.id as id from donations d join contacts c on c.group_id = d.group_id and c.id = d.contact_id
    where d.group_id = 1 and d.deleted_at is null and c.deleted_at is null order by amount desc, d.id desc`);
  expect(connection().edges.map(({ node }: Json) => node.id)).toEqual(expected.map(({ id }) => id));
});

it('shows payloads in the store: a changed record, one that was written, and one that was deleted', async () => {
  const environment = openEnvironment();
  const screen = await fetchOperation(environment, 'appScreenQuery', { id: contactId });
  const notes = await fetchOperation(environment, 'appNotesQuery', { filter: { contactId: { equals: contactId } } });
  const before = notes().notes.edges.map(({ node }: Json) => node.id);
  server.takeStatuses();
  await mutate(environment, 'appRenameMutation', { input: { id: contactId, firstName: 'Related' } });
  expect(readFragment(environment, 'appCard_contact', screen().contact).firstName).toBe('Related');
  for (const { node } of notes().notes.edges) expect(node.contact.firstName).toBe('Related');

  const connections = [notes().notes.__id];
  const { createNote } = await mutate(environment, 'appWriteMutation', {
    input: { contactId, content: 'By Relay' },
    connections,
  });
  const shown = notes().notes.edges.map(({ node }: Json) => node);
  expect(shown.map(({ id }: Json) => id)).toEqual([...before, createNote.note.id]);
  expect(shown.at(-1)).toMatchObject({ content: 'By Relay', contact: { id: contactId, firstName: 'Related' } });

  await mutate(environment, 'appEraseMutation', { input: { id: createNote.note.id }, connections });
  expect(notes().notes.edges.map(({ node }: Json) => node.id)).toEqual(before);
  expect(server.takeStatuses()).toEqual([200, 200, 200]);
});

it('every record of the store has the id of the graph, or is a part of one that has', async () => {
  const environment = openEnvironment();
  await fetchOperation(environment, 'appScreenQuery', { id: contactId });
  await fetchOperation(environment, 'appNotesQuery', {});
  const source = environment.getStore().getSource();
  const own = source.getRecordIDs().filter((id) => !id.startsWith('client:'));
  const types = own.map((id) => (source.get(id) as Json).__typename);
  expect(new Set(types)).toEqual(new Set(['Contact', 'Donation', 'Note']));
  expect(own.filter((id, index) => !id.startsWith(`${types[index]}:`))).toEqual([]);
});
