// What GraphiQL copies of an operation: the operation that is meant, texts that a shell and a compiler take as they are, and variables that are no JSON.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  type Tab,
  writeApollo,
  writeCurl,
  writeLink,
  writeTypeScript,
} from '../../packages/pages/browser/operation-texts.ts';
import { createFolder } from '../harness/folders.ts';

const address = 'http://localhost:4000/graphql';
const createTab = (query: string, variables = '', chosen?: string): Tab => ({ query, variables, chosen });
const readLink = (tab: Tab) => Object.fromEntries(new URLSearchParams(writeLink(address, tab).split('#')[1]));
/** Characters that mean something to a shell, to a template of TypeScript, or to JSON. */
const odd = `it's \`a\` \${b} \\n "c" $TOKEN é`;
const oddQuery = `query Odd($words: String) { contacts(search: $words) { totalCount } other: contacts(search: ${JSON.stringify(odd)}) { totalCount } }`;
const oddTab = createTab(oddQuery, JSON.stringify({ words: odd }));

describe('the operation that is meant', () => {
  it.each<[query: string, chosen: string | undefined, name: string | undefined]>([
    ['{ viewer { space { id } } }', undefined, undefined],
    ['{ viewer { space { id } } }', 'Gone', undefined],
    ['query { viewer { space { id } } }', undefined, undefined],
    ['query A { a } mutation B { b }', undefined, 'A'],
    ['query A { a } mutation B { b }', 'B', 'B'],
    ['query A { a } mutation B { b }', 'Gone', 'A'],
    ['# query Comment {\nquery A { a }', undefined, 'A'],
    ['query A($text: String = "query B {") { a }', undefined, 'A'],
    ['{ segments { nodes { query name } } }', undefined, undefined],
    ['query A($q: ContactQuery = { and: [] }) { segments { nodes { query usedBy { name } } } }', 'usedBy', 'A'],
    ['fragment F on Contact { id } query A { contact(id: 1) { ...F } }', undefined, 'A'],
    ['', undefined, undefined],
  ])('of %j with %j is %j', (query, chosen, name) => {
    expect(readLink(createTab(query, '', chosen))).toEqual({ query, ...(name && { operationName: name }) });
  });

  it('keeps its variables in a link as they are, also those that are no JSON', () => {
    expect(readLink(createTab('{ a }', '{ "b": 1, // c\n}'))).toEqual({
      query: '{ a }',
      variables: '{ "b": 1, // c\n}',
    });
    expect(readLink(createTab('{ a }', ' \n'))).toEqual({ query: '{ a }' });
  });
});

it.each([writeCurl, writeTypeScript, writeApollo])('%o refuses variables that are no JSON', (write) => {
  expect(() => write(address, createTab('{ a }', '{ "b": 1, }'))).toThrow(SyntaxError);
});

it('Apollo is given one operation', () => {
  expect(() => writeApollo(address, createTab('query A { a } mutation B { b }'))).toThrow('one operation');
});

it('curl and the program send the same, whatever the texts hold', async () => {
  const folder = createFolder();
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/curl'), '#!/bin/bash\nwhile [ "$2" ]; do shift; done\nprintf %s "$1"\n', {
    mode: 0o755,
  });
  const run = promisify(execFile);
  const sent = await run('bash', ['-ec', writeCurl(address, oddTab)], {
    env: { PATH: `${folder}/bin:${process.env.PATH}`, TOKEN: 'secret' },
  });
  const expected = { query: oddQuery, variables: { words: odd }, operationName: 'Odd' };
  expect(JSON.parse(sent.stdout)).toEqual(expected);
  const asked: unknown[] = [];
  const program = writeTypeScript(address, oddTab)
    .replace(/\nconst \{ data[\s\S]*/, '')
    .replace('await ', '');
  new Function('fetch', 'process', program)(
    (_: string, { body }: { body: string }) => asked.push(JSON.parse(body)),
    process,
  );
  expect(asked).toEqual([expected]);
});

it('the programs compile under strict: those of every example, a mutation, a subscription and odd texts', async () => {
  const folder = createFolder();
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const examples = readdirSync('docs/examples').filter((file) => file.endsWith('.graphql'));
  const tabs = [
    oddTab,
    createTab('subscription { contactChanged { recordId } }'),
    ...examples.map((file) => {
      const json = file.replace('graphql', 'json');
      const read = (name: string) => readFileSync(join('docs/examples', name), 'utf8');
      return createTab(read(file), readdirSync('docs/examples').includes(json) ? read(json) : '');
    }),
  ];
  for (const [index, tab] of tabs.entries()) {
    writeFileSync(join(folder, `fetch${index}.ts`), writeTypeScript(address, tab));
    writeFileSync(join(folder, `apollo${index}.ts`), writeApollo(address, tab));
  }
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    moduleDetection: 'force',
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, skipLibCheck: true }, include: ['*.ts'] }),
  );
  const compile = promisify(execFile)(process.execPath, [resolve('node_modules/typescript/bin/tsc')], { cwd: folder });
  expect(
    await compile.then(
      () => '',
      ({ stdout }) => stdout,
    ),
  ).toBe('');
});
