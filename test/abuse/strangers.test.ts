// Requests without a valid token cost little: no body is read, no document parsed or cached, and guessing is throttled.
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAddressReader } from '../../src/config/client-address.ts';
import { generateSecret } from '../../src/database/secret.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { createDocumentCache } from '../../src/graphql/documents.ts';
import { limits } from '../../src/limits/limits.ts';
import { createClient, type Door, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

let lastAddress = 0;
let address: string;
beforeEach(() => {
  lastAddress += 1;
  address = `192.0.2.${lastAddress}`;
});

const { badTokens } = limits.connection;

/** A body that records whether anybody read it. */
const watchedBody = () => {
  const seen = { read: false };
  const stream = new ReadableStream(
    {
      pull(controller) {
        seen.read = true;
        controller.enqueue(new TextEncoder().encode('{}'));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { seen, stream };
};

const post = (path: string, token: string | null, body: BodyInit, from = address): Promise<Response> =>
  door.app.fetch(
    new Request(`http://muster.test${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token !== null && { Authorization: `Bearer ${token}` }) },
      body,
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    } as RequestInit),
    createClient(from),
  );
const ask = (token: string | null, from = address): Promise<Response> =>
  post('/graphql', token, JSON.stringify({ query: '{ viewer { space { id } } }' }), from);

const revokedToken = async (): Promise<string> => {
  const token = await door.token(1, 2);
  expect((await ask(token)).status).toBe(200);
  await door.sql('update tokens set revoked_at = now() where user_id = 2');
  expect((await ask(token)).status).toBe(401);
  return token;
};

describe('a request without a valid token', () => {
  it.each(['/graphql', '/search', '/contacts'])('does not have its body read at %s', async (path) => {
    for (const token of [null, 'nonsense', generateSecret('token')]) {
      const { seen, stream } = watchedBody();
      const response = await post(path, token, stream);
      expect([response.status, seen.read]).toEqual([401, false]);
    }
  });

  it('includes one whose token was revoked after it was used', async () => {
    const token = await revokedToken();
    const { seen, stream } = watchedBody();
    expect([(await post('/graphql', token, stream)).status, seen.read]).toEqual([401, false]);
  });

  it('has nothing cached, however long and many the names of operations', async () => {
    const body = JSON.stringify({ query: '{ viewer { space { id } } }', operationName: 'x'.repeat(1_000_000) });
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 200; count++) expect((await post('/graphql', null, body)).status).toBe(401);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 * 1024);
  });
});

describe('a document', () => {
  it('is paid for before it is parsed', async () => {
    const poor = await openApp({ BUCKET_CAPACITY: 100, BUCKET_REFILL: 0.001 });
    expect((await poor.graphql('{ viewer { space { id } } }')).status).toBe(200);
    await poor.sql('update rate_buckets set tokens = 0, refilled_at = now()');
    const tooLong = `{ ${'viewer { space { id } } '.repeat(600)} }`;
    expect((await poor.graphql(tooLong)).status).toBe(429);
    await poor.sql('update rate_buckets set tokens = 10, refilled_at = now()');
    const { status, body } = await poor.graphql(tooLong);
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'query-too-large']);
  });

  it('has a name of bounded length', async () => {
    const named = (length: number) =>
      door.rest('POST', '/graphql', {
        query: '{ viewer { space { id } } }',
        operationName: 'x'.repeat(length),
      });
    const { operationNameCharacters: most } = limits.document;
    const over = await named(most + 1);
    expect([over.status, over.body.errors[0].message]).toEqual([
      400,
      `operationName has ${most + 1} characters; at most ${most} are allowed`,
    ]);
    expect((await named(most)).body.errors[0].message).toMatch(/operation/i);
  });

  it('is cached within bounds of memory, the least recently used evicted first', () => {
    const cache = createDocumentCache<object>();
    const first = {};
    cache.set('first', first);
    for (let count = 0; count < 1000; count++) {
      cache.set(`${count} ${'x'.repeat(15_000)}`, {});
      expect(cache.get('first')).toBe(first);
    }
    expect(cache.get(`0 ${'x'.repeat(15_000)}`)).toBeUndefined();
    expect(cache.bytes).toBeLessThanOrEqual(32 * 1024 * 1024);
  });
});

describe('bad tokens from one address', () => {
  it(`are looked up ${badTokens} times a minute, and then get 429 before any lookup`, async () => {
    const good = await door.token(1, 1);
    expect((await ask(good)).status).toBe(200);
    for (let count = 0; count < badTokens; count++) expect((await ask(generateSecret('token'))).status).toBe(401);
    const statements = await door.statements(async () => {
      const refused = await ask(generateSecret('token'));
      expect(refused.status).toBe(429);
      expect((await refused.json()).errors[0].extensions.code).toBe('too-many-bad-tokens');
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(50);
      expect(wait).toBeLessThanOrEqual(60);
    });
    expect(statements).toEqual([]);
    expect((await post('/search', generateSecret('token'), '{}')).headers.get('content-type')).toBe(
      'application/problem+json',
    );
    expect((await ask(good)).status).toBe(200);
    expect((await ask(generateSecret('token'), '198.51.100.1')).status).toBe(401);
  });

  it('count even when malformed, and a request without a token does not count', async () => {
    for (let count = 0; count < 2 * badTokens; count++) expect((await ask(null)).status).toBe(401);
    for (let count = 0; count < badTokens; count++) expect((await ask('nonsense')).status).toBe(401);
    expect((await ask('nonsense')).status).toBe(429);
    expect((await ask(null)).status).toBe(401);
  });

  it('have the same limit when they arrive at once', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(generateSecret('token'))));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(badTokens);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100 - badTokens);
  });

  it('do not include valid ones, however many are new at once', async () => {
    const tokens = await Promise.all(Array.from({ length: 60 }, () => createAccessToken(door.database, 1, 1)));
    const answers = await Promise.all(tokens.map((token) => ask(token)));
    expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 200));
  });

  it('are forgotten after a minute', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      for (let count = 0; count < badTokens; count++) await ask('nonsense');
      expect((await ask('nonsense')).status).toBe(429);
      vi.advanceTimersByTime(60_001);
      expect((await ask('nonsense')).status).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  it('are counted per network for IPv6', async () => {
    for (let count = 0; count < badTokens; count++) await ask('nonsense', `2001:db8:0:1::${count.toString(16)}`);
    expect((await ask('nonsense', '2001:db8:0:1:ffff::1')).status).toBe(429);
    expect((await ask('nonsense', '2001:db8:0:2::1')).status).toBe(401);
  });
});

describe('the address of a client', () => {
  const direct = createAddressReader([]);
  const behind = createAddressReader(['10.0.0.0/8', '2001:db8::1', '127.0.0.1']);

  it.each([
    [direct, '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    [direct, '::ffff:203.0.113.9', undefined, '203.0.113.9'],
    [behind, '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    [behind, '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    [behind, '::ffff:10.1.2.3', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    [behind, '127.0.0.1', '6.6.6.6, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    [behind, '2001:db8::1', '2001:db8:5::7', '2001:db8:5::7'],
    [behind, '10.1.2.3', 'unknown, 10.9.9.9', '10.9.9.9'],
    [behind, '10.1.2.3', '', '10.1.2.3'],
    [behind, '10.1.2.3', undefined, '10.1.2.3'],
    [behind, undefined, '198.51.100.1', ''],
    // The forms that proxies write.
    [behind, '10.1.2.3', '198.51.100.1:5678', '198.51.100.1'],
    [behind, '10.1.2.3', '6.6.6.6, 198.51.100.1:5678,10.9.9.9:80', '198.51.100.1'],
    [behind, '10.1.2.3', '[2001:db8:5::7]', '2001:db8:5::7'],
    [behind, '10.1.2.3', '[2001:db8:5::7]:443', '2001:db8:5::7'],
    [behind, '10.1.2.3', '"[2001:db8:5::7]:443"', '2001:db8:5::7'],
    [behind, '10.1.2.3', '"198.51.100.1"', '198.51.100.1'],
    [behind, '10.1.2.3', '2001:DB8:5:0:0::7', '2001:db8:5::7'],
    [behind, '10.1.2.3', '[::FFFF:198.51.100.1]:9', '198.51.100.1'],
    [behind, '10.1.2.3', '::ffff:c633:6401', '198.51.100.1'],
    [behind, '10.1.2.3', 'fe80::1%eth0', 'fe80::1'],
    [behind, '::ffff:a01:203', '198.51.100.1, [::ffff:10.9.9.9]:1', '198.51.100.1'],
    [behind, '2001:DB8:0::1', '198.51.100.1', '198.51.100.1'],
    [behind, '10.1.2.3', 'unknown', '10.1.2.3'],
    [behind, '10.1.2.3', ' "Unknown" ', '10.1.2.3'],
  ])('is found (%#)', (addresses, peer, forwarded, client) => {
    expect(addresses.clientOf(peer, forwarded)).toBe(client);
  });

  it.each([
    'client-17',
    '203.0.113.9, unknown',
    '203.0.113.10, unknown',
    '_hidden',
    '203.0.113.999',
    '0x7f.1',
    '[2001:db8:5::7',
    '198.51.100.1:5678:9',
    `"${'['.repeat(9000)}`,
  ])('is told apart where a proxy wrote none (%#)', (told) => {
    const client = behind.clientOf('10.1.2.3', told);
    expect(client).toMatch(/^10\.1\.2\.3 [\w+/=]{44}$/);
    expect(behind.clientOf('10.1.2.3', told)).toBe(client);
    expect(behind.clientOf('10.1.2.3', `${told}x`)).not.toBe(client);
  });

  it('is read in time that grows with the length of the header, at most', () => {
    const measure = (repeats: number): number => {
      const headers = ['10.1.2.3,', ' , ', '[', '":"', '1.1.1.1:', '9'].map((part) => part.repeat(repeats));
      // Of the processor: a busy machine takes turns away.
      return Math.min(
        ...[1, 2, 3, 4, 5].map(() => {
          const began = process.cpuUsage();
          for (let times = 0; times < 50; times++) for (const header of headers) behind.clientOf('10.1.2.3', header);
          return process.cpuUsage(began).user;
        }),
      );
    };
    measure(200);
    expect(measure(16_000)).toBeLessThan(measure(1000) * 16 * 4);
  });

  it.each([
    'proxy',
    '10.0.0.0/33',
    '10.0.0/8',
    '2001:db8::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
  ])('cannot be trusted as %s', (entry) => {
    expect(() => createAddressReader([entry])).toThrow(`${entry} is neither an address nor a network`);
  });
});
