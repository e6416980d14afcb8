// The keys of an identity provider: replaced, hidden, away; and what strangers can make the server do.
import type { RequestListener } from 'node:http';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { limits } from '../../src/limits/limits.ts';
import {
  askFrom,
  askViewer,
  buildClaims,
  door,
  passTime,
  provider,
  readStatusAndCode,
  useProvider,
} from './signing-in.ts';

const { badTokens } = limits.connection;
useProvider();

const sign = (claims: object = {}, header = {}) =>
  provider.sign({ sub: 'person-2', ...buildClaims(2), ...claims }, header);
const statusOf = async (token: string) => (await askViewer(token)).status;
const fetches = (): number => provider.asked['/jwks'] ?? 0;
/** Statuses, and how often each came. */
const count = (statuses: readonly number[]): Record<number, number> =>
  Object.fromEntries([...new Set(statuses)].map((status) => [status, statuses.filter((one) => one === status).length]));

describe('keys', () => {
  it('are fetched once for many tokens at once', async () => {
    const before = fetches();
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, jti) => sign({ jti: `${jti}` })));
    expect(count(await Promise.all(tokens.map(statusOf)))).toEqual({ 200: 20 });
    expect(fetches() - before).toBe(1);
  });

  it('that are replaced are found by their new name, after the cool-down; the old ones count no more', async () => {
    const old = await sign();
    expect(await statusOf(old)).toBe(200);
    const before = fetches();
    await provider.rotate();
    const fresh = await sign({ jti: 'new' });
    expect([await statusOf(fresh), await statusOf(old)]).toEqual([401, 200]);
    for (let kid = 0; kid < 50; kid++) expect(await statusOf(await sign({}, { kid: `unknown-${kid}` }))).toBe(401);
    expect(fetches()).toBe(before);
    passTime(31);
    expect([await statusOf(fresh), await statusOf(old)]).toEqual([200, 401]);
    for (let kid = 0; kid < 50; kid++) expect(await statusOf(await sign({}, { kid: `unknown-${kid}` }))).toBe(401);
    expect(fetches()).toBe(before + 1);
  });

  it('without names are all tried, and a token of none of them is refused', async () => {
    const unnamed = ({ alg: _, kid: __, ...key }: JWK): JWK => key;
    const foreign = await Promise.all([1, 2].map(async () => exportJWK((await generateKeyPair('RS256')).publicKey)));
    const answers: Record<string, object> = {
      '/.well-known/openid-configuration': { issuer: provider.issuer, jwks_uri: `${provider.issuer}/jwks` },
      '/jwks': { keys: [foreign[0], unnamed(provider.publicKey()), foreign[1]] },
    };
    provider.fault = ({ url }, response) => void response.end(JSON.stringify(answers[url!]));
    expect(await statusOf(await sign({}, { kid: undefined }))).toBe(200);
    // Its claims are checked with each of them.
    expect(await statusOf(await sign({ aud: 'https://other.test' }, { kid: undefined }))).toBe(401);
    const forged = (await sign({ jti: 'forged' }, { kid: undefined })).replace(/[^.]{8}$/, 'AAAAAAAA');
    expect(await statusOf(forged)).toBe(401);
    // Nor does any key serve for a name.
    expect(await statusOf(await sign({ jti: 'named' }, { kid: 'RS256-9' }))).toBe(401);
    // A session of before counts no more when the keys change.
    const known = await sign({ jti: 'known' }, { kid: undefined });
    expect(await statusOf(known)).toBe(200);
    answers['/jwks'] = { keys: foreign };
    passTime(601);
    expect(await statusOf(known)).toBe(200);
    await vi.waitFor(async () => expect(await statusOf(known)).toBe(401));
  });

  it('that are old are fetched anew behind a known token, which then counts no more if its key is gone', async () => {
    const old = await sign();
    expect(await statusOf(old)).toBe(200);
    await provider.rotate();
    passTime(601);
    expect(await statusOf(old)).toBe(200);
    await vi.waitFor(async () => expect(await statusOf(old)).toBe(401));
  });
});

describe('a provider that is away', () => {
  const reset: RequestListener = ({ socket }) => void socket.destroy();

  it('stops neither own tokens nor known keys; without keys it is a 503, and one line of the log in a minute', async () => {
    provider.fault = reset;
    const answer = await askViewer(await sign());
    expect(readStatusAndCode(answer)).toEqual([503, 'unavailable']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(20);
    expect(await statusOf(await door.token(1, 1))).toBe(200);
    passTime(31);
    expect(await statusOf(await sign())).toBe(503);
    expect(door.logged.filter((line) => line.includes('identity provider away'))).toHaveLength(1);
    provider.fault = undefined;
    expect(await statusOf(await sign())).toBe(503);
    passTime(31);
    const known = await sign();
    expect(await statusOf(known)).toBe(200);
    provider.fault = reset;
    passTime(3600);
    expect([await statusOf(known), await statusOf(await sign({ jti: 'new' }))]).toEqual([200, 200]);
  });

  const json =
    (value: unknown): RequestListener =>
    (_, response) =>
      void response.end(JSON.stringify(value));
  it.each<[string, () => RequestListener, RegExp]>([
    [
      'calls itself otherwise',
      () => json({ issuer: 'https://other.test', jwks_uri: `${provider.issuer}/jwks` }),
      /another issuer/,
    ],
    [
      'has its keys at an address without encryption',
      () => json({ issuer: provider.issuer, jwks_uri: 'http://other.test/jwks' }),
      /begins with https/,
    ],
    [
      'has its keys at no address',
      () => json({ issuer: provider.issuer, jwks_uri: 'file:///etc/passwd' }),
      /begins with https/,
    ],
    [
      'sends too much',
      () => (_, response) => void response.end(' '.repeat(limits.connection.providerBytes + 1)),
      /too many bytes/,
    ],
    [
      'leads elsewhere',
      () => (request, response) => {
        const elsewhere = `${provider.issuer}/elsewhere`;
        if (request.url === '/elsewhere')
          json({ issuer: provider.issuer, jwks_uri: elsewhere, keys: [] })(request, response);
        else response.writeHead(302, { Location: elsewhere }).end();
      },
      /unexpected redirect/,
    ],
    ['answers with an error', () => (_, response) => void response.writeHead(500).end('{}'), /status 500/],
    ['sends no object', () => json('keys'), /no JSON object/],
    ['sends no keys', () => json({ issuer: provider.issuer, jwks_uri: `${provider.issuer}/x`, keys: 1 }), /JWKS/],
  ])('or %s is a 503', async (_, fault, reason) => {
    provider.fault = fault();
    expect(await statusOf(await sign())).toBe(503);
    expect(door.logged.find((line) => line.includes('identity provider away'))).toMatch(reason);
  });

  it('or never answers is given up after five seconds', async () => {
    provider.fault = () => {};
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const asked = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 50));
    expect(await statusOf(await sign())).toBe(503);
    expect(asked.mock.calls).toEqual([[5000]]);
  });
});

describe('strangers at one address', () => {
  it('cause as many verifications as they have tries, and keep no one out who is known', async () => {
    const [known, other] = [await sign(), await sign({ jti: 'other' })];
    expect((await askFrom('192.0.2.1', known)).status).toBe(200);
    const bad = await Promise.all(
      Array.from({ length: 1000 }, async (_, jti) => (await sign({ jti: `${jti}` })).replace(/[^.]{8}$/, 'AAAAAAAA')),
    );
    const verify = vi.spyOn(crypto.subtle, 'verify');
    const answers = await Promise.all(bad.map((token) => askFrom('192.0.2.1', token)));
    expect(count(answers.map(({ status }) => status))).toEqual({ 401: badTokens, 429: 1000 - badTokens });
    expect(verify).toHaveBeenCalledTimes(badTokens);
    expect((await askFrom('192.0.2.1', known)).status).toBe(200);
    expect((await askFrom('192.0.2.1', other)).status).toBe(429);
    expect((await askFrom('192.0.2.2', other)).status).toBe(200);
    passTime(61);
    expect((await askFrom('192.0.2.1', await sign({ jti: 'later' }))).status).toBe(200);
  });

  it.each([
    ['do not say which of their spaces', 'person-4', 400],
    ['are in no space', 'person-5', 403],
  ])('count likewise when they are users, but %s', async (_, sub, status) => {
    await door.sql('delete from members where user_id = 5');
    const token = await provider.sign({ sub, ...buildClaims(Number(sub.at(-1))) });
    const statuses: number[] = [];
    for (let asked = 0; asked < badTokens + 5; asked++) statuses.push((await askFrom('192.0.2.9', token)).status);
    expect(count(statuses)).toEqual({ [status]: badTokens, 429: 5 });
  });

  it('are no guessers when the provider signed their tokens, which are over: the new ones are accepted', async () => {
    const past = Math.floor(Date.now() / 1000) - 600;
    const over = await Promise.all(
      Array.from({ length: badTokens + 5 }, (_, jti) => sign({ jti: `${jti}`, iat: past, exp: past + 300 })),
    );
    const statuses: number[] = [];
    for (const token of over) statuses.push((await askFrom('192.0.2.9', token)).status);
    expect(count(statuses)).toEqual({ 401: over.length });
    expect((await askFrom('192.0.2.9', await sign({ jti: 'renewed' }))).status).toBe(200);
    const verify = vi.spyOn(crypto.subtle, 'verify');
    expect((await askFrom('192.0.2.9', over[0]!)).status).toBe(401);
    expect(verify).not.toHaveBeenCalled();
    // Whoever changes one is a guesser.
    const forged = over.map((token) => token.replace(/[^.]{8}$/, 'AAAAAAAA'));
    expect(count(await Promise.all(forged.map(async (token) => (await askFrom('192.0.2.9', token)).status)))).toEqual({
      401: badTokens,
      429: 5,
    });
  });

  it('lose what was known of a token when its user leaves', async () => {
    const token = await sign({ sub: 'leaver', ...buildClaims(6) });
    expect((await askFrom('192.0.2.9', token)).status).toBe(200);
    await door.sql('delete from members where user_id = 6');
    const statuses: number[] = [];
    for (let asked = 0; asked < badTokens + 6; asked++) statuses.push((await askFrom('192.0.2.9', token)).status);
    // The first of them comes as a known token, and is not counted.
    expect(count(statuses)).toEqual({ 403: badTokens + 1, 429: 5 });
  });
});
