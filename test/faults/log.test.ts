// A server that cannot write its log: on a full disk, to a pipe that nobody reads, or to a reader that is gone.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Json } from '../harness/app.ts';
import { createDatabase } from '../harness/app.ts';
import { createToken, type Serving, spawnServer } from '../harness/serving.ts';
import { isThorough } from '../harness/sizes.ts';
import { waitUntil } from '../harness/waiting.ts';
import { mountSmallDisk } from './small-disk.ts';

vi.setConfig({ testTimeout: 60_000 });

let databaseUrl: string;
let token: string;
beforeAll(async () => {
  databaseUrl = await createDatabase();
  token = await createToken(databaseUrl);
});

const drainSeconds = 1;

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });

const tempFolder = (): string => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'muster-log-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Sends this many requests, 20 at a time over kept connections. Each response must be right. */
const askMany = async ({ url }: Serving, count: number, path = '/health/live'): Promise<void> => {
  const right = path === '/users/1' ? { data: { user: { id: 1 } } } : { status: 'ok' };
  let asked = 0;
  const askOn = async (): Promise<void> => {
    while (asked++ < count) {
      const response = await fetch(url + path, {
        headers: { Authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(20_000),
      });
      expect([response.status, await response.json()]).toMatchObject([200, right]);
    }
  };
  await Promise.all(Array.from({ length: 20 }, askOn));
};

/** The time from SIGTERM to the end, which must be clean. */
const stop = async ({ child, ended }: Serving): Promise<number> => {
  const before = performance.now();
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  return performance.now() - before;
};

/** Lines of the log as objects. A line that is not JSON was torn, or is not of the log. */
const parse = (text: string): Json[] =>
  text.split('\n').flatMap((line) => {
    try {
      return line.startsWith('{') ? [JSON.parse(line)] : [];
    } catch {
      return [];
    }
  });
const countDropped = (lines: Json[]): number => lines.reduce((sum, { dropped = 0 }) => sum + dropped, 0);

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('%s', (_, options) => {
  const start = async (output: number | 'pipe'): Promise<Serving> => {
    const env = { DATABASE_URL: databaseUrl, DRAIN_SECONDS: String(drainSeconds), PORT: String(await freePort()) };
    const server = await spawnServer(env, options, output);
    expect(server.child.exitCode, server.said.err).toBe(null);
    return server;
  };

  it.runIf(fs.existsSync('/dev/full'))('continues while the disk of the log is full', async () => {
    const server = await start(fs.openSync('/dev/full', 'w'));
    await askMany(server, 500);
    await askMany(server, 500, '/users/1');
    expect(await stop(server)).toBeLessThan((drainSeconds + 2) * 1000);
    expect(server.said.err).toBe('');
  });

  // Workers share the pipe.
  it.runIf(process.platform === 'linux' && (isThorough || options.length > 0))(
    'continues, and ends, while nobody reads the pipe of the log',
    async () => {
      const pipe = join(tempFolder(), 'pipe');
      execFileSync('mkfifo', [pipe]);
      const ours = fs.openSync(pipe, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
      const theirs = fs.openSync(pipe, 'w');
      const server = await start(theirs);
      fs.closeSync(theirs);
      const asked = 12_000;
      await askMany(server, asked);

      // Then somebody reads: the lines that were kept arrive whole, and the dropped ones are counted.
      let said = '';
      const buffer = Buffer.alloc(65_536);
      const read = (): void => {
        try {
          for (let count = 1; count > 0; ) {
            count = fs.readSync(ours, buffer);
            said += buffer.toString('latin1', 0, count);
          }
        } catch (error) {
          expect((error as NodeJS.ErrnoException).code).toBe('EAGAIN');
        }
      };
      let known: Json[] = [];
      await waitUntil('each request is in the log, or counted', async () => {
        await fetch(`${server.url}/health/ready`);
        read();
        known = parse(said);
        return known.filter(({ route }) => route === '/health/live').length + countDropped(known) >= asked;
      });
      expect(countDropped(known)).toBeGreaterThan(0);
      expect(
        known.filter(({ dropped }) => dropped).every(({ level, reason }) => level === 40 && reason === 'unread'),
      ).toBe(true);
      // No line was torn, or mixed with one of another worker. The last lines may still be on their way.
      const lines = said.split('\n').slice(0, -1);
      expect(lines.filter((line) => line.startsWith('{')).length).toBe(known.length);
      const others = lines.filter((line) => !line.startsWith('{'));
      // It may be among the dropped lines.
      expect(others.filter((line) => !line.startsWith('Muster answers at'))).toEqual([]);
      expect(others.length).toBeLessThan(2);

      // Nobody reads any more.
      await askMany(server, 1000);
      expect(await stop(server)).toBeLessThan((drainSeconds + 2) * 1000);
      fs.closeSync(ours);
    },
  );

  it('continues, and ends, when the reader of the log is gone', async () => {
    const server = await start('pipe');
    server.child.stdout!.destroy();
    server.child.stderr!.destroy();
    await askMany(server, 500);
    await askMany(server, 500, '/users/1');
    expect(await stop(server)).toBeLessThan((drainSeconds + 2) * 1000);
  });

  it('reports how many lines are missing when the disk has space again', async (context) => {
    const place = tempFolder();
    mountSmallDisk(context, place, '256k');
    const file = join(place, 'log');
    const server = await start(fs.openSync(file, 'a'));
    const other = join(place, 'other');
    fs.writeFileSync(other, Buffer.alloc(200 * 1024));
    await askMany(server, 2000);
    await sleep(200);
    const full = fs.statSync(file).size;
    expect(full).toBeGreaterThan(10_000);
    await askMany(server, 1000);
    expect(fs.statSync(file).size).toBe(full);

    fs.rmSync(other);
    await askMany(server, 100);
    await stop(server);
    const text = fs.readFileSync(file, 'utf8');
    const lines = parse(text);
    const notices = lines.filter(({ msg }) => msg === 'lines of the log were dropped');
    expect(notices.length).toBeGreaterThan(0);
    for (const notice of notices)
      expect(notice).toMatchObject({
        level: 40,
        time: expect.any(String),
        dropped: expect.any(Number),
        reason: 'ENOSPC',
      });
    // The server was asked a few times more until it answered.
    const requests = lines.filter(({ route }) => route === '/health/live').length;
    expect(requests).toBeGreaterThan(100);
    const counted = requests + countDropped(lines);
    expect([counted >= 3100, counted < 3110]).toEqual([true, true]);
  });
});
