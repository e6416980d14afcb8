// Spec §5: every request carries a bearer token. Any fault of the token gives the same 401.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateSecret, isSecretForm } from '../../src/database/secret.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { type Door, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const send = (authorization: string | undefined, path = '/users/1') =>
  door.app.fetch(
    new Request(`http://muster.test${path}`, {
      headers: authorization === undefined ? {} : { Authorization: authorization },
    }),
  );

describe('a request without a valid token', () => {
  it('is 401 with WWW-Authenticate, which names an error only when a token was sent', async () => {
    const none = await send(undefined);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="muster"']);
    const bad = await send('Bearer nonsense');
    expect([bad.status, bad.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="muster", error="invalid_token"',
    ]);
    expect(none.headers.get('content-type')).toBe('application/problem+json');
    expect(none.headers.has('x-ratelimit-limit')).toBe(false);
  });

  it('gets the same answer whatever is wrong', async () => {
    const expired = await createAccessToken(door.database, 1, 1, '2001-01-01T00:00:00Z');
    const revoked = await createAccessToken(door.database, 1, 1);
    await door.sql('update tokens set revoked_at = now() where hash = ?', [
      createHash('sha256').update(revoked).digest(),
    ]);
    const good = await door.token(1, 1);
    const headers = [
      'Bearer',
      'Bearer ',
      `Basic ${good}`,
      good,
      `Bearer ${generateSecret('token')}`,
      `Bearer ${expired}`,
      `Bearer ${revoked}`,
      `Bearer ${good.slice(0, -1)}`,
      `Bearer ${good}x`,
      `Bearer ${good} ${good}`,
      `Bearer ${good}, Bearer ${good}`,
      `Bearer ${'x'.repeat(10_000)}`,
    ];
    const bodies = new Set<string>();
    for (const header of headers) {
      const response = await send(header);
      expect(response.status).toBe(401);
      bodies.add((await response.text()).replace(/urn:uuid:[\w-]+/, ''));
    }
    expect(bodies.size).toBe(1);
  });

  it.each([['bearer'], ['BEARER'], ['Bearer  ']])('accepts the scheme spelled %s', async (scheme) => {
    expect((await send(`${scheme} ${await door.token(1, 1)}`)).status).toBe(200);
  });

  it('is refused at GraphQL as a GraphQL error', async () => {
    const { status, headers, body } = await door.graphql('{ viewer { space { databaseId } } }', {}, null);
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="muster"']);
    expect(body.errors[0].extensions).toMatchObject({ code: 'unauthenticated', status: 401 });
    expect(body).not.toHaveProperty('data');
  });
});

describe('a token', () => {
  it('stops working at once when it is revoked, expires, or its user leaves the space', async () => {
    const [{ user_id: user }] = await door.sql('select max(user_id) as user_id from members where group_id = 1');
    const token = await createAccessToken(door.database, 1, user);
    const status = async (): Promise<number> => (await send(`Bearer ${token}`)).status;
    const hash = createHash('sha256').update(token).digest();
    expect(await status()).toBe(200);
    await door.sql(`update tokens set expires_at = now() where hash = ?`, [hash]);
    expect(await status()).toBe(401);
    await door.sql(`update tokens set expires_at = now() + interval '1 hour' where hash = ?`, [hash]);
    expect(await status()).toBe(200);
    await door.sql('update users set deleted_at = now() where id = ?', [user]);
    expect(await status()).toBe(401);
    await door.sql('update users set deleted_at = null where id = ?', [user]);
    await door.sql('delete from members where group_id = 1 and user_id = ?', [user]);
    expect(await status()).toBe(401);
  });

  it('is refused after a typo by its form alone, without asking the database', () => {
    for (let count = 0; count < 200; count++) {
      const token = generateSecret('token');
      expect(isSecretForm('token', token)).toBe(true);
      const at = 4 + (count % 49);
      const typo = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect(isSecretForm('token', typo)).toBe(false);
    }
  });

  it('leaves only its first letters in the database and the log', async () => {
    const token = await door.token(1, 1);
    await door.rest('GET', '/users/1');
    await door.rest('GET', '/users/abc');
    const tables = await door.sql(`select table_name from information_schema.tables where table_schema = 'public'`);
    for (const { table_name } of tables) {
      const found = await door.sql(`select 1 from "${table_name}" t where t::text like '%' || cast(? as text) || '%'`, [
        token.slice(12),
      ]);
      expect([table_name, found]).toEqual([table_name, []]);
    }
    expect(door.logged.join('')).not.toContain(token.slice(12));
  });
});
