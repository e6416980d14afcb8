// A user's picture is displayed to others by pages built on Muster, so its address must not run scripts or reveal secrets.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});
const user = async (): Promise<Json> => (await door.sql('select mail, avatar, updated_at from users where id = 1'))[0];
const message = 'must be an https: address, such as https://example.org/ada.png, or empty';

describe('an avatar', () => {
  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)//https://example.org',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'http://example.org/a.png',
    '//example.org/a.png',
    '/a.png',
    'a.png',
    ' ',
    ' https://example.org/a.png',
    '\thttps://example.org/a.png',
    'https:a.png',
    'https:///a.png',
    'https:\\\\example.org\\a.png',
    'https://',
    'https://exa mple.org/a.png',
    'https://example.org:port/a.png',
    'https://example.org/a.png\nx',
    'https://example.org/a.png" onerror="alert(1)',
    'file:///etc/passwd',
  ])('%j is refused by both doors, with its place, its value and what is allowed', async (avatar) => {
    const before = await user();
    const rest = await door.rest('PATCH', '/users/1', { data: { mail: before.mail, avatar } });
    expect([rest.status, rest.body.errors]).toEqual([400, [{ location: 'body.data.avatar', message, value: avatar }]]);
    const graph = await door.graphql(
      'mutation ($input: UserUpdateInput!) { updateUser(input: $input) { user { avatar } } }',
      {
        input: { id: 1, email: before.mail, avatar },
      },
    );
    expect(graph.body.errors[0].extensions).toMatchObject({
      code: 'invalid-request',
      errors: [{ location: 'input.avatar', message, value: avatar }],
    });
    expect(await user()).toEqual(before);
  });

  it.each([
    'https://example.org/avatars/1.png',
    'HTTPS://example.org',
    'https://xn--9ca.example:8443/a%20b?c=d&e#f',
    '',
    null,
  ])('%j is accepted', async (avatar) => {
    const { mail } = await user();
    const { status } = await door.rest('PATCH', '/users/1', { data: { mail, avatar } });
    expect([status, (await user()).avatar]).toEqual([200, avatar || null]);
  });
});
