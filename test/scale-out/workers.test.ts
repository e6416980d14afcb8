// `serve --workers`: processes that share one port and one bucket, are replaced when they die, and end together.
import fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { divideByWorkers, readConfig } from '../../src/config/config.ts';
import { createDatabase } from '../harness/app.ts';
import { findFreePort } from '../harness/free-port.ts';
import { createToken, lockContact, type Serving, spawnServer } from '../harness/serving.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { isThorough } from '../harness/sizes.ts';
import { waitUntil } from '../harness/waiting.ts';

vi.setConfig({ testTimeout: 60_000 });

let databaseUrl: string;
let token: string;
beforeAll(async () => {
  databaseUrl = await createDatabase();
  token = await createToken(databaseUrl);
});

const launchTwo = (env: Record<string, string> = {}) =>
  spawnServer({ DATABASE_URL: databaseUrl, ...env }, ['--workers', '2']);

/** The process ids of the workers, by their parent. */
const pidsOf = async ({ child }: Serving): Promise<number[]> => {
  const text = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
};
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Which workers answered, by the log. */
const listAnswering = (server: Serving): Set<number> =>
  new Set(server.logged().flatMap(({ route, worker }) => (route ? [worker] : [])));
const askMany = async (server: Serving, count: number, bearer = token): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, async () => (await server.ask(bearer, 'GET', '/users/1')).status));
/** Sends requests until both have answered: the kernel gives a connection to the worker that is free first. None may be refused. */
const askBoth = (server: Serving, bearer: string): Promise<void> =>
  waitUntil('both answer', async () => {
    expect(new Set(await askMany(server, 10, bearer))).toEqual(new Set([200]));
    return listAnswering(server).size === 2;
  });

const createAction = async (server: Serving, name: string): Promise<string> => {
  const query = `mutation { createAction(input: { name: "${name}" }) { action { id } } }`;
  const { body } = await server.ask(token, 'POST', '/graphql', { query });
  return body.data.createAction.action.id;
};

/** Follows the actions of the space over a connection of its own; `text` is what has come. */
const openStream = async (server: Serving) => {
  const aborting = new AbortController();
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'text/event-stream',
      Connection: 'close',
    },
    body: JSON.stringify({ query: 'subscription { changes(filter: { types: [ACTION] }) { recordId } }' }),
    signal: aborting.signal,
  });
  const state = { text: '', close: () => aborting.abort() };
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) state.text += decoder.decode(chunk as Uint8Array, { stream: true });
  };
  read().catch(() => {});
  return state;
};

/** Blocks writers of a contact, each with a connection; `until` waits for so many of them. */
const holdContact = async (server: Serving) => {
  const [client, watch] = [await openSession(databaseUrl), await openSession(databaseUrl)];
  const { path, note } = await lockContact(client);
  const write = async (): Promise<number> => (await server.ask(token, 'POST', path, note)).status;
  return {
    writeMany: (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, write)),
    waiting: () => countWaiting(watch),
    until: (count: number) => waitUntil(`${count} wait`, async () => (await countWaiting(watch)) === count),
    release: () => client.query('rollback'),
  };
};

describe.skipIf(process.platform !== 'linux')('two workers', () => {
  it('both answer on one port, each with its share of the connections', async () => {
    const server = await launchTwo({ POOL_SIZE: '11' });
    expect(await pidsOf(server)).toHaveLength(2);
    const contact = await holdContact(server);
    const answers: Promise<number[]>[] = [];
    // With eleven connections each worker gets six, of which three write, two of them for one space. Writes are added until both have enough: the
    // kernel may give one worker most of the connections.
    await waitUntil('4 wait', async () => {
      if (answers.length < 20) answers.push(contact.writeMany(10));
      await sleep(100);
      return (await contact.waiting()) === 4;
    });
    answers.push(contact.writeMany(10));
    await sleep(200);
    expect(await contact.waiting()).toBe(4);
    await contact.release();
    expect(new Set((await Promise.all(answers)).flat())).toEqual(new Set([201]));
    await waitUntil('both are in the log', () => listAnswering(server).size === 2);
  });

  it('share one bucket exactly', async () => {
    const server = await launchTwo({ BUCKET_CAPACITY: '100', BUCKET_REFILL: '0.001' });
    await resetBucket();
    const statuses = await askMany(server, 300);
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(200);
    await waitUntil('both are in the log', () => listAnswering(server).size === 2);
  });

  it('both send what either has written to their streams, once', async () => {
    const server = await launchTwo();
    const streams = await Promise.all(Array.from({ length: 8 }, () => openStream(server)));
    await waitUntil('all have begun', async () => {
      await createAction(server, 'Begin');
      return streams.every(({ text }) => text.includes('event: next'));
    });
    const written = await Promise.all(
      Array.from({ length: 10 }, (_, number) => createAction(server, `Sent ${number}`)),
    );
    await waitUntil('all have all', () => streams.every(({ text }) => written.every((id) => text.includes(`"${id}"`))));
    for (const { text } of streams) {
      const sent = [...text.matchAll(/"recordId":"([^"]+)"/g)].map(([, id]) => id!);
      expect(sent.filter((id) => written.includes(id)).sort()).toEqual([...written].sort());
    }
    expect(listAnswering(server).size).toBe(2);
    for (const { close } of streams) close();
  });

  it('one that is killed is replaced, and nobody is refused after that', async () => {
    const server = await launchTwo();
    const before = await pidsOf(server);
    process.kill(before[0]!, 'SIGKILL');
    await waitUntil('another worker exists', async () => {
      const now = await pidsOf(server);
      return now.length === 2 && !now.includes(before[0]!);
    });
    // Its process exists before it listens; until then the other answers alone.
    expect(new Set(await askMany(server, 40))).toEqual(new Set([200]));
    await waitUntil('the new one answers', async () => {
      await askMany(server, 4);
      return listAnswering(server).has(3);
    });
    expect(new Set(await askMany(server, 40))).toEqual(new Set([200]));
    expect(server.logged()).toContainEqual(
      expect.objectContaining({ msg: 'worker ended', worker: 1, signal: 'SIGKILL' }),
    );
  });

  it.each([
    'SIGTERM',
    'SIGINT',
  ] as const)('%s ends them all, after they have answered their requests', async (signal) => {
    const server = await launchTwo({ POOL_SIZE: '28' });
    const pids = await pidsOf(server);
    const contact = await holdContact(server);
    const answers = contact.writeMany(6);
    await contact.until(6);
    // A terminal sends the signal to all processes at once.
    for (const pid of signal === 'SIGINT' ? [...pids, server.child.pid!] : [server.child.pid!])
      process.kill(pid, signal);
    await sleep(300);
    await contact.release();
    expect(new Set(await answers)).toEqual(new Set([201]));
    expect(await server.ended).toBe(0);
    expect(pids.filter(isRunning)).toEqual([]);
  });

  it('a second signal ends them all at once', async () => {
    const server = await launchTwo();
    const pids = await pidsOf(server);
    const contact = await holdContact(server);
    const answer = contact.writeMany(1).catch(() => 'cut');
    await contact.until(1);
    server.child.kill('SIGTERM');
    await waitUntil('it stops', () => server.logged().some(({ msg }) => msg === 'stopping'));
    // Within a second it would count as the same signal.
    await sleep(1100);
    server.child.kill('SIGTERM');
    expect([await server.ended, await answer]).toEqual([1, 'cut']);
    await waitUntil('the workers are gone', () => pids.filter(isRunning).length === 0);
  });

  it('that cannot be replaced end the whole server', async () => {
    const server = await launchTwo();
    while (server.child.exitCode === null) {
      // Each is killed before it listens.
      for (const pid of await pidsOf(server).catch(() => []))
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      await sleep(20);
    }
    expect(await server.ended).toBe(1);
  });

  it('do not outlive the process that started them', async () => {
    const server = await launchTwo();
    const pids = await pidsOf(server);
    server.child.kill('SIGKILL');
    await waitUntil('the workers are gone', () => pids.filter(isRunning).length === 0);
  });
});

const resetBucket = async (): Promise<void> => {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('delete from rate_buckets');
  await client.end();
};

describe('a start with workers', () => {
  // Another test has two first starts at once, one of them with workers.
  it.runIf(isThorough)('without a database starts one for all of them, and stops it after them', async () => {
    const data = fs.mkdtempSync(join(tmpdir(), 'muster-workers-'));
    onTestFinished(() => fs.rmSync(data, { recursive: true, force: true }));
    const server = await spawnServer({ MUSTER_DATA_DIR: data, WORKERS: '2' });
    const shown = fs.readFileSync(join(data, 'demo-token'), 'utf8').trim();
    await askBoth(server, shown);
    const postmaster = Number(fs.readFileSync(join(data, 'pg/postmaster.pid'), 'utf8').split('\n')[0]);
    expect(isRunning(postmaster)).toBe(true);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    await waitUntil('the database is gone', () => !isRunning(postmaster), 2000);
  });

  it('that is stopped while others of them start drains those that answer', async () => {
    const env = { DATABASE_URL: databaseUrl, PORT: String(await findFreePort()) };
    // Without its output, the harness does not wait until it says that it listens.
    const server = await spawnServer(env, ['--workers', '4'], fs.openSync('/dev/null', 'w'));
    const contact = await holdContact(server);
    const answer = contact.writeMany(1);
    await contact.until(1);
    server.child.kill('SIGTERM');
    await sleep(300);
    await contact.release();
    expect([await answer, await server.ended]).toEqual([[201], 0]);
  });

  it('that cannot listen reports the reason, once, and ends', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await waitUntil('it listens', () => taken.listening);
    const { port } = taken.address() as { port: number };
    const server = await spawnServer({ DATABASE_URL: databaseUrl, PORT: String(port), WORKERS: '3' });
    expect(await server.ended).toBe(1);
    expect(server.said.err.match(new RegExp(`Port ${port} on 127.0.0.1 is in use`, 'g'))).toHaveLength(1);
  });

  it.each(['0', '-1', 'many', '1.5'])('of %s is wrong usage', async (count) => {
    const server = await spawnServer({ DATABASE_URL: databaseUrl }, ['--workers', count]);
    expect(await server.ended).toBe(2);
    expect(server.said.err).toContain('must be a whole number from 1 to 128');
  });
});

describe('the share of a worker', () => {
  const config = readConfig({});

  it('is everything for a single worker, and rounded up for several', () => {
    expect(divideByWorkers(config, 1)).toEqual({ POOL_SIZE: 10, SEARCH_POOL_SIZE: 4, SEARCHES_PER_SPACE: 2 });
    expect(divideByWorkers(config, 3)).toEqual({ POOL_SIZE: 4, SEARCH_POOL_SIZE: 2, SEARCHES_PER_SPACE: 1 });
  });

  it('is never too small to work with, and never more than there is', () => {
    expect(divideByWorkers(config, 64)).toEqual({ POOL_SIZE: 4, SEARCH_POOL_SIZE: 2, SEARCHES_PER_SPACE: 1 });
    const small = readConfig({ POOL_SIZE: '2', SEARCH_POOL_SIZE: '1' });
    expect(divideByWorkers(small, 8)).toEqual({ POOL_SIZE: 2, SEARCH_POOL_SIZE: 1, SEARCHES_PER_SPACE: 1 });
  });
});
