// `muster app` as an operator meets it; help and wrong usage stand with those of all commands.
import { beforeAll, expect, it, vi } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';
import { runHere } from '../harness/run-here.ts';

vi.setConfig({ testTimeout: 120_000 });

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const muster = (line: string) => runHere(door.databaseUrl, line.split(' '));
const getStatus = async (token: string): Promise<number> =>
  (await door.rest('GET', '/teams', undefined, token.trim())).status;
const permissions = 'people.read,contacts.read';

it('app create prints a token that works, list shows the app, token makes another, and delete ends both', async () => {
  const { out: token, code } = await muster(
    `app create --space 1 --name Forms --permissions ${permissions} --share 20`,
  );
  expect([code, await getStatus(token)]).toEqual([0, 200]);
  const { out: listed } = await muster('app list --space 1 --json');
  const app = JSON.parse(listed);
  expect(app).toMatchObject({
    name: 'Forms',
    permissions: ['contacts.read', 'people.read'],
    scope: 'admin',
    share: 20,
  });
  expect((await muster('app list --space 1')).out).toMatch(/NAME.*\n.*Forms.*20 %.*contacts.read,people.read/);
  const { out: second } = await muster(`app token --space 1 --app ${app.id} --label new --expires 30d`);
  expect(await getStatus(second)).toBe(200);
  const { out: tokens } = await muster('token list --space 1');
  expect(tokens).toMatch(/new +admin +1 +app Forms +valid until/);
  const [{ id }] = await door.sql('select min(id) as id from tokens where app_id = ?', [app.id]);
  expect((await muster(`token revoke ${id}`)).out).toBe(`token ${id} revoked\n`);
  expect([await getStatus(token), await getStatus(second)]).toEqual([401, 200]);
  expect((await muster(`app delete --space 1 --app ${app.id}`)).out).toBe(`app ${app.id} deleted\n`);
  expect(await getStatus(second)).toBe(401);
  expect((await muster('app list --space 1 --json')).out).toBe('');
});

it.each([
  ['app create --space 99 --name X --permissions contacts.read', 1, 'muster: There is no space 99'],
  ['app create --space 1 --name X --permissions contacts.read,members.write', 2, 'members.write: an app can have'],
  ['app create --space 1 --name X --permissions contacts.read --share 0', 2, 'must be a whole number from 1 to 100'],
  [
    'app create --space 1 --name X --permissions contacts.read --scope all',
    2,
    'Allowed choices are read, write, admin',
  ],
  ['app token --space 1 --app 7', 1, 'There is no app 7'],
  ['app delete --space 1 --app 7', 1, 'There is no app 7'],
])('%s fails', async (line, code, message) => {
  const answer = await muster(line);
  expect([answer.code, answer.out]).toEqual([code, '']);
  expect(answer.err).toContain(message);
});

it('audit names the app', async () => {
  const { out: token } = await muster(`app create --space 1 --name Writer --permissions notes.write,contacts.read`);
  const [{ id }] = await door.sql(`select id from apps where name = 'Writer'`);
  const [{ contact }] = await door.sql(
    'select min(id) as contact from contacts where group_id = 1 and deleted_at is null',
  );
  expect((await door.rest('POST', `/v1/contacts/${contact}/notes`, { content: 'A note' }, token.trim())).status).toBe(
    201,
  );
  expect((await muster(`audit --space 1 --user ${id}`)).out).toContain(`  app ${id}  token `);
});
