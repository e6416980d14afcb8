// Typed clients of the REST door: openapi-typescript makes types of openapi.json, with which real requests compile and wrong ones do not. The program of docs/rest.md runs.
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { serve } from '@hono/node-server';
import { beforeAll, expect, it } from 'vitest';
import { openApp } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';

const run = promisify(execFile);
let folder: string;
let guide: string;

const head = `import type { components } from './muster.d.ts';
type Schemas = components['schemas'];
const find = (query: Schemas['SearchQuery']): Schemas['SearchBody'] => ({ data: { advanced_search: { per_page: 20, query } } });
`;
const condition = (text: string): string =>
  `${head}export const body = find({ $all: [{ $at_least_one: [{ $condition: ${text} }] }] });\n`;
const contact = (text: string): string =>
  `${head}export const body: Schemas['ContactBody'] = { data: { contact: ${text} } };\n`;

/** Programs that compile. */
const right: [string, string][] = [
  ['a text', condition(`{ attr: 'surname', ope: 'start_with', value: 'd' }`)],
  ['presence', condition(`{ attr: 'mobile', ope: 'not_ext' }`)],
  ['a range of dates', condition(`{ attr: 'birthdate', ope: 'range', from: 'now-35y', to: 'now-18y' }`)],
  ['a list', condition(`{ attr: 'tags.name', ope: 'any_of', value: ['Sympathisant', 'Bénévole'] }`)],
  ['an amount', condition(`{ attr: 'donations.sum_amount', ope: 'gte', value: '99.90' }`)],
  ['an answer', condition(`{ attr: 'form', ope: 'eql', form_id: 3, form_ref_ids: [1, 2] }`)],
  [
    'a contact',
    contact(
      `{ surname: 'Costa', gender: 'F', birthdate: '', tags: ['new', { name: 'other' }], address: { city: 'Lyon' } }`,
    ),
  ],
];

/** Programs that do not. */
const wrong: [string, string][] = [
  ['an operator that the attribute does not permit', condition(`{ attr: 'surname', ope: 'lte', value: 'd' }`)],
  ['an unknown attribute', condition(`{ attr: 'nickname', ope: 'eql', value: 'd' }`)],
  ['a comparison without a value', condition(`{ attr: 'surname', ope: 'eql' }`)],
  ['a range without an end', condition(`{ attr: 'birthdate', ope: 'range', from: 'now' }`)],
  ['a list of flags', condition(`{ attr: 'tags.name', ope: 'any_of', value: [true] }`)],
  ['an unknown validity', condition(`{ attr: 'sanctions.validity', ope: 'eql', value: 'soon' }`)],
  ['an answer without its form', condition(`{ attr: 'form', ope: 'ext' }`)],
  [
    'a condition without a group',
    `${head}export const body = find({ $all: [{ $condition: { attr: 'mail', ope: 'ext' } }] });\n`,
  ],
  ['a birthdate that is a number', contact(`{ birthdate: 1980 }`)],
  ['a name that is an object', contact(`{ surname: {} }`)],
  ['a tag without a name', contact(`{ tags: [{ color: 'red' }] }`)],
];

beforeAll(async () => {
  folder = createFolder();
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const generate = [
    '--import',
    resolve('test/rest/typescript-5.js'),
    resolve('node_modules/openapi-typescript/bin/cli.js'),
  ];
  await run(process.execPath, [...generate, resolve('openapi.json'), '-o', join(folder, 'muster.d.ts')]);
  [, guide] = /```ts\n([\s\S]*?)```/.exec(await readFile('docs/rest.md', 'utf8')) as unknown as [string, string];
});

it('types of the document accept real requests, and no wrong ones', async () => {
  const programs = [...right, ...wrong].map(([, text], index) => ({ name: `program-${index}.ts`, text }));
  const files = [...programs, { name: 'guide.ts', text: guide }];
  for (const { name, text } of files) await writeFile(join(folder, name), text);
  const options = { strict: true, noEmit: true, target: 'es2023', module: 'preserve', skipLibCheck: false };
  const compilerOptions = { ...options, allowImportingTsExtensions: true, types: ['node'] };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: files.map(({ name }) => name) }),
  );
  const { stdout } = await run(process.execPath, [resolve('node_modules/typescript/bin/tsc')], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  const faulty = [...right, ...wrong].filter((_, index) => stdout.includes(`program-${index}.ts(`));
  expect(
    faulty.map(([what]) => what),
    stdout,
  ).toEqual(wrong.map(([what]) => what));
  expect(stdout).not.toMatch(/^(guide|muster)/m);
});

it('the program of docs/rest.md prints what it says', async () => {
  const door = await openApp();
  const server = serve({ fetch: (request) => door.app.fetch(request), port: 0, hostname: '127.0.0.1' }) as Server;
  await new Promise((ready) => server.once('listening', ready));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ...process.env, MUSTER: address, TOKEN: await door.token(1, 1) };
  const { stdout } = await run(process.execPath, ['--import', import.meta.resolve('tsx'), join(folder, 'guide.ts')], {
    env,
  });
  server.close();
  const lines = stdout.trim().split('\n');
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.at(-1)).toMatch(/^created \d+$/);
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/^\d+ \S/);
});
