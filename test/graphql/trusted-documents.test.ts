// The list of trusted documents: its file, its faults, which stop the start, and a server that runs with it.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { hashDocument } from '../../src/graphql/persisted-documents.ts';
import { readTrustedDocuments } from '../../src/graphql/trusted-documents.ts';
import { createDatabase } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';
import { createToken, spawnServer } from '../harness/serving.ts';
import { isSmall } from '../harness/sizes.ts';

vi.setConfig({ testTimeout: 60_000 });

const folder = createFolder();

let files = 0;
const write = (content: string): string => {
  const file = join(folder, `${++files}.json`);
  writeFileSync(file, content);
  return file;
};
const listOf = (...texts: string[]) => Object.fromEntries(texts.map((text) => [hashDocument(text), text]));
const read = (content: unknown) => {
  const file = write(typeof content === 'string' ? content : JSON.stringify(content));
  return readTrustedDocuments({ TRUSTED_DOCUMENTS: 'only', TRUSTED_DOCUMENTS_FILE: file, BUCKET_CAPACITY: 100 });
};

const good = 'query Good { __typename }';
const two = 'query A { __typename } query B($yes: Boolean!) { __typename @skip(if: $yes) }';

describe('the settings', () => {
  it('are off by default, and need each other', () => {
    expect(readConfig({}).TRUSTED_DOCUMENTS).toBe('off');
    expect(() => readConfig({ TRUSTED_DOCUMENTS: 'only' })).toThrow('TRUSTED_DOCUMENTS needs TRUSTED_DOCUMENTS_FILE');
    expect(() => readConfig({ TRUSTED_DOCUMENTS_FILE: 'list.json' })).toThrow(
      'TRUSTED_DOCUMENTS_FILE has no effect while TRUSTED_DOCUMENTS is off',
    );
    expect(() => readConfig({ TRUSTED_DOCUMENTS: 'yes', TRUSTED_DOCUMENTS_FILE: 'list.json' })).toThrow(
      /TRUSTED_DOCUMENTS must be .*off.*too.*only/,
    );
  });

  it('that are off read no file', async () => {
    const off = { TRUSTED_DOCUMENTS: 'off' as const, TRUSTED_DOCUMENTS_FILE: '/nothing', BUCKET_CAPACITY: 1 };
    expect(await readTrustedDocuments(off)).toBeUndefined();
  });
});

describe('a list', () => {
  it('has hashes with or without sha256:', async () => {
    const trusted = await read({ [hashDocument(good)]: good, [`sha256:${hashDocument(two)}`]: two });
    expect(trusted).toEqual({
      only: true,
      texts: new Map([
        [hashDocument(good), good],
        [hashDocument(two), two],
      ]),
    });
  });

  it.each<[what: string, content: unknown, fault: RegExp]>([
    ['is no JSON', '{', /is not JSON/],
    ['is an array', [good], /must be a JSON object/],
    ['is null', 'null', /must be a JSON object/],
    ['is empty', {}, /has no documents/],
    ['has an MD5', { d41d8cd98f00b204e9800998ecf8427e: good }, /d41d8cd98f00b204e9800998ecf8427e: must be a SHA-256/],
    ['has no text', { [hashDocument(good)]: { query: good } }, /must be the text of a document/],
    ['has a hash of another text', { [hashDocument(good)]: `${good} ` }, /: is not the SHA-256 of its document/],
    ['does not parse', listOf('query {'), /: Syntax Error: .*\(line 1, column 8\)/],
    ['is not valid', listOf('{\n  nothing\n}'), /: Cannot query field "nothing".*\(line 2, column 3\)/],
    ['has no operation', listOf('fragment F on Query { __typename }'), /Fragment "F" is never used/],
    ['subscribes to nothing', listOf('subscription { x }'), /: Cannot query field "x"/],
    ['is too long', listOf(`${good} # ${'x'.repeat(15_000)}`), /has 15\d+ characters/],
    [
      'is too expensive',
      listOf(`{ ${Array.from({ length: 101 }, (_, index) => `a${index}: __schema { __typename }`).join(' ')} }`),
      /aliases|costs 101/,
    ],
    [
      'is too large in one of its operations',
      listOf(`query A { __typename } query B { ${'__typename '.repeat(16)} }`),
      /repeats/,
    ],
  ])('whose document %s is refused', async (_, content, fault) => {
    await expect(read(content)).rejects.toThrow(fault);
    await expect(read(content)).rejects.toThrow(/^TRUSTED_DOCUMENTS_FILE: .*\.json /);
  });

  it('names every document at fault, and counts those beyond twenty', async () => {
    const bad = (count: number) => Array.from({ length: count }, (_, index) => `{ nothing${index} }`);
    const error = await read(listOf(good, ...bad(3))).catch(({ message }: Error) => message);
    for (const text of bad(3)) expect(error).toContain(`\n  ${hashDocument(text)}: Cannot query field`);
    expect(error).not.toContain(hashDocument(good));
    await expect(read(listOf(...bad(25)))).rejects.toThrow(/\n {2}and 5 more$/);
  });

  it('that is missing is refused', async () => {
    const missing = { TRUSTED_DOCUMENTS_FILE: join(folder, 'none.json'), BUCKET_CAPACITY: 1 };
    await expect(readTrustedDocuments({ ...missing, TRUSTED_DOCUMENTS: 'too' })).rejects.toThrow(
      /none\.json cannot be read: ENOENT/,
    );
  });
});

describe('serve', () => {
  it.skipIf(isSmall)('executes the documents of the list only, in every worker', async () => {
    const DATABASE_URL = await createDatabase();
    const token = await createToken(DATABASE_URL);
    const TRUSTED_DOCUMENTS_FILE = write(JSON.stringify(listOf(good)));
    const server = await spawnServer({ DATABASE_URL, TRUSTED_DOCUMENTS: 'only', TRUSTED_DOCUMENTS_FILE, WORKERS: '2' });
    for (let request = 0; request < 6; request++) {
      const named = await server.ask(token, 'POST', '/graphql', { documentId: hashDocument(good) });
      expect([named.status, named.body]).toEqual([200, { data: { __typename: 'Query' } }]);
      const other = await server.ask(token, 'POST', '/graphql', { query: '{ __typename }' });
      expect([other.status, other.body.errors[0].extensions.code]).toEqual([403, 'PERSISTED_QUERY_ONLY']);
    }
  });

  it('does not start with a document that is not valid, nor its database, and says so once', async () => {
    const bad = '{ nothing }';
    const TRUSTED_DOCUMENTS_FILE = write(JSON.stringify(listOf(good, bad)));
    const MUSTER_DATA_DIR = join(folder, 'data');
    const env = { MUSTER_DATA_DIR, TRUSTED_DOCUMENTS: 'too', TRUSTED_DOCUMENTS_FILE, WORKERS: '2' };
    const { ended, said } = await spawnServer(env);
    expect([await ended, existsSync(MUSTER_DATA_DIR)]).toEqual([1, false]);
    expect(said.err.split(`${hashDocument(bad)}: Cannot query field "nothing"`)).toHaveLength(2);
  });

  it('does not start with a wrong origin, and names it', async () => {
    const { ended, said } = await spawnServer({
      DATABASE_URL: await createDatabase(),
      CORS_ORIGINS: 'https://a.example/',
    });
    expect(await ended).toBe(1);
    expect(said.err).toContain('CORS_ORIGINS cannot be used: https://a.example/ must not end with a slash');
  });
});
