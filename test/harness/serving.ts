// Runs `serve` as a process: starts it with settings, sends it requests over HTTP, and reads its log.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type pg from 'pg';
import { Database } from '../../src/database/database.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import type { Json } from './app.ts';
import { cleanUpAfterTest } from './cleanup.ts';
import { buildProgram } from './program.ts';
import { waitUntil } from './waiting.ts';

const { folder, program } = buildProgram();
/** Runs the same as `npm start`. */
export const programFolder = folder;
const children: ChildProcess[] = [];
cleanUpAfterTest(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

export const createToken = async (url: string, space = 1, user = 1): Promise<string> => {
  const database = new Database(url, { poolSize: 1 });
  return createAccessToken(database, space, user).finally(() => database.close());
};

/** Locks a contact of space 1 until the transaction of `client` ends: every writer of this note waits, each with a connection. */
export const lockContact = async (client: pg.Client) => {
  await client.query('begin');
  const { rows } = await client.query(
    'select id from contacts where group_id = 1 and deleted_at is null order by id limit 1 for update',
  );
  return { path: `/v1/contacts/${rows[0].id}/notes`, note: { content: 'Held', pinned: false } };
};

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

/**
 * Starts `serve` with these settings and options, and waits until it answers or ends. Its standard output may go to a file descriptor instead; the
 * output is then not available here, so the settings must name the port.
 */
export const spawnServer = async (
  env: Record<string, string>,
  options: string[] = [],
  output: number | 'pipe' = 'pipe',
) => {
  const child = spawn(process.execPath, [program, 'serve', ...options], {
    cwd: folder,
    stdio: ['ignore', output, 'pipe'],
    env: { PATH: process.env.PATH, PORT: '0', BUCKET_CAPACITY: '1000000', BUCKET_REFILL: '1000000', ...env },
  });
  children.push(child);
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  const said = { out: '', err: '' };
  child.stdout?.on('data', (data) => (said.out += data));
  child.stderr!.on('data', (data) => (said.err += data));
  const address = () =>
    output === 'pipe' ? /Muster answers at (\S+)/.exec(said.out)?.[1] : `http://localhost:${env.PORT}`;
  const answers = async () =>
    output === 'pipe'
      ? address()
      : fetch(`${address()}/health/live`).then(
          ({ ok }) => ok,
          () => false,
        );
  await waitUntil('it answers', async () => (await answers()) || child.exitCode !== null, 50_000);
  const url = address();
  /** Lines of the log, as objects. */
  const logged = (): Json[] =>
    said.out
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  /** One request over a new connection, so that any worker may get it. */
  const ask = async (
    bearer: string,
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Answer> => {
    if (!url) throw new Error(`The server has not started: ${said.err}`);
    const json = { 'Content-Type': 'application/json' };
    const response = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, ...json, Connection: 'close', ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  };
  return { child, ended, said, url: url ?? '', logged, ask };
};
export type Serving = Awaited<ReturnType<typeof spawnServer>>;
