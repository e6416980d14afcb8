// The client preset of GraphQL Code Generator on the SDL: the types that it generates have no gaps, and the compiler refuses wrong programs.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { buildASTSchema, isScalarType, isSpecifiedScalarType, parse } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from '../../harness/folders.ts';

/** What users of the preset configure: how JSON carries each scalar that is not GraphQL's own. */
const config: { strictScalars: boolean; scalars: Record<string, string> } = {
  strictScalars: true,
  scalars: {
    ContactQueryJSON: 'object',
    Date: 'string',
    DateTime: 'string',
    QueryTree: 'object',
    SafeInt: 'number',
    SearchDate: 'string',
    WholeNumber: 'number',
  },
};

const schema = parse(readFileSync('schema/schema.graphql', 'utf8'));

const documents = [
  `query Donations($filter: DonationFilter, $after: String) {
    donations(first: 10, after: $after, filter: $filter, orderBy: { field: AMOUNT, direction: DESC }) {
      edges { cursor node { id databaseId transactionDate amount { amount currency } contact { ...Person } } }
      pageInfo { hasNextPage endCursor }
      totals(groupBy: MONTH) { key count }
    }
  }`,
  'fragment Person on Contact { id firstName birthDate gender }',
  'query Find($text: String!) { contacts(search: $text, first: 5) { totalCount edges { node { ...Person } } } }',
  `query Record($id: ID!) { node(id: $id) { __typename id ... on Note { content pinned createdAt } } }`,
  `mutation Write($input: NoteCreateInput!) { createNote(input: $input) { note { id content updatedAt } } }`,
];

/** A program that reads every kind of value. Its assignments say the types that it expects. */
const program = `
import type { DocumentType } from './gql';
import { type FragmentType, graphql, useFragment } from './gql';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';

declare const run: <Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: NoInfer<Variables>) => Promise<Data>;

const donations = graphql(\`${documents[0]}\`);
const person = graphql(\`${documents[1]}\`);
const find = graphql(\`${documents[2]}\`);
const record = graphql(\`${documents[3]}\`);
const write = graphql(\`${documents[4]}\`);

export const readPerson = (contact: FragmentType<typeof person>): string | null => {
  const { firstName, birthDate, gender } = useFragment(person, contact);
  const day: string | null | undefined = birthDate;
  return firstName ?? day ?? gender ?? null;
};

export const readDonations = async (): Promise<number> => {
  const filter = { amount: { gte: 1000 }, transactionDate: { gte: '2026-01-01T00:00:00Z' } };
  const { donations: page } = await run(donations, { filter });
  let sum = 0;
  for (const { cursor, node } of page.edges) {
    const texts: string[] = [cursor, node.id, node.transactionDate, node.amount.currency];
    const numbers: number[] = [node.databaseId, node.amount.amount];
    readPerson(node.contact);
    sum += texts.length + numbers.length;
  }
  const next: string | null | undefined = page.pageInfo.endCursor;
  return page.pageInfo.hasNextPage && next ? sum : 0;
};

export const readFound = async (text: string): Promise<(string | null)[]> => {
  const { contacts } = await run(find, { text });
  return contacts.totalCount > 0 ? contacts.edges.map(({ node }) => readPerson(node)) : [];
};

export const readRecord = async (): Promise<string | undefined> => {
  const { node } = await run(record, { id: 'Note:1' });
  return node?.__typename === 'Note' ? node.content + node.createdAt : node?.id;
};

export const writeNote = async (): Promise<DocumentType<typeof write>> => {
  const written = await run(write, { input: { contactId: 'Contact:1', content: 'Typed' } });
  const time: string | undefined = written.createNote?.note.updatedAt;
  if (time) return written;
  throw new Error('nothing was written');
};
`;

/** Each is one change of the program, and what the compiler says of it. */
const wrong: [what: string, from: string, to: string, message: RegExp][] = [
  ['a field that was not selected', 'node.amount.currency', 'node.updatedAt', /'updatedAt' does not exist/],
  ['a field of another type', 'node?.id;', 'node?.pinned;', /Property 'pinned' does not exist/],
  ['a variable that the operation lacks', '{ filter }', '{ filter, before: "x" }', /'before' does not exist/],
  ['a variable that is missing', `{ id: 'Note:1' }`, '{}', /Property 'id' is missing/],
  ['a search for a number', '{ text }', '{ text: 1 }', /'number' is not assignable to type 'string'/],
  ['a number as text', `gte: 1000`, `gte: '1000'`, /'string' is not assignable to type 'number/],
  ['a date-time as a number', 'const day: string', 'const day: number', /not assignable to type 'number/],
  ['an unknown field of an input', `content: 'Typed'`, `content: 'Typed', author: 1`, /'author' does not exist/],
  [
    'null where a value is certain',
    'const time: string | undefined',
    'const time: string',
    /'undefined' is not assignable/,
  ],
];

let folder: string;
/** The generated files by name. */
let generated: Map<string, string>;

beforeAll(async () => {
  folder = createFolder();
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  generated = await generate(config);
  for (const [name, text] of generated) await writeInFolder(name, text);
});

const writeInFolder = async (name: string, text: string): Promise<void> => {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
};

const generate = async (given: typeof config): Promise<Map<string, string>> => {
  const sources = documents.map((rawSDL) => ({ rawSDL, document: parse(rawSDL), location: 'program.ts' }));
  const parts = await preset.buildGeneratesSection({
    baseOutputDir: 'gql/',
    schema,
    schemaAst: buildASTSchema(schema),
    documents: sources,
    config: given,
    presetConfig: {},
    plugins: [],
    pluginMap: {},
  });
  return new Map(await Promise.all(parts.map(async (part) => [part.filename, await codegen(part)] as const)));
};

/** What the compiler reports on each of these programs. */
const compile = async (programs: string[]): Promise<string[][]> => {
  const names = programs.map((_, index) => `program-${index}.ts`);
  await Promise.all(names.map((name, index) => writeInFolder(name, programs[index]!)));
  const options = { strict: true, noEmit: true, noUncheckedIndexedAccess: true, target: 'es2023', module: 'preserve' };
  await writeInFolder('tsconfig.json', JSON.stringify({ compilerOptions: { ...options, types: [] }, files: names }));
  const { stdout } = await promisify(execFile)(process.execPath, [resolve('node_modules/typescript/bin/tsc')], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  // Lines that are indented belong to the report above them.
  const found = stdout.split(/\n(?! )/).filter((report) => report !== '');
  const reports = names.map((name) => found.filter((report) => report.startsWith(`${name}(`)));
  expect(reports.flat()).toHaveLength(found.length);
  return reports;
};

/** The types of operations, without the helper in which the preset itself writes `unknown`, and without its constants. */
const readTypes = (files: Map<string, string>): string => {
  const [types] = files.get('gql/graphql.ts')!.split('\nexport const ');
  return types!.replace('type Exact<T extends { [key: string]: unknown }>', '');
};

describe('the generated types', () => {
  it('have no `any` and no `unknown`', () => {
    expect(readTypes(generated)).toContain('transactionDate: string');
    expect(readTypes(generated)).not.toMatch(/\b(any|unknown)\b/);
  });

  it('need the types of the scalars of the graph, and of no others', async () => {
    const scalars = Object.values(buildASTSchema(schema).getTypeMap()).filter(
      (type) => isScalarType(type) && !isSpecifiedScalarType(type),
    );
    expect(Object.keys(config.scalars)).toEqual(scalars.map(({ name }) => name).sort());
    expect(readTypes(await generate({ strictScalars: false, scalars: {} }))).toMatch(
      /transactionDate: (any|unknown)\b/,
    );
    await expect(generate({ strictScalars: true, scalars: {} })).rejects.toThrow('Unknown scalar type');
  });
});

it('a program that uses them compiles under strict, and wrong ones do not', async () => {
  const broken = wrong.map(([what, from, to]) => {
    expect(program.split(from), what).toHaveLength(2);
    return program.replace(from, to);
  });
  const [right, ...reports] = await compile([program, ...broken]);
  expect(right).toEqual([]);
  for (const [index, [what, , , message]] of wrong.entries()) expect(reports[index]!.join('\n'), what).toMatch(message);
});
