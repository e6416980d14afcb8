// The way in without settings: serve with the embedded server, its demo and its token.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findEmbedded } from '../../packages/embedded-server/server.ts';
import { isSecretForm } from '../../src/database/secret.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildCommandLine, type Env } from '../harness/command-line.ts';
import { createFolder } from '../harness/folders.ts';
import { waitUntil } from '../harness/waiting.ts';

vi.setConfig({ testTimeout: 120_000 });

let door: Door;
const { folder, program, environment, muster } = buildCommandLine(() => door.databaseUrl);

beforeAll(async () => {
  door = await openApp();
});

describe('serve without any settings', () => {
  const data = join(folder, 'data');
  const env = { DATABASE_URL: undefined, MUSTER_DATA_DIR: data };
  const running: { child: ReturnType<typeof spawn>; ended: Promise<unknown> }[] = [];

  const start = (more: Env = {}) => {
    const child = spawn(process.execPath, [program, 'serve'], { cwd: folder, env: environment({ ...env, ...more }) });
    const said = { out: '', err: '' };
    child.stdout.on('data', (text) => (said.out += text));
    child.stderr.on('data', (text) => (said.err += text));
    const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
    running.push({ child, ended });
    return { child, said, ended };
  };
  const serve = async (more: Env = {}) => {
    const started = start(more);
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

  it.runIf(process.getuid?.() === 0)(
    'names a disk that is full, last, and goes on when there is room',
    async (context) => {
      const disk = createFolder();
      chmodSync(disk, 0o755);
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=340m', 'tmpfs', disk]).status !== 0)
        context.skip('this machine mounts no file system');
      try {
        const place = { MUSTER_DATA_DIR: join(disk, 'data') };
        const first = start(place);
        await waitUntil('it creates its database', () => first.said.err.includes('first start'));
        // Somebody else takes the room meanwhile.
        writeFileSync(join(disk, 'other'), Buffer.alloc(250e6));
        expect(await first.ended).toBe(1);
        expect(first.said.err.trim().split('\n').at(-1)).toMatch(
          /^muster: The disk of \S+data\/pg is full: it has \d+ MB free, and a new database needs 300 MB\. Free some space, or set MUSTER_DATA_DIR /,
        );
        rmSync(join(disk, 'other'));
        const second = await serve(place);
        expect(await totalOf(second)).toBeGreaterThan(9000);
        second.child.kill('SIGTERM');
        expect(await second.ended).toBe(0);
      } finally {
        spawnSync('umount', ['--lazy', disk]);
      }
    },
  );

  it.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))(
    'shows at a terminal what it does, then where to go, with the token, at each start',
    async () => {
      const home = join(folder, 'terminal');
      const atTerminal = async (): Promise<string> => {
        const child = spawn('script', ['-qec', `${process.execPath} ${program} serve`, '/dev/null'], {
          cwd: folder,
          env: environment({ ...env, MUSTER_DATA_DIR: home }),
        });
        const ended = once(child, 'close');
        let said = '';
        child.stdout.on('data', (text) => (said += text));
        while (!said.includes('Ctrl-C') && child.exitCode === null) await sleep(20);
        child.stdin.write('\u0003');
        await ended;
        return said;
      };
      const first = await atTerminal();
      const token = /Token +(\S+)/.exec(first)![1]!;
      expect(isSecretForm('token', token)).toBe(true);
      expect(readFileSync(join(home, 'demo-token'), 'utf8').trim()).toBe(token);
      expect(first).toContain(`/graphql#token=${token}`);
      expect(first).toMatch(
        /Creating the PostgreSQL database[\s\S]*tables .*% \| \d+\/\d+ migrations[\s\S]*seeding[\s\S]*people in space 1[\s\S]*Muster answers at/,
      );
      expect(first).not.toContain('"level":30');
      const second = await atTerminal();
      expect(second).toContain(`/explore#token=${token}`);
      expect(second).toContain(`kept in ${join(home, 'demo-token')}`);
      expect(second).not.toMatch(/migrations|people in/);
      expect(await findEmbedded(home)).toBeUndefined();
    },
  );

  it('starts a database, fills it, and says how to come in; later starts find all as it was', async () => {
    const first = await serve();
    expect([first.file, isSecretForm('token', first.token)]).toEqual([join(data, 'demo-token'), true]);
    // Nobody reads it at a terminal here: what collects logs must not collect a token.
    expect(first.said.out + first.said.err).not.toContain(first.token.slice(12));
    expect(first.found(/Database +(.+)/)).toMatch(/^PostgreSQL 18\.\d+, embedded\. .*DATABASE_URL/);
    expect(statSync(first.file).mode & 0o777).toBe(0o600);
    const people = /([\d,]+) people in space 1, [\d,]+ rows in/.exec(first.said.err)![1];
    for (const page of ['README.md', 'docs/getting-started.md'])
      expect(readFileSync(page, 'utf8')).toContain(`${people} invented people`);
    expect(first.said.out.indexOf('curl')).toBeLessThan(first.said.out.indexOf('"listening"'));
    const page = await fetch(first.found(/GraphiQL +(\S+)/), { headers: { Accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    // The pages come from the bundle.
    const builder = await (await fetch(first.found(/Explore +(\S+)/), { headers: { Accept: 'text/html' } })).text();
    const script = await fetch(first.url + /src="([^"]+)"/.exec(builder)![1]);
    expect([script.status, await script.text()]).toEqual([200, expect.stringContaining('searchAttributes')]);
    const { data: answer } = JSON.parse(execFileSync('bash', ['-c', first.line], { encoding: 'utf8' }));
    expect(answer.contacts.nodes).toHaveLength(3);
    expect(answer.viewer.user.firstName).toEqual(expect.any(String));
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

    // One token of the demo for each of five users, and another that was asked for above. Once it is revoked no start makes one again.
    const tokens = async (): Promise<Json[]> =>
      (await muster('token list --json', env)).out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const [demo, ...others] = await tokens();
    expect([others.length, demo.prefix]).toEqual([5, first.token.slice(0, 12)]);
    expect(Date.parse(demo.expiresAt) - Date.parse(demo.createdAt)).toBeCloseTo(30 * 86_400_000, -4);
    expect((await muster(`token revoke ${demo.id}`, env)).code).toBe(0);
    third.child.kill('SIGTERM');
    expect([await third.ended, await findEmbedded(data)]).toEqual([0, undefined]);

    const fourth = await serve();
    expect([fourth.file, fourth.line, (await tokens()).length]).toEqual(['', '', 6]);
    expect(fourth.found(/Token +(.+)/)).toContain('npm run -s muster -- token create --space 1 --user 1 --expires 30d');
    expect(readFileSync(join(data, 'demo-token'), 'utf8').trim()).toBe(first.token);
    rmSync(join(data, 'demo-token'));
    fourth.child.kill('SIGTERM');
    expect(await fourth.ended).toBe(0);
    const fifth = await serve();
    expect([fifth.file, existsSync(join(data, 'demo-token')), (await tokens()).length]).toEqual(['', false, 6]);
    fifth.child.kill('SIGTERM');
    expect([await fifth.ended, await findEmbedded(data)]).toEqual([0, undefined]);
  });
});
