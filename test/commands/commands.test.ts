// The command line as its users meet it: help, usage, exit codes, what is on stdout and what on stderr.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { commands } from '../../src/commands/command-line.ts';
import { explainOldNode } from '../../src/commands/node-version.ts';
import { Database } from '../../src/database/database.ts';
import { isSecretForm } from '../../src/database/secret.ts';
import { createDatabase, type Door, type Json, openApp } from '../harness/app.ts';
import { buildCommandLine, type Env, type Result } from '../harness/command-line.ts';
import { buildDatabaseUrl } from '../harness/databases.ts';
import { runHere } from '../harness/run-here.ts';

vi.setConfig({ testTimeout: 120_000 });

const packageFile = JSON.parse(readFileSync('package.json', 'utf8'));

let door: Door;
const { folder, program, environment, muster: start } = buildCommandLine(() => door.databaseUrl);
/** In this process. `start` shows that the program says and returns the same. */
const muster = (line: string, env: Env = {}): Promise<Result> =>
  runHere(door.databaseUrl, line.split(' ').filter(Boolean), env);

beforeAll(async () => {
  door = await openApp();
});

describe('help', () => {
  it.each([
    ['--help', ['serve', 'migrate', 'seed', 'token', '--help', 'Exit codes']],
    ['serve --help', ['DATABASE_URL', '--help']],
    ['migrate --help', ['schema', '--help']],
    ['seed --help', ['--contacts', '10000', '--seed', '--help']],
    ['export --help', ['--space', '--search', '--format', 'ndjson', 'csv', '--excel', '--columns', '--out', '.gz']],
    ['import --help', ['contacts', 'donations', 'list', 'undo']],
    ['import list --help', ['--space', '--limit', '--json']],
    ['import inspect --help', ['--encoding', '--map', '--values', '--delimiter', '--header-line', '--dates']],
    [
      'import contacts --help',
      [
        '--encoding',
        'windows-1252',
        'latin1',
        'utf-16',
        '--map',
        '--key',
        'external_id',
        '--dry-run',
        '--resume',
        '--rejects',
      ],
    ],
    ['move-in --help', ['--from', '--token-file', 'SOURCE_TOKEN', '--dry-run', '--rejects', 'docs/moving.md']],
    ['import donations --help', ['--encoding', '--map', '--contacts', '--transactions', '--dry-run', '--rejects']],
    ['token --help', ['create', 'list', 'revoke', '--help']],
    ['setup --help', ['--name', '--mail', '--first-name', '--last-name', '--quiet', 'SETUP_NAME', '--help']],
    ['space --help', ['create', 'list', 'rename', 'delete', '--help']],
    ['member --help', ['add', 'invite', 'role', 'remove', '--help']],
    ['user --help', ['create', 'list', 'confirm', 'link', 'unlink', '--help']],
    ['user link --help', ['<id>', '--subject', '--issuer', 'OIDC_ISSUER', '--help']],
    ['user unlink --help', ['<id>', 'sessions', '--help']],
    ['user confirm --help', ['<id>', '--mail', '--help']],
    ['token create --help', ['--space', '--user', '--label', '--scope', '--expires', '30d', '--help']],
  ])('%s needs no database and names what there is', async (line, mentioned) => {
    const { code, out, err } = await muster(line, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' });
    expect([code, err]).toEqual([0, '']);
    for (const part of mentioned) expect(out).toContain(part);
  });
});

it('a bare muster prints the help, --version the version, and each command of the help is the one that is loaded', async () => {
  const help = await start('--help');
  expect(await start('')).toEqual(help);
  expect(await muster('--help')).toEqual(help);
  expect(await start('--version')).toEqual({ code: 0, out: `${packageFile.version}\n`, err: '' });
  for (const [name, [summary, load]] of Object.entries(commands)) {
    const command = (await load()).createCommand();
    expect([command.name(), command.description()]).toEqual([name, expect.stringMatching(/^[A-Z].+\.$/)]);
    expect(help.out).toContain(summary);
  }
});

it('an old Node is refused in one line, before anything is loaded that it cannot read', async () => {
  const versions = `{ ...process.versions, node: '18.20.4' }`;
  const fake = `data:text/javascript,Object.defineProperty(process, 'versions', { value: ${versions} })`;
  for (const args of [[program, 'serve'], ['build.js']])
    await expect(
      promisify(execFile)(process.execPath, ['--import', fake, ...args], { env: environment({}) }),
    ).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^muster: Node 18\.20\.4 is too old: Muster needs Node 20\.19\.0 or newer.+\n$/),
    });
  // What an old Node cannot even parse.
  expect(readFileSync('build.js', 'utf8')).not.toMatch(/^import .+ with \{/m);
  // What the entry loads before that: packages and the rest of the program come with a dynamic import.
  const loaded = [...readFileSync(program, 'utf8').matchAll(/(?:from|import) ?"(?<file>[^"]+)"/g)];
  const files = loaded.flatMap(({ groups }) => (groups!.file!.startsWith('.') ? [groups!.file!] : []));
  const bytes = files.map((file) => statSync(join(folder, 'dist', file)).size).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(10_000);
  const told = (running: string) => explainOldNode(packageFile.engines.node, running);
  expect(['20.19.0', '20.20.2', '22.0.0', '24.1.0'].map(told)).toEqual([undefined, undefined, undefined, undefined]);
  expect(['20.18.3', '19.9.0', '9.99.99'].map((one) => told(one)?.split(':')[0])).toEqual([
    'Node 20.18.3 is too old',
    'Node 19.9.0 is too old',
    'Node 9.99.99 is too old',
  ]);
});

it('a reader who stops reading is no failure', async () => {
  const command = `set -o pipefail; ${process.execPath} ${program} --help | true`;
  const run = promisify(execFile)('bash', ['--norc', '-c', command], { env: environment({}) });
  expect(await run).toMatchObject({ stdout: '', stderr: '' });
});

describe('wrong usage exits with 2, and says on stderr what is wrong and what is right', () => {
  it.each([
    ['migrat', 'Did you mean migrate?'],
    ['--nonsense', "unknown option '--nonsense'"],
    ['serve more', 'too many arguments'],
    ['seed --contacts many', 'must be a whole number'],
    ['token', 'token [options] [command]'],
    ['token nonsense', "unknown command 'nonsense'"],
    ['token create --user 1', "required option '--space <id>' not specified"],
    ['token create --space 1', "required option '--user <id>' not specified"],
    ['token create --space 1 --user 1 --expires soon', 'must be a duration such as 30d'],
    ['token create --space 1 --user 1 --expires 2001-01-01T00:00:00Z', 'is in the past'],
    ['token revoke', "missing required argument 'id'"],
    ['user', 'user [options] [command]'],
    ['user confirm', "missing required argument 'id'"],
    ['user confirm nobody', 'must be a whole number'],
    ['user link 1', "required option '--subject <sub>' not specified"],
    ['user link 1 --subject é', 'must be 1 to 255 characters of ASCII'],
  ])('%s', async (line, message) => {
    const { code, out, err } = await muster(line);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err).toContain('Usage: muster');
  });
});

describe('failure exits with 1, and says in plain words what to do', () => {
  const failure = async (line: string, env: Env): Promise<string> => {
    // A failed serve ends its process.
    const { code, out, err } = await (line === 'serve' ? start : muster)(line, env);
    expect([code, out]).toEqual([1, '']);
    expect(err).not.toMatch(/^ +at |node_modules/m);
    return err;
  };
  it.each(['serve', 'migrate', 'token list'])('%s, when the database does not answer', async (line) => {
    expect(await failure(line, { DATABASE_URL: 'postgres://someone:secret@localhost:1/x' })).toMatch(
      /^muster: The database cannot be reached \(.*ECONNREFUSED.*\).*DATABASE_URL.*\n$/,
    );
  });

  it('serve, when the database does not answer and the process is slow', async () => {
    const blocks = 'setInterval(() => { for (const until = Date.now() + 300; Date.now() < until; ); }, 10).unref()';
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(blocks)}`;
    const env = { DATABASE_URL: 'postgres://someone:secret@localhost:1/x', NODE_OPTIONS };
    expect(await failure('serve', env)).toMatch(/^muster: The database cannot be reached/);
  });

  it.each(['seed', 'token create --space 1 --user 1'])('%s, when the database is not there', async (line) => {
    expect(await failure(line, { DATABASE_URL: buildDatabaseUrl(door.databaseUrl, 'nothing_here') })).toMatch(
      /^muster: The database cannot be reached \(database "nothing_here" does not exist\).*\n$/,
    );
  });

  it('token revoke, when no database is named and none is running', async () => {
    const err = await failure('token revoke 1', { DATABASE_URL: undefined, MUSTER_DATA_DIR: join(folder, 'nowhere') });
    expect(err).toMatch(/^muster: No database: set DATABASE_URL, or start the embedded server .*\n$/);
  });

  it('serve, when settings cannot be used: it lists each', async () => {
    const err = await failure('serve', { PORT: '99999', POOL_SIZE: 'x', DATABASE_URL: 'secret' });
    expect(err).toMatch(
      /^muster: These settings cannot be used:\n( {2}(PORT|POOL_SIZE|DATABASE_URL) must be .+\n){3}$/,
    );
    expect(err).not.toContain('secret');
  });

  it('serve, when the port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const err = await failure('serve', { PORT: String(port) }).finally(() => taken.close());
    expect(err).toBe(`muster: Port ${port} on 127.0.0.1 is in use; set PORT to another\n`);
  });
});

describe('migrate and seed', () => {
  it('fill an empty database once, and say so', async () => {
    const DATABASE_URL = await createDatabase('empty');
    const first = await muster('migrate', { DATABASE_URL });
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toMatch(/^(applied \d{4}_\w+\.sql\n)+applied functions\.sql\napplied triggers\.sql\n$/);
    const again = { code: 0, out: 'nothing to do: the schema is up to date\n', err: '' };
    expect(await muster('migrate', { DATABASE_URL })).toEqual(again);

    const seeded = await muster('seed --contacts 50 --seed 3', { DATABASE_URL });
    expect([seeded.code, seeded.out]).toEqual([0, '']);
    expect(seeded.err).toMatch(/^\d+ people in space 1, [\d,]+ rows in [\d.]+ s\n$/);
    const database = new Database(DATABASE_URL, { poolSize: 1 });
    const contents = async (): Promise<Json> =>
      (
        await database.readers.knex.raw(
          `select count(*), md5(string_agg(c::text, '' order by group_id, id)) from contacts c`,
        )
      ).rows[0];
    const before = await contents();
    expect(before.count).toBeGreaterThan(50);
    const second = await muster('seed --contacts 50 --seed 4', { DATABASE_URL });
    expect([second.code, second.out]).toEqual([1, '']);
    expect(second.err).toMatch(/^muster: Already in this database: space 1/m);
    expect(await contents()).toEqual(before);
    await database.close();
  });
});

describe('token', () => {
  const created = async (more = ''): Promise<string> => {
    const { code, out, err } = await muster(`token create --space 1 --user 1${more}`);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^\S+\n$/);
    expect(isSecretForm('token', out.trim())).toBe(true);
    return out.trim();
  };
  const works = async (token: string): Promise<boolean> =>
    (await door.rest('GET', '/users/1', undefined, token)).status === 200;
  const rowOf = async (token: string): Promise<Json> =>
    (
      await door.sql('select *, t::text as all from tokens t where hash = ?', [
        createHash('sha256').update(token).digest(),
      ])
    )[0];

  it('create prints a token that works, and the database has its SHA-256 alone', async () => {
    const token = await created();
    expect(await works(token)).toBe(true);
    const row = await rowOf(token);
    expect(row).toMatchObject({ group_id: 1, user_id: 1, expires_at: null });
    expect(row.all).not.toContain(token.slice(12));
  });

  it('create takes a span or an instant for the end', async () => {
    const inAnHour = await rowOf(await created(' --expires 1h'));
    expect(Math.abs(Date.parse(inAnHour.expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    const then = await rowOf(await created(' --expires 2099-01-31T12:00:00+02:00'));
    expect(new Date(then.expires_at).toISOString()).toBe('2099-01-31T10:00:00.000Z');
  });

  it('create refuses who is not a member', async () => {
    const { code, out, err } = await muster('token create --space 1 --user 999999');
    expect([code, out, err]).toEqual([1, '', 'muster: User 999999 is not a member of space 1\n']);
  });

  it('list shows whose tokens there are, never a token; revoke ends one', async () => {
    const token = await created();
    const { id, prefix, hash } = await rowOf(token);
    const [table, json] = [await muster('token list --space 1'), await muster('token list --json')];
    for (const { code, out, err } of [table, json]) {
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain(prefix);
      for (const secret of [token.slice(12), hash.toString('hex'), hash.toString('base64')])
        expect(out).not.toContain(secret);
    }
    const listed = json.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(listed.find((row) => row.id === id)).toMatchObject({ groupId: 1, userId: 1, revokedAt: null });
    expect((await muster('token list --space 2 --json')).out).not.toContain(prefix);

    expect(await works(token)).toBe(true);
    expect(await start(`token revoke ${id}`)).toEqual({ code: 0, out: `token ${id} revoked\n`, err: '' });
    expect((await door.rest('GET', '/users/1', undefined, token)).status).toBe(401);
    const again = await muster(`token revoke ${id}`);
    expect(again).toEqual({ code: 1, out: '', err: `muster: There is no valid access token ${id}\n` });
  });
});
