// Signing in by OpenID Connect, with a real provider: which tokens are accepted, whom they mean, for which space, and what strangers can cause.
import { createHmac, createPublicKey } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { linkAccount, unlinkAccount } from '../../src/data/account.ts';
import { revokeToken } from '../../src/database/access-token.ts';
import { limits } from '../../src/limits.ts';
import { type Answer, type Door, openApp } from '../harness/app.ts';
import { audience, type RunningProvider, startProvider } from './provider.ts';

const mails = new Map<number, string>();
let door: Door;
let provider: RunningProvider;

/** The subject of a user at the provider. */
const subjectOf = (user: number): string => `person-${user}`;
const claimsOf = (user: number) => ({ email: mails.get(user), email_verified: true });

beforeAll(async () => {
  const seeded = await openApp();
  for (const { id, mail } of await seeded.sql('select id, mail from users')) mails.set(id, mail);
  const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
  provider = await startProvider([
    ...algorithms.map((alg, place) => ({ subject: subjectOf(place + 1), alg, claims: claimsOf(place + 1) })),
    { subject: 'unverified', claims: { email: mails.get(5), email_verified: false } },
    { subject: 'stranger', claims: { email: 'stranger@example.org', email_verified: true } },
    { subject: 'thief', claims: claimsOf(1) },
  ]);
});
afterAll(() => provider.close());

const settings = () => ({
  OIDC_ISSUER: provider.issuer,
  OIDC_AUDIENCE: audience,
  OIDC_USER_CLAIM: 'email' as const,
  OIDC_SPACE_CLAIM: undefined,
});

beforeEach(async () => {
  door = await openApp(settings());
});

/** Lets time pass for the process. The database and the clock of tokens keep theirs. */
const pass = (() => {
  const now = performance.now.bind(performance);
  let passed = 0;
  return (seconds: number): void => {
    passed += seconds * 1000;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  };
})();
afterEach(() => {
  provider.fault = undefined;
  vi.restoreAllMocks();
});

const viewer = '{ viewer { user { databaseId email } space { databaseId } } }';
type Headers = Record<string, string>;
const ask = (token: string, headers: Headers = {}, on = door): Promise<Answer> =>
  on.graphql(viewer, undefined, token, headers);
const inSpace = (space: number | string): Headers => ({ 'X-Muster-Space': String(space) });
const codeOf = ({ status, body }: Answer): unknown[] => [status, body.errors?.[0].extensions.code ?? body.type];

/** Requests as a client at an address, of which bad tokens are counted. */
const askFrom = (address: string, token: string): Promise<Response> =>
  door.app.fetch(
    new Request('http://muster.test/rate_limit', { headers: { Authorization: `Bearer ${token}` } }),
    () => address,
  );

describe('a token of the provider', () => {
  it.each([
    ['RS256', 1],
    ['PS256', 2],
    ['ES256', 3],
  ])('is accepted at both doors, signed by %s', async (alg, user) => {
    const token = await provider.issue(subjectOf(user));
    expect(JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString())).toMatchObject({ alg });
    expect((await ask(token)).body.data.viewer.user.email).toBe(mails.get(user));
    const { status, body } = await door.rest('GET', '/teams', undefined, token);
    expect([status, body.status]).toEqual([200, 'success']);
  });

  it('acts for the user and the space, and the log has the session', async () => {
    const token = await provider.issue(subjectOf(4));
    const { body } = await ask(token, inSpace(2));
    expect(body).toEqual({
      data: { viewer: { user: { databaseId: 4, email: mails.get(4) }, space: { databaseId: 2 } } },
    });
    const [session] = await door.sql(
      `select id, label, issuer, scope, group_id, last_used_at is not null as used from tokens where issuer is not null`,
    );
    expect(session).toMatchObject({
      label: 'OpenID Connect',
      issuer: provider.issuer,
      scope: 'admin',
      group_id: 2,
      used: true,
    });
    expect(JSON.parse(door.logged.at(-1)!)).toMatchObject({ status: 200, space: 2, token: session.id });
    expect(door.logged.join()).not.toMatch(/person-|@example|eyJ/);
  });
});

describe('a bad token', () => {
  const now = Math.floor(Date.now() / 1000);
  const person = { sub: 'person-1', email: 'admin@example.org', email_verified: true };
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sign = (claims: object, header = {}) => provider.sign({ ...person, ...claims }, header);
  const forge = async (alg: string, mac: (text: string) => string): Promise<string> => {
    const payload = (await sign({})).split('.')[1];
    const text = `${encode({ alg, kid: 'RS256-1' })}.${payload}`;
    return `${text}.${mac(text)}`;
  };

  it.each<[string, () => Promise<string>]>([
    ['expired two minutes ago', () => sign({ iat: now - 600, exp: now - 120 })],
    ['not valid yet', () => sign({ nbf: now + 300 })],
    ['without an end', () => sign({ exp: undefined })],
    ['without a beginning', () => sign({ iat: undefined })],
    ['issued more than a day ago', () => sign({ iat: now - 90_000, exp: now + 600 })],
    ['for another service', () => sign({ aud: 'https://other.test' })],
    ['of another issuer', () => sign({ iss: 'https://other.test' })],
    ['without a subject', () => sign({ sub: undefined })],
    ['with a subject that is no ASCII', () => sign({ sub: 'person-\u212a' })],
    ['of a key that its client must prove', () => sign({ cnf: { jkt: 'x' } })],
    ['that announces a logout', () => sign({}, { typ: 'logout+jwt' })],
    ['with an event', () => sign({ events: {} })],
    ['of a scope that is no text', () => sign({ scope: [1] })],
    ['with a changed signature', async () => (await sign({})).replace(/[^.]{8}$/, 'AAAAAAAA')],
    [
      'with changed claims',
      async () => {
        const [head, , signature] = (await sign({})).split('.');
        return `${head}.${encode({ ...person, iss: provider.issuer, aud: audience, iat: now, exp: now + 600, sub: 'x' })}.${signature}`;
      },
    ],
    ['of the algorithm none', () => forge('none', () => 'AA')],
    [
      'signed with the public key as a secret',
      () =>
        forge('HS256', (text) =>
          createHmac('sha256', JSON.stringify(provider.publicKey())).update(text).digest('base64url'),
        ),
    ],
    [
      'signed with the public key in PEM as a secret',
      () => {
        const pem = createPublicKey({ key: provider.publicKey() as never, format: 'jwk' }).export({
          type: 'spki',
          format: 'pem',
        });
        return forge('HS256', (text) => createHmac('sha256', pem).update(text).digest('base64url'));
      },
    ],
    ['longer than any may be', () => sign({ padding: 'x'.repeat(limits.connection.jwtCharacters) })],
    ['with a mail that is not verified', () => provider.issue('unverified')],
    ['with a mail that is verified by a text', () => sign({ sub: 'new', email_verified: 'true' })],
    ['of a person who is no user', () => provider.issue('stranger')],
    ['of a mail with letters that become ASCII', () => sign({ sub: 'new', email: 'admin@example.or\u212a' })],
  ])('%s is refused as any other is', async (_, make) => {
    const token = await make();
    const [refused, nonsense] = [await ask(token), await ask('nonsense')];
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="muster", error="invalid_token"');
    const { instance: _a, ...one } = refused.body.errors[0].extensions;
    const { instance: _b, ...other } = nonsense.body.errors[0].extensions;
    expect([refused.body.errors[0].message, one]).toEqual([nonsense.body.errors[0].message, other]);
    expect(await door.sql('select id from tokens where issuer is not null')).toEqual([]);
    expect(await door.sql('select id from users where oidc_subject is not null')).toEqual([]);
  });

  it('is none of those above: the same makers yield good ones', async () => {
    expect((await ask(await sign({}))).status).toBe(200);
    expect((await ask(await sign({ iat: now - 600, exp: now - 30 }, { typ: 'JWT' }))).status).toBe(200);
    expect(
      (await ask(await sign({ aud: ['https://other.test', audience] }, { alg: 'EdDSA', kid: 'EdDSA-1' }))).status,
    ).toBe(200);
  });

  it('is refused without settings, and the reason is in the log, once and without values', async () => {
    const off = await openApp();
    expect((await ask(await sign({}), {}, off)).status).toBe(401);
    for (let count = 0; count < 3; count++) await ask(await sign({ aud: 'https://other.test' }));
    const lines = door.logged.filter((line) => line.includes('refused'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED', claim: 'aud' },
    ]);
    expect(lines.join()).not.toMatch(/person|other\.test|@/);
  });
});

describe('a person', () => {
  const who = async (claims: object): Promise<number | string> => {
    const { status, body } = await ask(await provider.sign({ email_verified: true, ...claims }), inSpace(1));
    return status === 200 ? body.data.viewer.user.databaseId : status;
  };

  it('is known by the verified mail at first, and from then on by the subject alone', async () => {
    expect(await who({ sub: 'a', email: mails.get(2)!.toUpperCase() })).toBe(2);
    // The mail passed to somebody else, who must not get the account with it.
    expect(await who({ sub: 'b', email: mails.get(2) })).toBe(401);
    // The person has got the mail of another user, or none.
    expect(await who({ sub: 'a', email: mails.get(3) })).toBe(2);
    expect(await who({ sub: 'a', email: mails.get(3), email_verified: false })).toBe(2);
    expect(await who({ sub: 'a' })).toBe(2);
    expect(await who({ sub: 'c', email: mails.get(3) })).toBe(3);
    expect(
      await door.sql('select id, oidc_issuer, oidc_subject from users where oidc_subject is not null order by id'),
    ).toEqual([
      { id: 2, oidc_issuer: provider.issuer, oidc_subject: 'a' },
      { id: 3, oidc_issuer: provider.issuer, oidc_subject: 'c' },
    ]);
  });

  it('is not known by a mail that a user gave themselves', async () => {
    const own = await door.token(1, 5);
    const change = 'mutation ($email: String!) { updateUser(input: { id: 5, email: $email }) { user { email } } }';
    expect((await door.graphql(change, { email: 'boss@example.org' }, own)).body.errors).toBeUndefined();
    expect(await who({ sub: 'boss', email: 'boss@example.org' })).toBe(401);
    await door.sql('update users set mail_confirmed = true where id = 5');
    expect(await who({ sub: 'boss', email: 'boss@example.org' })).toBe(5);
  });

  it('of two who ask at once with one mail gets the account, with one session; the other does not', async () => {
    const asked = Array.from({ length: 12 }, (_, place) =>
      who({ sub: place % 2 ? 'a' : 'b', email: mails.get(2), jti: `${place}` }),
    );
    const answers = await Promise.all(asked);
    const isFirst = answers[0] === 2;
    expect(answers).toEqual(answers.map((_, place) => ((place % 2 === 0) === isFirst ? 2 : 401)));
    expect(await door.sql('select user_id from tokens where issuer is not null')).toEqual([{ user_id: 2 }]);
  });

  it('is known by the subject that the operator stored, with OIDC_USER_CLAIM=sub', async () => {
    door = await openApp({ ...settings(), OIDC_USER_CLAIM: 'sub' });
    expect(await who({ sub: 'a', email: mails.get(2) })).toBe(401);
    expect(await linkAccount(door.database.knex, 2, { issuer: provider.issuer, subject: 'a' })).toBe(mails.get(2));
    expect(await linkAccount(door.database.knex, 2, { issuer: provider.issuer, subject: 'b' })).toBeUndefined();
    await expect(linkAccount(door.database.knex, 3, { issuer: provider.issuer, subject: 'a' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await who({ sub: 'a' })).toBe(2);
    expect(await unlinkAccount(door.database.knex, 2)).toBe(mails.get(2));
    expect(await unlinkAccount(door.database.knex, 2)).toBeUndefined();
    expect(await who({ sub: 'a' })).toBe(401);
    // The subject is another user's now: no session of the one before is left.
    await linkAccount(door.database.knex, 3, { issuer: provider.issuer, subject: 'a' });
    expect(await who({ sub: 'a' })).toBe(3);
  });

  it('of another provider is another person', async () => {
    await linkAccount(door.database.knex, 2, { issuer: 'https://other.test', subject: 'a' });
    expect(await who({ sub: 'a', email: mails.get(2) })).toBe(401);
  });

  it('has the scope that the token names', async () => {
    const write = 'mutation { createTag(input: { name: "new" }) { tag { name } } }';
    const invite = '{ imports(first: 1) { nodes { id } } }';
    const codes = async (scope: string): Promise<unknown[]> => {
      const token =
        scope === 'provider'
          ? await provider.issue('person-2', 'muster:read')
          : await provider.sign({ sub: 'person-2', ...claimsOf(2), scope });
      const answers = [
        await ask(token),
        await door.graphql(write, undefined, token),
        await door.graphql(invite, undefined, token),
      ];
      return answers.map(({ body }) => body.errors?.[0].extensions.code ?? 'done');
    };
    expect(await codes('provider')).toEqual(['done', 'forbidden', 'forbidden']);
    expect(await codes('openid muster:write muster:read')).toEqual(['done', 'done', 'forbidden']);
    expect((await codes('openid profile')).slice(2)).toEqual(['done']);
  });
});

describe('the space', () => {
  const both = () => provider.issue('person-4');

  it('is asked for when the user has several, and is one of theirs', async () => {
    const token = await both();
    const none = await ask(token);
    expect(codeOf(none)).toEqual([400, 'invalid-request']);
    expect(none.body.errors[0].extensions.errors).toEqual([
      { location: 'header.X-Muster-Space', message: 'is missing: the user is in several spaces, send one of 1, 2' },
    ]);
    expect((await door.rest('GET', '/teams', undefined, token)).status).toBe(400);
    const spaces = await Promise.all([1, 2].map((space) => ask(token, inSpace(space))));
    expect(spaces.map(({ body }) => body.data.viewer.space.databaseId)).toEqual([1, 2]);
    for (const bad of ['', 'one', '1.5', '-1', '1, 2', '99999999999999999999'])
      expect(codeOf(await ask(token, inSpace(bad))), bad).toEqual([400, 'invalid-request']);
  });

  it('of others is refused as one that does not exist', async () => {
    const token = await provider.issue('person-1');
    const answers = [await ask(token, inSpace(2)), await ask(token, inSpace(777))];
    expect(answers.map(codeOf)).toEqual(Array(2).fill([403, 'forbidden']));
    const [there, missing] = answers.map(({ body }) => body.errors[0].message);
    expect(there.replace('2', '777')).toBe(missing);
    expect((await ask(token)).body.data.viewer.space.databaseId).toBe(1);
  });

  it('can be in a claim, which no header overrides', async () => {
    door = await openApp({ ...settings(), OIDC_SPACE_CLAIM: 'muster_space' });
    const sign = (space: unknown) => provider.sign({ sub: 'person-4', ...claimsOf(4), muster_space: space });
    const token = await sign(2);
    for (const headers of [{}, inSpace(2)])
      expect((await ask(token, headers)).body.data.viewer.space.databaseId).toBe(2);
    expect(codeOf(await ask(token, inSpace(1)))).toEqual([403, 'forbidden']);
    for (const bad of ['2', [2], 2.5, -1, null]) expect((await ask(await sign(bad))).status, String(bad)).toBe(401);
    expect((await ask(await sign(undefined), inSpace(1))).body.data.viewer.space.databaseId).toBe(1);
  });

  it('of an own token is not changed by the header: another one is refused', async () => {
    const own = await door.token(1, 4);
    expect((await ask(own, inSpace(1))).status).toBe(200);
    expect(codeOf(await ask(own, inSpace(2)))).toEqual([403, 'forbidden']);
    expect(codeOf(await ask(own, inSpace('two')))).toEqual([400, 'invalid-request']);
  });

  it('stays that of the token when the user selects another for their own tokens', async () => {
    const token = await both();
    const own = await door.token(1, 4);
    expect((await ask(token, inSpace(1))).status).toBe(200);
    const select = 'mutation { updateUser(input: { id: 4, selectedGroupId: 2 }) { user { databaseId } } }';
    expect((await door.graphql(select, undefined, own)).body.errors).toBeUndefined();
    expect((await ask(own)).body.data.viewer.space.databaseId).toBe(2);
    expect((await ask(token, inSpace(1))).body.data.viewer.space.databaseId).toBe(1);
  });
});
