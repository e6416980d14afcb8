// Whom a token of an identity provider means, for which space, and until when.
import { describe, expect, it, vi } from 'vitest';
import { linkAccount, unlinkAccount } from '../../src/data/access/account.ts';
import { revokeIssuedToken } from '../../src/data/access/token.ts';
import {
  askViewer,
  buildClaims,
  buildSpaceHeader,
  door,
  getMail,
  openWithProvider,
  passTime,
  provider,
  readStatusAndCode,
  useProvider,
} from './signing-in.ts';

useProvider();

describe('a person', () => {
  const who = async (claims: object): Promise<number | string> => {
    const { status, body } = await askViewer(
      await provider.sign({ email_verified: true, ...claims }),
      buildSpaceHeader(1),
    );
    return status === 200 ? body.data.viewer.user.databaseId : status;
  };

  it('is known by the verified mail at first, and from then on by the subject alone', async () => {
    expect(await who({ sub: 'a', email: getMail(2).toUpperCase() })).toBe(2);
    // The mail passed to somebody else, who must not get the account with it.
    expect(await who({ sub: 'b', email: getMail(2) })).toBe(401);
    // The person has got the mail of another user, or none.
    expect(await who({ sub: 'a', email: getMail(3) })).toBe(2);
    expect(await who({ sub: 'a', email: getMail(3), email_verified: false })).toBe(2);
    expect(await who({ sub: 'a' })).toBe(2);
    expect(await who({ sub: 'c', email: getMail(3) })).toBe(3);
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

  it('is not known by a mail whose letters only become those of another', async () => {
    await door.sql(`update users set mail = 'mark@example.org' where id = 10`);
    expect(await who({ sub: 'd', email: 'mar\u212a@example.org' })).toBe(401);
    expect(await who({ sub: 'd', email: 'MARK@example.org' })).toBe(10);
  });

  it('of two who ask at once with one mail gets the account, with one session; the other does not', async () => {
    const asked = Array.from({ length: 12 }, (_, place) =>
      who({ sub: place % 2 ? 'a' : 'b', email: getMail(2), jti: `${place}` }),
    );
    const answers = await Promise.all(asked);
    const isFirst = answers[0] === 2;
    expect(answers).toEqual(answers.map((_, place) => ((place % 2 === 0) === isFirst ? 2 : 401)));
    expect(await door.sql('select user_id from tokens where issuer is not null')).toEqual([{ user_id: 2 }]);
  });

  it('is known by the subject that the operator stored, with OIDC_USER_CLAIM=sub', async () => {
    await openWithProvider({ OIDC_USER_CLAIM: 'sub' });
    expect(await who({ sub: 'a', email: getMail(2) })).toBe(401);
    expect(await linkAccount(door.database.readers, 2, { issuer: provider.issuer, subject: 'a' })).toBe(getMail(2));
    expect(await linkAccount(door.database.readers, 2, { issuer: provider.issuer, subject: 'b' })).toBeUndefined();
    await expect(
      linkAccount(door.database.readers, 3, { issuer: provider.issuer, subject: 'a' }),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await who({ sub: 'a' })).toBe(2);
    expect(await unlinkAccount(door.database.readers, 2)).toBe(getMail(2));
    expect(await unlinkAccount(door.database.readers, 2)).toBeUndefined();
    expect(await who({ sub: 'a' })).toBe(401);
    // The subject is another user's now: no session of the one before is left.
    await linkAccount(door.database.readers, 3, { issuer: provider.issuer, subject: 'a' });
    expect(await who({ sub: 'a' })).toBe(3);
  });

  it('of another provider is another person', async () => {
    await linkAccount(door.database.readers, 2, { issuer: 'https://other.test', subject: 'a' });
    expect(await who({ sub: 'a', email: getMail(2) })).toBe(401);
  });

  it('has the scope that the token names', async () => {
    const write = 'mutation { createTag(input: { name: "new" }) { tag { name } } }';
    const invite = '{ imports(first: 1) { nodes { id } } }';
    const codes = async (scope: string): Promise<unknown[]> => {
      const token =
        scope === 'provider'
          ? await provider.issue('person-2', 'muster:read')
          : await provider.sign({ sub: 'person-2', ...buildClaims(2), scope });
      const answers = [
        await askViewer(token),
        await door.graphql(write, undefined, token),
        await door.graphql(invite, undefined, token),
      ];
      return answers.map(({ body }) => body.errors?.[0].extensions.code ?? 'done');
    };
    expect(await codes('provider')).toEqual(['done', 'forbidden', 'forbidden']);
    expect(await codes('openid muster:write muster:read')).toEqual(['done', 'done', 'forbidden']);
    expect((await codes('openid profile')).slice(2)).toEqual(['done']);
  });

  const mayNot = 'forbidden';
  it.each<[name: string, claims: object, write: string, admin: string]>([
    ['scp, a text', { scp: 'muster:read' }, mayNot, mayNot],
    ['scp, a list', { scp: ['openid', 'muster:write'] }, 'done', mayNot],
    ['scope, a list', { scope: ['muster:read', 'openid'] }, mayNot, mayNot],
    ['the lesser of both claims', { scope: 'muster:admin', scp: ['muster:read'] }, mayNot, mayNot],
    ['the lesser of both, in the other order', { scope: 'muster:read', scp: ['muster:admin'] }, mayNot, mayNot],
    [
      'one claim when the other has names of OpenID Connect alone',
      { scope: 'openid email', scp: 'muster:write' },
      'done',
      mayNot,
    ],
    ['scopes, a text', { scopes: 'muster:read' }, mayNot, mayNot],
    ['scopes, a list', { scopes: ['muster:write', 'muster:export'] }, 'done', mayNot],
    [
      'the least of three claims',
      { scope: 'muster:admin', scp: 'muster:write', scopes: 'muster:read' },
      mayNot,
      mayNot,
    ],
    ['a claim in capitals', { Scope: 'muster:read' }, mayNot, mayNot],
    ['another claim in capitals', { SCP: ['muster:write'] }, 'done', mayNot],
    ['names between tabs', { scope: 'openid\tmuster:write' }, 'done', mayNot],
    ['names on lines', { scp: ['openid\r\nmuster:write', '\tprofile'] }, 'done', mayNot],
    ['what they know of several', { scope: 'muster:write muster:export' }, 'done', mayNot],
    ['reading for capitals', { scope: 'Muster:Write' }, mayNot, mayNot],
    ['reading for a scope that is unknown', { scope: 'openid muster:everything' }, mayNot, mayNot],
    ['reading for a scope of another form', { scp: ['muster.admin'] }, mayNot, mayNot],
    ['reading for a scope of another service', { scp: 'User.Read' }, mayNot, mayNot],
    ['reading for another separator', { scope: 'muster:read,muster:admin' }, mayNot, mayNot],
    ['reading for an empty list', { scp: [] }, mayNot, mayNot],
    ['reading for an empty text', { scope: ' ' }, mayNot, mayNot],
    [
      'all for the names of OpenID Connect and of the service',
      { scope: 'openid email profile offline_access muster' },
      'done',
      'done',
    ],
    ['all without a claim', {}, 'done', 'done'],
  ])('takes %s', async (_, claims, write, admin) => {
    const token = await provider.sign({ sub: 'person-2', ...buildClaims(2), ...claims });
    const codeOfAnswer = async (document: string) =>
      (await door.graphql(document, undefined, token)).body.errors?.[0].extensions.code ?? 'done';
    expect([
      await codeOfAnswer('{ tags(first: 1) { nodes { id } } }'),
      await codeOfAnswer('mutation { recordEmailEvents(input: { events: [] }) { __typename } }').then((code) =>
        code === 'invalid-request' ? 'done' : code,
      ),
      await codeOfAnswer('{ imports(first: 1) { nodes { id } } }'),
    ]).toEqual(['done', write, admin]);
  });
});

describe('the space', () => {
  const both = () => provider.issue('person-4');

  it('is asked for when the user has several, and is one of theirs', async () => {
    const token = await both();
    const none = await askViewer(token);
    expect(readStatusAndCode(none)).toEqual([400, 'invalid-request']);
    expect(none.body.errors[0].extensions.errors).toEqual([
      { location: 'header.X-Muster-Space', message: 'is missing: the user is in several spaces, send one of 1, 2' },
    ]);
    expect((await door.rest('GET', '/teams', undefined, token)).status).toBe(400);
    const spaces = await Promise.all([1, 2].map((space) => askViewer(token, buildSpaceHeader(space))));
    expect(spaces.map(({ body }) => body.data.viewer.space.databaseId)).toEqual([1, 2]);
    for (const bad of ['', 'one', '1.5', '-1', '1, 2', '99999999999999999999'])
      expect(readStatusAndCode(await askViewer(token, buildSpaceHeader(bad))), bad).toEqual([400, 'invalid-request']);
  });

  it('of others is refused as one that does not exist', async () => {
    const token = await provider.issue('person-1');
    const answers = [await askViewer(token, buildSpaceHeader(2)), await askViewer(token, buildSpaceHeader(777))];
    expect(answers.map(readStatusAndCode)).toEqual(Array(2).fill([403, 'forbidden']));
    const [there, missing] = answers.map(({ body }) => body.errors[0].message);
    expect(there.replace('2', '777')).toBe(missing);
    expect((await askViewer(token)).body.data.viewer.space.databaseId).toBe(1);
  });

  it('can be in a claim, which no header overrides', async () => {
    await openWithProvider({ OIDC_SPACE_CLAIM: 'muster_space' });
    const sign = (space: unknown) => provider.sign({ sub: 'person-4', ...buildClaims(4), muster_space: space });
    const token = await sign(2);
    for (const headers of [{}, buildSpaceHeader(2)])
      expect((await askViewer(token, headers)).body.data.viewer.space.databaseId).toBe(2);
    expect(readStatusAndCode(await askViewer(token, buildSpaceHeader(1)))).toEqual([403, 'forbidden']);
    for (const bad of ['2', [2], 2.5, -1, null])
      expect((await askViewer(await sign(bad))).status, String(bad)).toBe(401);
    expect((await askViewer(await sign(undefined), buildSpaceHeader(1))).body.data.viewer.space.databaseId).toBe(1);
  });

  it('of an own token is not changed by the header: another one is refused', async () => {
    const own = await door.token(1, 4);
    expect((await askViewer(own, buildSpaceHeader(1))).status).toBe(200);
    expect(readStatusAndCode(await askViewer(own, buildSpaceHeader(2)))).toEqual([403, 'forbidden']);
    expect(readStatusAndCode(await askViewer(own, buildSpaceHeader('two')))).toEqual([400, 'invalid-request']);
  });

  it('stays that of the token when the user selects another for their own tokens', async () => {
    const token = await both();
    const own = await door.token(1, 4);
    expect((await askViewer(token, buildSpaceHeader(1))).status).toBe(200);
    const select =
      'mutation ($email: String!) { updateUser(input: { id: 4, email: $email, selectedGroupId: 2, updateToken: true }) { user { databaseId } } }';
    expect((await door.graphql(select, { email: getMail(4) }, own)).body.errors).toBeUndefined();
    expect((await askViewer(own)).body.data.viewer.space.databaseId).toBe(2);
    expect((await askViewer(token, buildSpaceHeader(1))).body.data.viewer.space.databaseId).toBe(1);
  });
});

describe('a session', () => {
  const now = Math.floor(Date.now() / 1000);
  const sign = (claims: object = {}) => provider.sign({ sub: 'person-2', ...buildClaims(2), ...claims });
  const statusOf = async (token: string, headers = {}) => (await askViewer(token, headers)).status;

  it('costs the statements of an own token, one more for the first request, and two for the first of a person', async () => {
    const [own, token, next] = [await door.token(1, 2), await sign(), await sign({ jti: 'next' })];
    const countOpened = async (from: string): Promise<number> =>
      (await door.statements(() => askViewer(from))).filter((sql) => /open_session/.test(sql)).length;
    expect([await countOpened(token), await countOpened(next), await countOpened(token)]).toEqual([2, 1, 0]);
    const [known, same] = [await door.statements(() => askViewer(token)), await door.statements(() => askViewer(own))];
    expect(known).toEqual(same);
    expect(known.filter((sql) => /enter_gate/.test(sql))).toHaveLength(1);
  });

  it('is opened for several people at once', async () => {
    const users = await door.sql(
      'select u.id, u.mail as email from members m join users u on u.id = m.user_id where u.mail_confirmed and u.deleted_at is null group by u.id having count(*) = 1 order by 1 limit 8',
    );
    const tokens = await Promise.all(users.map(({ id, email }) => sign({ sub: `new-${id}`, email })));
    expect(await Promise.all(tokens.map((token) => statusOf(token)))).toEqual(users.map(() => 200));
    expect(users.length).toBeGreaterThan(4);
  });

  it('is one row for all tokens of a person, space and scope, which lasts as long as the last of them', async () => {
    const tokens = [
      await sign({ exp: now + 300, jti: '1' }),
      await sign({ exp: now + 900 }),
      await sign({ exp: now + 300, jti: '2' }),
    ];
    for (const token of [...tokens, await sign({ scope: 'muster:read', exp: now + 600 })])
      expect(await statusOf(token)).toBe(200);
    const rows = await door.sql(
      'select scope, extract(epoch from expires_at)::int - $1 as seconds from tokens where issuer is not null order by id'.replace(
        '$1',
        `${now}`,
      ),
    );
    expect(rows).toEqual([
      { scope: 'admin', seconds: 960 },
      { scope: 'read', seconds: 660 },
    ]);
  });

  it('ends for each token when it expires, though the row lasts longer', async () => {
    const [short, long] = [await sign({ exp: now + 300 }), await sign({ exp: now + 3000 })];
    for (const token of [short, long]) expect(await statusOf(token)).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400_000 });
    expect([await statusOf(short), await statusOf(long)]).toEqual([401, 200]);
  });

  it.each([
    ['is removed from the space', 6, 'delete from members where user_id = 6', 403],
    ['is deleted', 9, 'update users set deleted_at = now() where id = 9', 401],
    ['loses the space', 33, 'update spaces set deleted_at = now() where id = 2', 403],
  ])('is over with the next request when the user %s', async (_, user, sql, status) => {
    const make = (jti: string) => provider.sign({ sub: `user-${user}`, ...buildClaims(user), jti });
    const token = await make('known');
    expect(await statusOf(token)).toBe(200);
    await door.sql(sql);
    const after = [
      statusOf(token),
      statusOf(token, buildSpaceHeader(user === 33 ? 2 : 1)),
      make('new').then((fresh) => statusOf(fresh)),
    ];
    expect(await Promise.all(after)).toEqual([status, status, status]);
    await door.sql('update spaces set deleted_at = null');
  });

  it('of a token that was refused while the clock of the process was ahead opens when the clock is right again', async () => {
    const token = await provider.sign({ sub: 'person-1', ...buildClaims(1) });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7_200_000 });
    expect((await askViewer(token)).status).toBe(401);
    vi.useRealTimers();
    passTime(61);
    expect((await askViewer(token)).status).toBe(200);
  });

  it('that is revoked stays so for all tokens issued until then, also when a later one opens another', async () => {
    const [before, unseen] = [await sign({ iat: now - 300 }), await sign({ iat: now - 290 })];
    expect(await statusOf(before)).toBe(200);
    const [{ id }] = await door.sql('select id from tokens where issuer is not null');
    expect(await revokeIssuedToken(door.database.space(1), id)).toBe(true);
    expect([await statusOf(before), await statusOf(unseen), await statusOf(await sign())]).toEqual([401, 401, 401]);
    // Two minutes later.
    await door.sql(`update tokens set revoked_at = now() - interval '2 minutes' where id = ${id}`);
    const after = await sign();
    expect([await statusOf(before), await statusOf(unseen), await statusOf(after)]).toEqual([401, 401, 200]);
    expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200]);
  });
});
