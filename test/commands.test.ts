// The command line as its users meet it: help, usage, exit codes, what is on stdout and what on stderr; and the way in without settings.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../src/data/database.ts';
import { findEmbedded } from '../src/data/embedded.ts';
import { isToken } from '../src/gate/token.ts';
import { withDatabase } from './global-setup.ts';
import { type Door, type Json, newDatabase, openApp } from './harness.ts';
import { buildProgram } from './program.ts';

vi.setConfig({ testTimeout: 120_000 });

const { folder, program } = buildProgram();
let door: Door;

beforeAll(async () => {
  door = await openApp();
});

interface Result {
  code: number;
  out: string;
  err: string;
}
type Env = Record<string, string | undefined>;
const environment = (env: Env): Env => ({ PATH: process.env.PATH, DATABASE_URL: door.databaseUrl, PORT: '0', ...env });

/** Runs a command line to its end. */
const muster = (line: string, env: Env = {}): Promise<Result> =>
  new Promise((resolve) => {
    const args = [program, ...line.split(' ').filter(Boolean)];
    const options = { cwd: folder, env: environment(env), timeout: 60_000 };
    execFile(process.execPath, args, options, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
    );
  });

describe('help', () => {
  it.each([
    ['--help', ['serve', 'migrate', 'seed', 'token', '--help', 'Exit codes']],
    ['serve --help', ['DATABASE_URL', '--help']],
    ['migrate --help', ['schema', '--help']],
    ['seed --help', ['--contacts', '10000', '--seed', '--help']],
    ['export --help', ['--space', '--search', '--format', 'ndjson', 'csv', '--out', '--help']],
    ['token --help', ['create', 'list', 'revoke', '--help']],
    ['user --help', ['confirm', '--help']],
    ['user confirm --help', ['<id>', '--mail', '--help']],
    ['token create --help', ['--space', '--user', '--expires', '30d', '--help']],
  ])('%s needs no database and names what there is', async (line, mentioned) => {
    const { code, out, err } = await muster(line, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' });
    expect([code, err]).toEqual([0, '']);
    for (const part of mentioned) expect(out).toContain(part);
  });
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
    ['token create --space 1 --user 1 --expires soon', 'must be a span such as 30d'],
    ['token create --space 1 --user 1 --expires 2001-01-01T00:00:00Z', 'is in the past'],
    ['token revoke', "missing required argument 'id'"],
    ['user', 'user [options] [command]'],
    ['user confirm', "missing required argument 'id'"],
    ['user confirm nobody', 'must be a whole number'],
  ])('%s', async (line, message) => {
    const { code, out, err } = await muster(line);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err).toContain('Usage: muster');
  });
});

describe('failure exits with 1, and says in plain words what to do', () => {
  const failure = async (line: string, env: Env): Promise<string> => {
    const { code, out, err } = await muster(line, env);
    expect([code, out]).toEqual([1, '']);
    expect(err).not.toMatch(/^ +at |node_modules/m);
    return err;
  };
  it.each(['serve', 'migrate', 'token list'])('%s, when the database does not answer', async (line) => {
    expect(await failure(line, { DATABASE_URL: 'postgres://someone:secret@localhost:1/x' })).toMatch(
      /^muster: The database cannot be reached \(.*ECONNREFUSED.*\).*DATABASE_URL.*\n$/,
    );
  });

  it.each(['seed', 'token create --space 1 --user 1'])('%s, when the database is not there', async (line) => {
    expect(await failure(line, { DATABASE_URL: withDatabase(door.databaseUrl, 'nothing_here') })).toMatch(
      /^muster: The database cannot be reached \(database "nothing_here" does not exist\).*\n$/,
    );
  });

  it('token revoke, when no database is named and none is running', async () => {
    const err = await failure('token revoke 1', { DATABASE_URL: undefined, MUSTER_DATA_DIR: join(folder, 'nowhere') });
    expect(err).toMatch(/^muster: No database: set DATABASE_URL, or start the embedded server .*\n$/);
  });

  it('serve, when settings cannot be used: it lists each', async () => {
    const err = await failure('serve', { PORT: '99999', POOL_SIZE: 'x', DATABASE_URL: 'secret' });
    expect(err).toMatch(/^muster: These settings cannot be used:\n( {2}(PORT|POOL_SIZE|DATABASE_URL): .+\n){3}$/);
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
    const DATABASE_URL = await newDatabase('empty');
    const first = await muster('migrate', { DATABASE_URL });
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toMatch(/^(applied \d{4}_\w+\.sql\n)+$/);
    const again = { code: 0, out: 'nothing to do: the schema is up to date\n', err: '' };
    expect(await muster('migrate', { DATABASE_URL })).toEqual(again);

    const seeded = await muster('seed --contacts 50 --seed 3', { DATABASE_URL });
    expect([seeded.code, seeded.out]).toEqual([0, '']);
    expect(seeded.err).toMatch(/^\d+ contacts, \d+ rows in [\d.]+ s\n$/);
    const database = new Database(DATABASE_URL, { poolSize: 1 });
    const contents = async (): Promise<Json> =>
      (await database.knex.raw(`select count(*), md5(string_agg(c::text, '' order by group_id, id)) from contacts c`))
        .rows[0];
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
    expect(isToken(out.trim())).toBe(true);
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
    expect(await muster(`token revoke ${id}`)).toEqual({ code: 0, out: `token ${id} revoked\n`, err: '' });
    expect((await door.rest('GET', '/users/1', undefined, token)).status).toBe(401);
    const again = await muster(`token revoke ${id}`);
    expect(again).toEqual({ code: 1, out: '', err: `muster: There is no token ${id} that still works\n` });
  });
});

describe('serve without any settings', () => {
  const data = join(folder, 'data');
  const env = { DATABASE_URL: undefined, MUSTER_DATA_DIR: data };
  const running: { child: ReturnType<typeof spawn>; ended: Promise<unknown> }[] = [];

  const start = (more: Env = {}) => {
    const child = spawn(process.execPath, [program], { cwd: folder, env: environment({ ...env, ...more }) });
    const said = { out: '', err: '' };
    child.stdout.on('data', (text) => (said.out += text));
    child.stderr.on('data', (text) => (said.err += text));
    const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
    running.push({ child, ended });
    return { child, said, ended };
  };
  const serve = async () => {
    const started = start();
    while (!started.said.out.includes('"listening"') && started.child.exitCode === null) await sleep(20);
    const found = (pattern: RegExp): string => pattern.exec(started.said.out)?.[1] ?? '';
    const file = found(/Token +kept in (\S+)/);
    const token = file && readFileSync(file, 'utf8').trim();
    return { ...started, url: found(/answers at (\S+)/), file, token, line: found(/Try +(curl .+)/), found };
  };
  const totalOf = async ({ url, token }: { url: string; token: string }): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ query: '{ contacts(first: 1) { totalCount } }' });
    return ((await (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).json()) as Json).data.contacts
      .totalCount;
  };

  afterAll(async () => {
    for (const { child, ended } of running) {
      child.kill('SIGTERM');
      await ended;
    }
  });

  it('leaves nothing running when its first start is broken off', async () => {
    const elsewhere = join(folder, 'elsewhere');
    const { child, said, ended } = start({ MUSTER_DATA_DIR: elsewhere });
    while (!(await findEmbedded(elsewhere)) && child.exitCode === null) await sleep(20);
    child.kill('SIGTERM');
    expect([await ended, await findEmbedded(elsewhere)]).toEqual([0, undefined]);
    expect(said.err).not.toContain('muster:');
  });

  it.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))(
    'shows the token once at a terminal: the first start does, the second tells where it is kept',
    async () => {
      const home = join(folder, 'terminal');
      const atTerminal = async (): Promise<string> => {
        const child = spawn('script', ['-qec', `${process.execPath} ${program}`, '/dev/null'], {
          cwd: folder,
          env: environment({ ...env, MUSTER_DATA_DIR: home }),
        });
        const ended = once(child, 'close');
        let said = '';
        child.stdout.on('data', (text) => (said += text));
        while (!said.includes('"listening"') && child.exitCode === null) await sleep(20);
        child.stdin.write('\u0003');
        await ended;
        return said;
      };
      const first = await atTerminal();
      const token = /Token +(\S+)/.exec(first)![1]!;
      expect(isToken(token)).toBe(true);
      expect(readFileSync(join(home, 'demo-token'), 'utf8').trim()).toBe(token);
      expect(first).toContain(`/graphql#token=${token}`);
      const second = await atTerminal();
      expect(second).not.toContain(token.slice(12));
      expect(second).toContain(`kept in ${join(home, 'demo-token')}`);
      expect(await findEmbedded(home)).toBeUndefined();
    },
  );

  it('starts a database, fills it, and says how to come in; later starts find all as it was', async () => {
    const first = await serve();
    expect([first.file, isToken(first.token)]).toEqual([join(data, 'demo-token'), true]);
    // Nobody reads it at a terminal here: what collects logs must not collect a token.
    expect(first.said.out + first.said.err).not.toContain(first.token.slice(12));
    expect(first.found(/Database +(.+)/)).toMatch(/^PostgreSQL 18\.\d+, embedded\. .*DATABASE_URL/);
    expect(statSync(first.file).mode & 0o777).toBe(0o600);
    expect(first.said.err).toMatch(/\d+ contacts, \d+ rows in/);
    expect(first.said.out.indexOf('curl')).toBeLessThan(first.said.out.indexOf('"listening"'));
    const page = await fetch(first.found(/GraphiQL +(\S+)/), { headers: { Accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    const { data: answer } = JSON.parse(execFileSync('bash', ['-c', first.line], { encoding: 'utf8' }));
    expect(answer.contacts.nodes).toHaveLength(3);
    expect(answer.viewer.user.firstname).toEqual(expect.any(String));
    const total = await totalOf(first);
    expect(total).toBeGreaterThan(9000);

    const { code, out } = await muster('token create --space 1 --user 1', env);
    expect([code, await totalOf({ url: first.url, token: out.trim() })]).toEqual([0, total]);
    first.child.kill('SIGTERM');
    expect([await first.ended, await findEmbedded(data)]).toEqual([0, undefined]);

    const second = await serve();
    expect([second.token, second.said.err, await totalOf(second)]).toEqual([first.token, '', total]);
    // PostgreSQL outlives it.
    second.child.kill('SIGKILL');
    expect(await second.ended).toBe('SIGKILL');
    expect(await findEmbedded(data)).toEqual(expect.any(String));

    const third = await serve();
    expect([third.token, third.said.err, await totalOf(third)]).toEqual([first.token, '', total]);

    // One token of the demo, and another that was asked for above. Once it is revoked no start makes one again.
    const tokens = async (): Promise<Json[]> =>
      (await muster('token list --json', env)).out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const [demo, ...others] = await tokens();
    expect([others.length, demo.prefix]).toEqual([1, first.token.slice(0, 12)]);
    expect(Date.parse(demo.expiresAt) - Date.parse(demo.createdAt)).toBeCloseTo(30 * 86_400_000, -4);
    expect((await muster(`token revoke ${demo.id}`, env)).code).toBe(0);
    third.child.kill('SIGTERM');
    expect([await third.ended, await findEmbedded(data)]).toEqual([0, undefined]);

    const fourth = await serve();
    expect([fourth.file, fourth.line, (await tokens()).length]).toEqual(['', '', 2]);
    expect(fourth.found(/Token +(.+)/)).toContain('npm run -s muster -- token create --space 1 --user 1 --expires 30d');
    expect(readFileSync(join(data, 'demo-token'), 'utf8').trim()).toBe(first.token);
    rmSync(join(data, 'demo-token'));
    fourth.child.kill('SIGTERM');
    expect(await fourth.ended).toBe(0);
    const fifth = await serve();
    expect([fifth.file, existsSync(join(data, 'demo-token')), (await tokens()).length]).toEqual(['', false, 2]);
    fifth.child.kill('SIGTERM');
    expect([await fifth.ended, await findEmbedded(data)]).toEqual([0, undefined]);
  });
});
