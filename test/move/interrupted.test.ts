// An import from a server that is killed, and one of a server that fails, repeats itself, and changes while it is read.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildProgram } from '../harness/program.ts';
import { runHere } from '../harness/run-here.ts';
import { ageContacts, createSpace, listenLocally, readContacts, readSpace, serveApp } from './moving.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const { program, folder } = buildProgram();
let door: Door;
let token: string;
beforeAll(async () => {
  door = await openApp();
  token = await door.token(1, 1);
});

const pageOf = async (request: Request): Promise<number | undefined> =>
  new URL(request.url).pathname === '/search'
    ? (JSON.parse(await request.clone().text()).data.advanced_search.page as number)
    : undefined;

it('is continued after a kill, and nothing is written twice', async () => {
  const space = await createSpace(door);
  let reached = (): void => {};
  const third = new Promise<void>((resolve) => {
    reached = resolve;
  });
  let isHeld = true;
  const asked: number[] = [];
  const address = await serveApp(door, async (request) => {
    const page = await pageOf(request);
    if (page !== undefined) asked.push(page);
    if (page !== 3 || !isHeld) return undefined;
    reached();
    return new Promise<Response>(() => {});
  });
  const args = ['move-in', '--from', address, '--space', String(space), '--page', '50'];
  const env = { PATH: process.env.PATH, DATABASE_URL: door.databaseUrl, SOURCE_TOKEN: token };
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env, stdio: 'ignore' });
  await third;
  // The page before is written while the third is read.
  await vi.waitFor(async () => expect((await readContacts(door, space)).length).toBeGreaterThanOrEqual(100), 30_000);
  child.kill('SIGKILL');
  await once(child, 'close');
  isHeld = false;
  asked.length = 0;
  const { code, out, err } = await runHere(door.databaseUrl, args, { SOURCE_TOKEN: token });
  expect([code, err]).toEqual([0, expect.stringMatching(/^continuing import \d+\n.*its pages are read again/)]);
  expect(asked[0]).toBeGreaterThanOrEqual(2);
  const target = await readSpace(door, space);
  expect(target).toEqual(await readSpace(door, 1));
  expect(out).toContain(`in all its runs ${target.contacts.length} contacts created, 0 updated, 0 rejected`);
});

it('loses nobody when the source deletes and adds contacts while its pages are read', async () => {
  const source = await createSpace(door);
  const sourceToken = await door.token(source, 1);
  const create = async (count: number): Promise<void> => {
    for (let number = 0; number < count; number++)
      await door.rest('POST', '/contacts', { data: { surname: `Slipping ${number}` } }, sourceToken);
  };
  await create(60);
  await ageContacts(door, source);
  const ids = (await readContacts(door, source)).map(({ id }) => id);
  let isDone = false;
  const address = await serveApp(door, async (request) => {
    if ((await pageOf(request)) !== 2 || isDone) return undefined;
    isDone = true;
    for (const id of ids.slice(0, 3)) {
      const mutation = `mutation { deleteContact(input: { id: "${id}" }) { databaseId } }`;
      expect((await door.graphql(mutation, {}, sourceToken)).body.errors).toBeUndefined();
    }
    await create(3);
    return undefined;
  });
  const target = await createSpace(door);
  const args = ['move-in', '--from', address, '--space', String(target), '--page', '10', '--delete'];
  const { code, err } = await runHere(door.databaseUrl, args, { SOURCE_TOKEN: sourceToken });
  expect([code, err]).toEqual([0, expect.stringContaining('its pages are read again')]);
  const moved = new Set((await readContacts(door, target)).map(({ id }) => id));
  expect((await readContacts(door, source)).filter(({ id }) => !moved.has(id))).toEqual([]);
  // What was deleted after it was read is deleted by the next run.
  await runHere(door.databaseUrl, args, { SOURCE_TOKEN: sourceToken });
  expect(await readSpace(door, target)).toEqual(await readSpace(door, source));
});

describe('a server', () => {
  /** A server of the contract with nothing but these pages of contacts. */
  const serve = async (pages: Json[][], total: number, more: Record<string, Json> = {}): Promise<string> =>
    listenLocally(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const path = request.url!.split('?')[0]!;
      const search = text && JSON.parse(text).data.advanced_search;
      const isChange = JSON.stringify(search ?? '').includes('"attr"');
      const reply = {
        '/search': isChange ? { contacts: [] } : { contacts: pages[search?.page] ?? null },
        '/kpi': { total },
        ...more,
      }[path];
      response.writeHead(reply ? 200 : 404, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ status: 'success', data: reply }));
    });
  const move = async (address: string, space: number, ...args: string[]) =>
    runHere(door.databaseUrl, ['move-in', '--from', address, '--space', String(space), ...args], {
      SOURCE_TOKEN: token,
    });

  it('that spells in other ways, repeats contacts and has faulty ones is read as far as it can be', async () => {
    const space = await createSpace(door);
    const address = await serve(
      [
        [
          {
            id: '7',
            surname: 'Text id',
            age_category: '3',
            tags: null,
            formdatas: null,
            customfields: null,
            address: null,
          },
          {
            id: 8,
            surname: 'Plain',
            mail: 'not a mail',
            tags: ['loose', { name: 'box', color: 'red' }],
            actions_ids: [4],
          },
          { id: 2 ** 53, surname: 'No id' },
          { id: 9, surname: 'x'.repeat(300) },
          { id: 2 ** 53 - 1, surname: 'High id', notes: { id: 2 ** 53 - 1, data: 'high', pinned: false } },
        ],
        [
          { id: 8, surname: 'Later', formdatas: [{ form_id: 5, form_ref_id: 6, data: 'gone' }] },
          {
            id: 10,
            birth_city: 'Lyon',
            custom_fields: [{ form_id: 31, form_ref_id: '32', data: 12 }],
            notes: [{ id: 3, data: 'N' }],
          },
        ],
      ],
      6,
      {
        '/forms/custom_fields': {
          forms: [{ id: 31, label: 'Shoe', type: 'numeric', refvalues: [{ id: 32, label: 'Size' }] }],
        },
      },
    );
    const first = await move(address, space);
    expect([first.code, first.out]).toEqual([
      1,
      expect.stringMatching(
        /contacts: 7 read, 4 created, 1 updated, 2 rejected\n1 records were written without a part/,
      ),
    ]);
    expect(first.err).toContain('the source has no list of teams');
    expect(first.err).toMatch(/contacts 9 rejected: surname .* must be at most 255 characters/);
    expect(first.err).toMatch(
      /contacts 9007199254740992 rejected: id "9007199254740992" must be a whole number below 2\^53/,
    );
    expect(first.err).toMatch(/contacts 8: formdatas\[0\].form_id "5" is not in the lists of forms/);
    const contacts = await readContacts(door, space);
    const names = contacts.map(({ id, surname }) => [id < 2 ** 52 ? id : 'high', surname]);
    expect(names.slice(0, 3)).toEqual([
      [7, 'Text id'],
      [8, 'Later'],
      [10, undefined],
    ]);
    // An id that would leave too few above it is not kept.
    expect(contacts[3]).toMatchObject({ surname: 'High id', notes: { data: 'high' } });
    expect(contacts[3].id).toBeLessThan(2 ** 52);
    expect(contacts[0].age_category).toBe(3);
    expect(contacts[2]).toMatchObject({
      birthcity: 'Lyon',
      custom_fields: [{ form_id: 31, form_ref_id: 32, data: '12' }],
      notes: { id: 3 },
    });
    const versions = () => door.sql('select id, version from contacts where group_id = ? order by id', [space]);
    const before = await versions();
    await move(address, space);
    expect((await versions()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });

  it('whose team shows one user, and no list of users, keeps the user', async () => {
    const space = await createSpace(door);
    const [{ mail }] = await door.sql('select mail from users where id = 1');
    const lone = { id: 12, mail };
    const address = await serve([[]], 0, {
      '/teams': { teams: [{ id: 5, name: 'Lone', users: lone, leaders: lone }] },
    });
    await move(address, space);
    const { body } = await door.rest('GET', '/teams', undefined, await door.token(space, 1));
    const [{ name, users, leaders }] = body.data.teams;
    expect({ name, users, leaders }).toMatchObject({ name: 'Lone', users: [{ id: 1 }], leaders: [{ id: 1 }] });
  });

  it('whose pages shift while they are read is read again', async () => {
    const space = await createSpace(door);
    // The second contact is on no page, as if it had slipped to the first one between two requests.
    const pages: Json[][] = [[{ id: 1, surname: 'A' }], [{ id: 3, surname: 'C' }]];
    const address = await serve(pages, 3);
    const { out, err } = await move(address, space);
    expect(err).toContain('1 contacts were not on any page');
    expect(err).toContain('1 contacts of the source were not found: run the command again');
    expect(out).toMatch(/contacts: 2 read, 2 created\n/);
    pages[1] = [{ id: 2, surname: 'B' }];
    pages[2] = [{ id: 3, surname: 'C' }];
    const again = await move(address, space);
    expect(again.out).toMatch(/contacts: 3 read, 1 created, 2 unchanged\n/);
  });
});
