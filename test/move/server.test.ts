// muster move-in --from: a whole space moved from Muster itself, moved again, changed on both sides, undone.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { insertFullContact } from '../contract/full-contact.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import type { Result } from '../harness/command-line.ts';
import { runHere } from '../harness/run-here.ts';
import { ageContacts, createSpace, listStaleRows, readSpace, serveApp } from './moving.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let door: Door;
let address: string;
let space: number;
let token: string;
let full: Json;
const move = (...args: string[]): Promise<Result> =>
  runHere(door.databaseUrl, ['move-in', '--from', address, '--space', String(space), ...args], {
    SOURCE_TOKEN: token,
  });
const write = async (method: string, path: string, body: Json): Promise<Json> => {
  const answer = await door.rest(method, path, body);
  expect([answer.status, answer.body.errors ?? '']).toEqual([200, '']);
  return answer.body.data.contact;
};
const awkward: Json[] = [
  { surname: 'Nulls' },
  { firstname: ' padded ', surname: "O'Neil; \"x\", 'y'", mail: 'O.Neil+tag@Example.ORG', phone: '(04) 00-00' },
  { surname: 'Ain', address: { postalcode: '01000', housenumber: '12 bis', citycode: '2A004', floor: '0' } },
  { surname: 'Numbers', address: { postalcode: '75001', housenumber: '7', latitude: 0, longitude: -0.5 } },
  { surname: 'Émoji 😀', tags: ['a;b', 'Ünï', 'x'], birthdate: '0001-01-01' },
  { surname: '=formula()', external_id: '00042', black_list: true, age_category: 0 },
  { surname: 'Twin' },
  { surname: 'Twin' },
];

beforeAll(async () => {
  door = await openApp();
  [address, space, token] = [await serveApp(door), await createSpace(door), await door.token(1, 1)];
  full = await insertFullContact(door);
  for (const contact of awkward) await write('POST', '/contacts', contact);
  await write(
    'PATCH',
    `/contacts/${(await write('POST', '/contacts', { surname: 'Gone address', address: { city: 'X' } })).id}`,
    {
      address: null,
    },
  );
  const forms = (await door.rest('GET', '/forms/survey')).body.data.forms as Json[];
  const many = forms.find((form) => form.type === 'checkbox') ?? forms[0];
  const formdatas = many.refvalues.map((ref: Json) => ({
    form_id: many.id,
    form_ref_id: ref.id,
    date: '2020-02-02T02:02:02.000002Z',
  }));
  await write('POST', '/contacts', {
    surname: 'Answers',
    formdatas: many.type === 'checkbox' ? formdatas : formdatas.slice(0, 1),
  });
  await ageContacts(door, 1);
});

describe('a server', () => {
  it('is moved whole, and shows the same here', async () => {
    const dry = await move('--dry-run');
    expect(dry.err + dry.out).toContain('dry run, nothing was written');
    expect(await door.sql('select 1 from contacts where group_id = ?', [space])).toEqual([]);
    expect(await door.sql('select 1 from forms where group_id = ?', [space])).toEqual([]);
    expect(await door.sql('select 1 from imports where group_id = ?', [space])).toEqual([]);
    const { code, out, err } = await move('--page', '100');
    expect([code, out]).toEqual([0, expect.stringMatching(/contacts: \d+ read, \d+ created\n/)]);
    expect(err).toMatch(/^import \d+ begins\n$/);
    expect(out.split('\n').slice(0, -2)).toEqual(dry.out.split('\n').slice(0, -2));
    const [source, target] = [await readSpace(door, 1), await readSpace(door, space)];
    expect(target.contacts.length).toBeGreaterThan(400);
    expect(target.contacts.find(({ id }: Json) => id === full.id).notes.pinned).toBe(true);
    expect(target).toEqual(source);
    expect(await listStaleRows(door, space)).toEqual([]);
  });

  it('is read again without a change, and a change of it is brought over', async () => {
    const before = await door.sql('select id, version, updated_at from contacts where group_id = ? order by id', [
      space,
    ]);
    const again = await move();
    expect([again.code, again.out]).toEqual([0, expect.stringMatching(/contacts: \d+ read, \d+ unchanged\n/)]);
    expect(again.out).not.toMatch(/read,.*(created|updated)/);
    expect(
      await door.sql('select id, version, updated_at from contacts where group_id = ? order by id', [space]),
    ).toEqual(before);
    const [twin, other] = await door.sql(`select id from contacts where group_id = 1 and surname = 'Twin' order by id`);
    const own = await door.token(space, 1);
    await write('PATCH', `/contacts/${full.id}`, {
      firstname: 'Zoë',
      mail: null,
      tags: ['quill'],
      formdatas: [],
      address: null,
    });
    await door.sql(
      'update notes set content = ?, updated_at = now() where group_id = 1 and contact_id = ? and pinned',
      ['edited', full.id],
    );
    await door.sql('update interactions set deleted_at = now() where group_id = 1 and contact_id = ?', [full.id]);
    await door.rest('DELETE', `/contacts/${twin.id}`);
    const added = await write('POST', '/contacts', { surname: 'Added', notes: [{ content: 'new', pinned: true }] });
    expect((await door.rest('PATCH', `/contacts/${other.id}`, { surname: 'Changed here' }, own)).status).toBe(200);
    const changed = await move();
    expect(changed.out).toMatch(
      /contacts: \d+ read, 1 created, 1 updated, \d+ unchanged, 1 kept, since they were changed or deleted here, 1 kept here, though/,
    );
    const [source, target] = [await readSpace(door, 1), await readSpace(door, space)];
    const find = (contacts: Json[], id: number): Json => contacts.find((one) => one.id === id);
    for (const id of [full.id, added.id]) expect(find(target.contacts, id)).toEqual(find(source.contacts, id));
    expect(find(target.contacts, Number(other.id)).surname).toBe('Changed here');
    const last = await move('--overwrite', '--delete');
    expect(last.out).toMatch(/1 updated, \d+ unchanged, 1 deleted, since the source has deleted them/);
    expect(await readSpace(door, space)).toEqual(await readSpace(door, 1));
    expect(await listStaleRows(door, space)).toEqual([]);
    // The ids that the space assigns are above those that it has kept.
    expect((await door.rest('POST', '/contacts', { surname: 'Own' }, own)).body.data.contact.id).toBeGreaterThan(
      added.id,
    );
  });

  it('is undone, and moved again with the same ids; its ids name contacts in files of records', async () => {
    const second = await createSpace(door);
    const into = (...args: string[]): Promise<Result> =>
      runHere(door.databaseUrl, ['move-in', '--from', address, '--space', String(second), ...args], {
        SOURCE_TOKEN: token,
      });
    const id = /import (\d+)/.exec((await into('--no-interactions')).out)![1]!;
    const keyed = await door.sql(
      'select record_id from import_keys where group_id = ? and import_id = ? and source_key = ?',
      [second, id, String(full.id)],
    );
    expect(keyed).toEqual([{ record_id: full.id }]);
    const undone = await runHere(door.databaseUrl, ['import', 'undo', id, '--space', String(second)]);
    expect(undone.out).toMatch(/contacts deleted, 0 restored, 0 kept/);
    const again = await into();
    expect([again.code, again.out]).toEqual([0, expect.stringMatching(/contacts: \d+ read, \d+ created\n/)]);
    expect(await readSpace(door, second)).toEqual(await readSpace(door, 1));
  });

  it('that has merged two contacts has their records on the survivor, and so have we', async () => {
    const third = await createSpace(door);
    const into = (...args: string[]): Promise<Result> =>
      runHere(door.databaseUrl, ['move-in', '--from', address, '--space', String(third), ...args], {
        SOURCE_TOKEN: token,
      });
    const made: Json[] = [];
    for (const surname of ['Survivor', 'Duplicate', 'Heir', 'Changed']) {
      const notes = [{ content: `note of ${surname}` }];
      const one = await write('POST', '/contacts', { surname, notes });
      await door.graphql(
        'mutation ($id: ID!, $title: String!) { createInteraction(input: { contactId: $id, type: "call", title: $title }) { interaction { id } } }',
        { id: `Contact:${one.id}`, title: `call with ${surname}` },
      );
      made.push(one);
    }
    const [survivor, duplicate, heir, changed] = made;
    await ageContacts(door, 1);
    expect((await into()).code).toBe(0);
    const own = await door.token(third, 1);
    expect((await door.rest('PATCH', `/contacts/${changed.id}`, { firstname: 'Here' }, own)).status).toBe(200);
    const merge = async (id: number, other: number): Promise<void> => {
      const document =
        'mutation ($id: ID!, $other: ID!) { mergeContacts(input: { survivorId: $id, ids: [$other] }) { mergeId } }';
      expect((await door.graphql(document, { id: `Contact:${id}`, other: `Contact:${other}` })).body.errors).toBe(
        undefined,
      );
    };
    await merge(survivor.id, duplicate.id);
    await merge(heir.id, changed.id);
    const shown = async (space: number, id: number): Promise<Json> => {
      const rows = await door.sql(
        `select r.id, r.title from interactions r where r.group_id = ? and r.contact_id = ? and r.deleted_at is null order by r.title`,
        [space, id],
      );
      return rows.map(({ title }) => title);
    };
    await into();
    const both = ['call with Duplicate', 'call with Survivor'];
    expect([await shown(1, survivor.id), await shown(third, survivor.id)]).toEqual([both, both]);
    expect(await shown(third, duplicate.id)).toEqual([]);
    // A contact that was changed here keeps what it has.
    expect(await shown(third, changed.id)).toEqual(['call with Changed']);
    expect(await shown(third, heir.id)).toEqual(['call with Changed', 'call with Heir']);
    await into('--delete');
    expect(await shown(third, heir.id)).toEqual(await shown(1, heir.id));
    expect((await into()).out).not.toMatch(/read,.*(created|updated)/);
    expect(await listStaleRows(door, third)).toEqual([]);
  });

  it('of which two contacts were merged here keeps the records of both, also with --overwrite', async () => {
    const fourth = await createSpace(door);
    const into = (...args: string[]): Promise<Result> =>
      runHere(door.databaseUrl, ['move-in', '--from', address, '--space', String(fourth), ...args], {
        SOURCE_TOKEN: token,
      });
    const made: number[] = [];
    for (const surname of ['Ours', 'Theirs']) {
      const { id } = await write('POST', '/contacts', { surname, notes: [{ content: `note of ${surname}` }] });
      const input = { contactId: `Contact:${id}`, type: 'call', title: `call with ${surname}` };
      const document =
        'mutation ($input: InteractionCreateInput!) { createInteraction(input: $input) { interaction { id } } }';
      expect((await door.graphql(document, { input })).body.errors).toBe(undefined);
      made.push(id);
    }
    await ageContacts(door, 1);
    expect((await into()).code).toBe(0);
    const own = await door.token(fourth, 1);
    const [id, other] = made.map((one) => `Contact:${one}`);
    const merge =
      'mutation ($id: ID!, $other: ID!) { mergeContacts(input: { survivorId: $id, ids: [$other] }) { mergeId } }';
    expect((await door.graphql(merge, { id, other }, own)).body.errors).toBe(undefined);
    const list = async (): Promise<Json[]> =>
      (
        await door.sql(
          `select title as text from interactions where group_id = ? and contact_id = ? and deleted_at is null
           union all select content from notes where group_id = ? and contact_id = ? and deleted_at is null order by 1`,
          [fourth, made[0], fourth, made[0]],
        )
      ).map(({ text }) => text);
    const all = ['call with Ours', 'call with Theirs', 'note of Ours', 'note of Theirs'];
    expect(await list()).toEqual(all);
    expect((await into('--overwrite')).code).toBe(0);
    expect(await list()).toEqual(all);
  });

  it.each([
    ['2020-01-01T00:00:00Z', 'no', 'later than in the source'],
    ['2100-01-01T00:00:00Z', 'yes', 'finished'],
  ])('whose answer on consent is of %s leaves %s of one that was refused here, with --overwrite', async (date, left, told) => {
    const fifth = await createSpace(door);
    const into = (...args: string[]): Promise<Result> =>
      runHere(door.databaseUrl, ['move-in', '--from', address, '--space', String(fifth), ...args], {
        SOURCE_TOKEN: token,
      });
    const [form] = await door.sql(
      `insert into forms (group_id, kind, type, label) values (1, 'consent', 'radio', ?) returning id`,
      [`News ${left}`],
    );
    const options = await door.sql(
      `insert into form_refs (group_id, form_id, label) values (1, ?, 'yes'), (1, ?, 'no') returning id, label`,
      [form.id, form.id],
    );
    const [yes, no] = options.map((one) => ({
      form_id: Number(form.id),
      form_ref_id: Number(one.id),
      data: one.label,
    }));
    const [other] = await door.sql(
      `insert into forms (group_id, kind, type, label) values (1, 'survey', 'checkbox', ?) returning id`,
      [`Size ${left}`],
    );
    const sizes = await door.sql(
      `insert into form_refs (group_id, form_id, label) values (1, ?, 'S'), (1, ?, 'M') returning id`,
      [other.id, other.id],
    );
    const both = sizes.map((one) => ({ form_id: Number(other.id), form_ref_id: Number(one.id) }));
    const { id } = await write('POST', '/contacts', { surname: 'Asked', formdatas: [{ ...yes, date }, ...both] });
    await ageContacts(door, 1);
    expect((await into()).code).toBe(0);
    const own = await door.token(fifth, 1);
    const refusal = { formdatas: [{ ...no, date: '2026-01-01T00:00:00Z' }, ...both] };
    expect((await door.rest('PATCH', `/contacts/${id}`, refusal, own)).status).toBe(200);
    const { out, err } = await into('--overwrite');
    expect(out + err).toContain(told);
    const { formdatas } = (await door.rest('GET', `/contacts/${id}`, undefined, own)).body.data.contact;
    expect(formdatas.flatMap(({ data }: Json) => data ?? [])).toEqual([left]);
    // A fault of another answer is told at its place in the source.
    const turn = (type: string) => door.sql('update forms set type = ? where id = ?', [type, other.id]);
    await turn('radio');
    expect((await into('--overwrite')).err).toContain(`contacts ${id} rejected: answers[2].formId`);
    await turn('checkbox');
  });

  it('that cannot be read is told from one that refuses', async () => {
    const refused = await runHere(door.databaseUrl, ['move-in', '--from', address, '--space', String(space)], {
      SOURCE_TOKEN: 'no',
    });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('does not accept the token')]);
    expect(refused.err).toContain('Nothing was written.');
    const bare = await runHere(door.databaseUrl, ['move-in', '--from', 'http://example.org', '--space', '1']);
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('would get the token unencrypted')]);
    const both = await runHere(door.databaseUrl, ['move-in', 'folder', '--from', address, '--space', '1']);
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('either a folder or a server')]);
  });
});
