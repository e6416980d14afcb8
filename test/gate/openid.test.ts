// Which tokens of an identity provider are accepted, with a real provider: every fault is the same refusal, and the log has its reason.
import { createHmac, createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/limits/limits.ts';
import { openApp } from '../harness/app.ts';
import { audience } from './provider.ts';
import { askViewer, buildSpaceHeader, door, getMail, provider, useProvider } from './signing-in.ts';

useProvider();

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

  it.each<[string, object | undefined, () => Promise<string>]>([
    [
      'expired two minutes ago',
      { code: 'ERR_JWT_EXPIRED', claim: 'exp' },
      () => sign({ iat: now - 600, exp: now - 120 }),
    ],
    ['not valid yet', { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED', claim: 'nbf' }, () => sign({ nbf: now + 300 })],
    ['without an end', { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED', claim: 'exp' }, () => sign({ exp: undefined })],
    ['without a beginning', { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED', claim: 'iat' }, () => sign({ iat: undefined })],
    [
      'issued more than a day ago',
      { code: 'ERR_JWT_EXPIRED', claim: 'iat' },
      () => sign({ iat: now - 90_000, exp: now + 600 }),
    ],
    [
      'for another service',
      { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED', claim: 'aud' },
      () => sign({ aud: 'https://other.test' }),
    ],
    [
      'of another issuer',
      { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED', claim: 'iss' },
      () => sign({ iss: 'https://other.test' }),
    ],
    ['without a subject', { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED', claim: 'sub' }, () => sign({ sub: undefined })],
    [
      'with a subject that is no ASCII',
      { reason: 'sub is no text of 1 to 255 characters' },
      () => sign({ sub: 'person-\u212a' }),
    ],
    ['of a key that its client must prove', { reason: 'cnf is present' }, () => sign({ cnf: { jkt: 'x' } })],
    ['that announces a logout', { reason: 'typ is of no access token' }, () => sign({}, { typ: 'logout+jwt' })],
    ['with an event', { reason: 'events is present' }, () => sign({ events: {} })],
    ['of a scope that is no text', { reason: 'scope is no text' }, () => sign({ scope: [1] })],
    ['of an empty scope that is no text', { reason: 'scope is no text' }, () => sign({ scope: null })],
    [
      'of a scp that is no text',
      { reason: 'scp is no text' },
      () => sign({ scope: 'muster:read', scp: { read: true } }),
    ],
    ['of scopes that are no text', { reason: 'scopes is no text' }, () => sign({ scopes: { read: true } })],
    [
      'with a changed signature',
      { code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' },
      async () => (await sign({})).replace(/[^.]{8}$/, 'AAAAAAAA'),
    ],
    [
      'with changed claims',
      { code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' },
      async () => {
        const [head, , signature] = (await sign({})).split('.');
        return `${head}.${encode({ ...person, iss: provider.issuer, aud: audience, iat: now, exp: now + 600, sub: 'x' })}.${signature}`;
      },
    ],
    ['of the algorithm none', { code: 'ERR_JOSE_ALG_NOT_ALLOWED' }, () => forge('none', () => 'AA')],
    [
      'signed with the public key as a secret',
      { code: 'ERR_JOSE_ALG_NOT_ALLOWED' },
      () =>
        forge('HS256', (text) =>
          createHmac('sha256', JSON.stringify(provider.publicKey())).update(text).digest('base64url'),
        ),
    ],
    [
      'signed with the public key in PEM as a secret',
      { code: 'ERR_JOSE_ALG_NOT_ALLOWED' },
      () => {
        const pem = createPublicKey({ key: provider.publicKey() as never, format: 'jwk' }).export({
          type: 'spki',
          format: 'pem',
        });
        return forge('HS256', (text) => createHmac('sha256', pem).update(text).digest('base64url'));
      },
    ],
    ['longer than any may be', undefined, () => sign({ padding: 'x'.repeat(limits.connection.jwtCharacters) })],
    ['with a mail that is not verified', { reason: 'no user is known by it' }, () => provider.issue('unverified')],
    ...['false', 'TRUE', 'yes', '', 1, ['true'], {}, null].map((verified): [string, object, () => Promise<string>] => [
      `with a mail whose verification is ${JSON.stringify(verified)}`,
      { reason: 'no user is known by it' },
      () => sign({ sub: 'new', email_verified: verified }),
    ]),
    ['of a person who is no user', { reason: 'no user is known by it' }, () => provider.issue('stranger')],
  ])('%s is refused as any other is', async (_, reason, make) => {
    const token = await make();
    const [refused, nonsense] = [await askViewer(token), await askViewer('nonsense')];
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="muster", error="invalid_token"');
    const { instance: _a, ...one } = refused.body.errors[0].extensions;
    const { instance: _b, ...other } = nonsense.body.errors[0].extensions;
    expect([refused.body.errors[0].message, one]).toEqual([nonsense.body.errors[0].message, other]);
    const lines = door.logged.map((line) => JSON.parse(line));
    expect(lines.filter(({ msg }) => msg.includes('refused'))).toMatchObject(reason ? [reason] : []);
    expect(await door.sql(`select id from tokens where issuer is not null`)).toEqual([]);
    expect(await door.sql('select id from users where oidc_subject is not null')).toEqual([]);
  });

  it('is none of those above: the same makers yield good ones', async () => {
    expect((await askViewer(await sign({}))).status).toBe(200);
    expect((await askViewer(await sign({ iat: now - 600, exp: now - 30 }, { typ: 'JWT' }))).status).toBe(200);
    expect(
      (await askViewer(await sign({ aud: ['https://other.test', audience] }, { alg: 'EdDSA', kid: 'EdDSA-1' }))).status,
    ).toBe(200);
  });

  it('may say by a text that its mail is verified', async () => {
    expect((await askViewer(await sign({ sub: 'by-text', email_verified: 'true' }))).status).toBe(200);
  });

  it('is refused without settings, and the reason is in the log, once and without values', async () => {
    expect((await askViewer(await sign({}), {}, await openApp({}, undefined, door))).status).toBe(401);
    for (let count = 0; count < 3; count++) await askViewer(await sign({ aud: 'https://other.test' }));
    const lines = door.logged.filter((line) => line.includes('refused'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED', claim: 'aud' },
    ]);
    expect(lines.join()).not.toMatch(/person|other\.test|@/);
  });
});

describe('a token of the provider', () => {
  it.each([
    ['RS256', 1],
    ['PS256', 2],
    ['ES256', 3],
  ])('is accepted at both doors, signed by %s', async (alg, user) => {
    const token = await provider.issue(`person-${user}`);
    expect(JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString())).toMatchObject({ alg });
    expect((await askViewer(token)).body.data.viewer.user.email).toBe(getMail(user));
    const { status, body } = await door.rest('GET', '/teams', undefined, token);
    expect([status, body.status]).toEqual([200, 'success']);
  });

  it('acts for the user and the space, and the log has the session', async () => {
    const token = await provider.issue('person-4');
    const { body } = await askViewer(token, buildSpaceHeader(2));
    expect(body).toEqual({
      data: { viewer: { user: { databaseId: 4, email: getMail(4) }, space: { databaseId: 2 } } },
    });
    await door.app.writeTokenUses();
    const [session] = await door.sql(
      `select id, label, issuer, scope, group_id, last_used_at is not null as used from tokens where group_id = 2 and issuer is not null`,
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
