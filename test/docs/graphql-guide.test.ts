// The guide to GraphQL: every block of it runs against a server, in the order of the page, and its page works in a browser.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { build, transform } from 'esbuild';
import { parse } from 'graphql';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { startServer } from '../../src/server/server.ts';
import { createDatabase, type Json } from '../harness/app.ts';
import { hasBrowser } from '../harness/browser.ts';
import { createFolder } from '../harness/folders.ts';
import { connectBrowser } from '../harness/shared-browser.ts';

interface Block {
  language: string;
  text: string;
  line: number;
}

const guide = readFileSync('docs/graphql.md', 'utf8');
const blocks: Block[] = [...guide.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ 1: language, 2: text, index }) => ({
  language: language!,
  text: text!,
  line: guide.slice(0, index).split('\n').length,
}));
const listBlocks = (language: string): [string, Block][] =>
  blocks.filter((block) => block.language === language).map((block) => [`in line ${block.line}`, block]);
const findFile = (name: string): string =>
  listBlocks('ts').find(([, { text }]) => text.startsWith(`// ${name}\n`))![1].text;

const folder = createFolder();
let url: string;
let token: string;
let origin: string;

beforeAll(async () => {
  const pages = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isScript ? readFileSync(join(folder, 'page.js')) : '<body><script src="/page.js"></script></body>');
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  const settings = { PORT: '0', HOST: '127.0.0.1', DRAIN_SECONDS: '0', CORS_ORIGINS: origin };
  const server = await startServer(readConfig(settings), await createDatabase(), pino({ level: 'silent' }));
  url = `${server.url}/graphql`;
  token = await createAccessToken(server.database, 1, 1);
  afterAll(async () => {
    pages.close();
    await server.stop();
  });
});

const ask = async (query: string, variables: Json = {}): Promise<Json> => {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  return response.json();
};

it('has blocks of each kind, and no other', () => {
  expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['', 'graphql', 'json', 'sh', 'ts']);
  expect(listBlocks('graphql').length).toBeGreaterThan(8);
});

it.each(listBlocks('sh'))('the command %s succeeds', async (_, { text }) => {
  if (text.includes('export '))
    return expect(text.match(/^export (\w+)=/gm)).toEqual(['export MUSTER=', 'export TOKEN=']);
  const env = { PATH: process.env.PATH, MUSTER: url, TOKEN: token };
  const { stdout } = await promisify(execFile)('bash', ['-ec', text], { env, cwd: folder });
  if (text.includes('> schema.graphql'))
    return expect(readFileSync(join(folder, 'schema.graphql'), 'utf8')).toBe(
      readFileSync('schema/schema.graphql', 'utf8'),
    );
  const { data, errors } = JSON.parse(stdout);
  expect(errors).toBeUndefined();
  expect(Object.values(data)).not.toContain(null);
});

/** The answer without what is not told: the id of the request, and the places in the document. */
const withoutInstance = ({ errors, data }: Json): Json => ({
  errors: errors.map(({ message, path, extensions: { instance: _, ...extensions } }: Json) => ({
    message,
    path,
    extensions,
  })),
  data,
});

/** Follows a subscription until it tells of a new contact. */
const expectEvent = async (query: string): Promise<void> => {
  const stop = new AbortController();
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'text/event-stream',
  };
  const body = JSON.stringify({ query });
  const { body: events } = await fetch(url, { method: 'POST', headers, body, signal: stop.signal });
  const made = await ask('mutation { createContact(input: { lastName: "Event" }) { contact { id } } }');
  let seen = '';
  for await (const text of events!.pipeThrough(new TextDecoderStream())) {
    seen += text;
    if (seen.includes(made.data.createContact.contact.id)) break;
  }
  expect(seen).toContain('event: next');
};

it.each(listBlocks('graphql'))('the document %s runs, and answers what is shown', async (_, block) => {
  if (block.text.startsWith('subscription')) return expectEvent(block.text);
  const answer = await ask(block.text);
  const shown = blocks[blocks.indexOf(block) + 1];
  if (shown?.language === 'json') return expect(withoutInstance(answer)).toEqual(JSON.parse(shown.text));
  expect(answer.errors).toBeUndefined();
  for (const value of Object.values<Json>(answer.data)) {
    expect(value).not.toBeNull();
    if (Array.isArray(value.nodes)) expect(value.nodes.length).toBeGreaterThan(0);
  }
});

it('a list whose form has no condition finds everybody, and one with conditions fewer', async () => {
  const { text } = listBlocks('graphql').find(([, block]) => block.text.includes('query People'))![1];
  const count = async (variables: Json) => (await ask(text, variables)).data.searchContacts.totalCount;
  const all = (await ask('{ contacts { totalCount } }')).data.contacts.totalCount;
  expect([await count({}), await count({ conditions: [] }), await count({ search: null, conditions: [] })]).toEqual([
    all,
    all,
    all,
  ]);
  const women = await count({ conditions: [{ gender: { equals: 'F' } }] });
  expect([women > 0, women < all]).toEqual([true, true]);
});

it('the list that it shows continues after its cursor', async () => {
  const { text } = listBlocks('graphql').find(([, block]) => block.text.includes('query Donations'))![1];
  const withIds = text.replace('nodes {', 'nodes { id');
  const { donations } = (await ask(withIds)).data;
  const next = (await ask(withIds, { after: donations.pageInfo.endCursor })).data.donations;
  const ids = [...donations.nodes, ...next.nodes].map(({ id }: Json) => id);
  expect([ids.length, new Set(ids).size]).toEqual([6, 6]);
});

it('Apollo Client of the page reads, tells faults, and follows changes', async () => {
  writeFileSync(join(folder, 'apollo.ts'), findFile('apollo.ts'));
  const outfile = join(folder, 'apollo.mjs');
  const nodePaths = [join(import.meta.dirname, '../../node_modules')];
  await build({
    entryPoints: [join(folder, 'apollo.ts')],
    bundle: true,
    outfile,
    nodePaths,
    format: 'esm',
    platform: 'node',
  });
  const { createApollo, listFaults } = await import(pathToFileURL(outfile).href);
  const apollo = createApollo(url, token);
  const { data } = await apollo.query({ query: parse('{ contacts(first: 2) { nodes { id } } }') });
  expect(data.contacts.nodes).toHaveLength(2);
  const create = parse('mutation ($input: ContactCreateInput!) { createContact(input: $input) { contact { id } } }');
  const refused = await apollo
    .mutate({ mutation: create, variables: { input: { email: 'no mail' } } })
    .catch((error: unknown) => error);
  expect(listFaults(refused)).toEqual({ email: expect.any(String) });
  const seen: Json[] = [];
  const changed = parse('subscription { contactChanged { operation recordId } }');
  const following = apollo.subscribe({ query: changed }).subscribe(({ data }: Json) => seen.push(data));
  const made = await apollo.mutate({ mutation: create, variables: { input: { lastName: 'Apollo' } } });
  await expect
    .poll(() => seen.map((one) => one?.contactChanged.recordId))
    .toContain(made.data.createContact.contact.id);
  following.unsubscribe();
});

describe('the page', { timeout: 90_000 }, () => {
  /** Writes the types that the settings of the guide ask for, and the page as a script. */
  const buildPage = async (): Promise<void> => {
    const { code } = await transform(findFile('codegen.ts'), { loader: 'ts', format: 'cjs' });
    const module = { exports: {} as Json };
    new Function('module', code)(module);
    const [output] = Object.values<Json>(module.exports.default.generates);
    const page = findFile('page.ts');
    const documents = [...page.matchAll(/graphql\(`([\s\S]*?)`\)/g)].map(([, document]) => document!);
    const schema = parse(readFileSync('schema/schema.graphql', 'utf8'));
    const sources = documents.map((rawSDL) => ({ rawSDL, document: parse(rawSDL), location: 'page.ts' }));
    const generates = await preset.buildGeneratesSection({
      baseOutputDir: join(folder, 'gql/'),
      config: output.config,
      documents: sources,
      pluginMap: {},
      plugins: [],
      presetConfig: {},
      schema,
    });
    mkdirSync(join(folder, 'gql'), { recursive: true });
    for (const options of generates) writeFileSync(options.filename, await codegen(options));
    writeFileSync(join(folder, 'page.ts'), page);
    await build({
      entryPoints: [join(folder, 'page.ts')],
      bundle: true,
      outfile: join(folder, 'page.js'),
      // The page imports packages of the project.
      nodePaths: [join(import.meta.dirname, '../../node_modules')],
      format: 'iife',
    });
  };

  it.skipIf(!hasBrowser)('lists contacts, shows the next ones, and finds them by name', async () => {
    await buildPage();
    const browser = await connectBrowser();
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(`${origin}/#${new URLSearchParams({ muster: url, token })}`);
      const list = () => page.locator('li').allTextContents();
      await expect.poll(async () => (await list()).length, { timeout: 10_000 }).toBe(5);
      const first = await list();
      await page.locator('button').click();
      await expect.poll(list, { timeout: 10_000 }).not.toEqual(first);
      expect((await list()).filter((name) => first.includes(name))).toEqual([]);
      const [name] = (await list()).map((text) => text.split(' ').at(-1)!);
      await page.locator('input').fill(name!);
      await expect.poll(async () => (await list())[0], { timeout: 10_000 }).toContain(name);
      expect([complaints, await page.locator('p').textContent()]).toEqual([[], '']);
    } finally {
      await browser.close();
    }
  });
});
