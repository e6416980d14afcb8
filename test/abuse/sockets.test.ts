// Requests as bytes over a socket: bodies that are cut off, and invalid hosts. All are errors of the client, and reported as such.
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { limits } from '../../src/limits/limits.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { createDatabase, type Json } from '../harness/app.ts';
import { createToken } from '../harness/serving.ts';
import { waitUntil } from '../harness/waiting.ts';

let server: RunningServer;
let token: string;
const logged: Json[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  const url = await createDatabase();
  token = await createToken(url);
  const write = (text: string): void => {
    const line: Json = JSON.parse(text);
    // A job that gets no connection on a busy machine says nothing about requests.
    if (line.msg !== 'job') logged.push(line);
  };
  const log = pino({ level: 'info', base: null }, { write });
  const config = readConfig({ PORT: '0', BUCKET_CAPACITY: '1000000', BUCKET_REFILL: '1000000' });
  server = await startServer(config, url, log);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.stop();
});

/** Sends bytes, then ends its own side or resets; returns what the server sends until it closes or goes silent. */
const send = async (bytes: string, after: 'end' | 'destroy' | 'wait' = 'wait'): Promise<string> => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  sockets.push(socket);
  let answer = '';
  socket.on('data', (data) => (answer += data)).on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  await new Promise((resolve) => socket.write(bytes, resolve));
  if (after === 'end') socket.end();
  // The request is in progress before it is cut off.
  if (after === 'destroy') setTimeout(() => socket.destroy(), 50);
  if (after === 'wait')
    await waitUntil('there is an answer', () => /\r\n\r\n[\s\S]*\}|\r\n\r\n0/.test(answer) || socket.closed);
  else await waitUntil('the socket is closed', () => socket.closed);
  return answer;
};

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const problemIn = (answer: string): Json => JSON.parse(/\{[\s\S]*\}/.exec(answer)![0]);
/** The lines that are logged while `work` runs, and until there are this many. */
const loggedWhile = async (lines: number, work: () => Promise<unknown>): Promise<Json[]> => {
  const from = logged.length;
  await work();
  await waitUntil('it is logged', () => logged.length >= from + lines);
  return logged.slice(from);
};

describe('a body that is cut off', () => {
  const head = (path: string, framing: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
  const framings: [string, string, string][] = [
    ['with a length', 'Content-Length: 1000', '{"kind":'],
    ['in chunks', 'Transfer-Encoding: chunked', '8\r\n{"kind":\r\n'],
    ['in the middle of a chunk', 'Transfer-Encoding: chunked', '400\r\n{"kind":'],
    ['before its first byte', 'Transfer-Encoding: chunked', ''],
  ];
  for (const path of ['/contacts/upsert', '/graphql'])
    for (const after of ['end', 'destroy'] as const)
      it.each(
        framings,
      )(`${path}, %s, by ${after}: is 400 in the log, and no internal error`, async (_, framing, body) => {
        const lines = await loggedWhile(1, () => send(head(path, framing) + body, after));
        expect(lines).toMatchObject([{ level: 30, status: 400, route: `POST ${path}` }]);
      });

  it('with invalid chunks: is 400', async () => {
    const answer = await send(`${head('/contacts/upsert', 'Transfer-Encoding: chunked')}zz\r\n{}\r\n`, 'end');
    expect(statusOf(answer)).toBe(400);
    expect(logged.filter(({ level }) => level > 30)).toEqual([]);
  });
});

describe('the Host header', () => {
  const get = (version: string, ...hosts: string[]): Promise<string> =>
    send(
      `GET /roles HTTP/${version}\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}Authorization: Bearer ${token}\r\n\r\n`,
    );

  it.each([
    ['twice', ['localhost', 'localhost']],
    ['twice, different', ['localhost', 'evil.example']],
    ['missing', []],
    ['empty', ['']],
    ['with a blank', ['a b']],
    ['with a slash', ['x/y']],
    ['@', ['@']],
    ['with a user', ['user@localhost']],
    ['with a query', ['x?y']],
    ['with a fragment', ['x#y']],
    ['with a backslash', ['x\\y']],
    ['with a comma', ['a,b']],
    ['with an invalid port', ['localhost:port']],
    ['with a port that is too large', ['localhost:99999']],
    ['an invalid address', ['[::1']],
    ['an address out of bounds', ['1.2.3.999']],
    ['other letters', ['l\u00f6calhost']],
  ])('%s: is 400, as a problem that names it', async (_, hosts) => {
    const answer = await get('1.1', ...hosts);
    expect(statusOf(answer), answer).toBe(400);
    expect(answer).toMatch(/content-type: application\/problem\+json/i);
    const problem = problemIn(answer);
    expect(problem).toMatchObject({
      status: 400,
      title: 'Invalid request',
      type: 'urn:muster:problem:invalid-request',
    });
    expect(problem.errors).toMatchObject([{ location: expect.stringMatching(/^(header\.Host|url)$/) }]);
    const lines = () => logged.filter(({ id }) => id === problem.instance.replace('urn:uuid:', ''));
    await waitUntil('it is logged', () => lines().length > 0);
    expect(lines()).toMatchObject([{ level: 30, status: 400 }]);
  });

  // Whether it is a name depends on the version of Node.
  it('a name that cannot be decoded: is 400 or answered, as Node reads it', async () => {
    expect(statusOf(await get('1.1', 'xn--a'))).toBe(URL.canParse('http://xn--a') ? 200 : 400);
  });

  it.each([
    ['a name', '1.1', ['muster.example.org']],
    ['a name and a port', '1.1', ['MUSTER.example.org:8080']],
    ['an address', '1.1', ['127.0.0.1:4000']],
    ['an IPv6 address', '1.1', ['[::1]:4000']],
    ['a name with an underscore', '1.1', ['muster_web:4000']],
    ['missing in HTTP/1.0', '1.0', []],
  ])('%s: is answered', async (_, version, hosts) => {
    expect(statusOf(await get(version, ...hosts))).toBe(200);
  });

  it.each([
    '*',
    'roles',
    'http://',
    'http://a b/',
    'ftp://localhost/roles',
  ])('an invalid target, %s: is refused, and causes no internal error', async (target) => {
    const answer = await send(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    expect(statusOf(answer), answer).toBe(400);
    expect(logged.filter(({ level }) => level > 30)).toEqual([]);
  });
});

describe('headers behind many others', () => {
  const signed = 'Host: localhost\r\nAuthorization: Bearer TOKEN\r\n';
  const type = 'Content-Type: application/json\r\n';
  const body = '{"data":{"contact":{"surname":"Seen"}}}';
  const patch = (others: number): Promise<string> =>
    send(
      `PATCH /contacts/1 HTTP/1.1\r\n${signed.replace('TOKEN', token)}${type}Content-Length: ${body.length}\r\n${'a:\r\n'.repeat(others)}If-Match: "999999"\r\n\r\n${body}`,
    );

  it('count', async () => expect(statusOf(await patch(limits.connection.headers - 5))).toBe(412));

  it('are not dropped: one more is refused', async () => {
    const answer = await patch(limits.connection.headers - 4);
    expect([statusOf(answer), problemIn(answer).errors]).toEqual([
      400,
      [{ location: 'header', message: 'must be 1999 headers at most' }],
    ]);
  });

  // By their number or by their bytes: Node counts the colons and line ends of a header from version 22 on.
  it.each([3000, 15_000])('are not dropped: %i others are refused', async (others) =>
    expect([400, 431]).toContain(statusOf(await patch(others))));
});
