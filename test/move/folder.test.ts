// muster move-in with a folder: contacts, forms, tags and notes in CSV, read twice.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { openApp } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';
import { runHere } from '../harness/run-here.ts';
import { createSpace, listStaleRows, readContacts } from './moving.ts';

it('is moved with its ids and times, and again without a change', async () => {
  const door = await openApp();
  const space = await createSpace(door);
  const folder = createFolder();
  const move = (...args: string[]) => runHere(door.databaseUrl, ['move-in', folder, '--space', String(space), ...args]);
  try {
    const none = await move();
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('has no contacts.csv')]);
    const former = await runHere(door.databaseUrl, ['import', 'qomon', folder, '--space', String(space)]);
    const notice = '`muster import qomon` is now `muster move-in`; the old name goes with the next release.\n';
    expect(former).toEqual({ ...none, err: `${notice}${none.err}` });
    writeFileSync(
      join(folder, 'forms.csv'),
      'id;kind;label;type;refvalue_id;refvalue_label;refvalue_value\n900;consent;News;radio;901;Oui;yes\n900;consent;News;radio;902;Non;no\n910;custom_fields;Shoe;numeric;911;Size;\n',
    );
    writeFileSync(join(folder, 'tags.csv'), 'name;color;contact_id\nRed;#f00;\nBlue;#00f;71\n');
    writeFileSync(
      join(folder, 'notes.csv'),
      'id,contact_id,data,pinned,created_at\n5,70,"first, long",false,2020-01-01T00:00:00Z\n6,70,pinned,true,2019-01-01T00:00:00Z\n7,x,nobody,false,\n',
    );
    writeFileSync(
      join(folder, 'contacts.csv.gz'),
      gzipSync(
        'id,CreatedAt,lastchange,Nom,birthdate,address_postalcode,tags,black_list,form:consent:News,form:custom_fields:Shoe\n' +
          '70,2018-01-02T03:04:05.000006Z,2021-01-01T00:00:00Z,Dupré,03/02/1980,01400,Red; Green,oui,Oui,42\n' +
          '71,,,Noël,,,,,,\n72,,,Bad,31/02/1980,,,,,\n',
      ),
    );
    const names =
      'id=id,CreatedAt=CreatedAt,lastchange=lastchange,Nom=surname,birthdate=birthdate,address_postalcode=address_postalcode';
    const rest =
      'tags=tags,black_list=black_list,form:consent:News=form:consent:News,form:custom_fields:Shoe=form:custom_fields:Shoe';
    const first = await move('--days', 'dmy', '--map', `${names},${rest}`);
    expect([first.code, first.err]).toEqual([
      1,
      expect.stringMatching(/contacts 72 rejected: birthdate "31\/02\/1980" must be/),
    ]);
    expect(first.err).toContain('notes.csv, line 4: contact_id is no id');
    expect(first.out).toMatch(
      /forms: 2 read, 2 created\noptions: 3 read, 3 created\ncontacts: 3 read, 2 created, 1 rejected\n/,
    );
    const contacts = await readContacts(door, space);
    expect(contacts).toMatchObject([
      {
        id: 70,
        CreatedAt: '2018-01-02T03:04:05.000006Z',
        lastchange: '2021-01-01T00:00:00Z',
        surname: 'Dupré',
        birthdate: '1980-02-03T00:00:00Z',
        black_list: true,
        address: { postalcode: '01400' },
        tags: [{ name: 'Green' }, { name: 'Red', color: '#f00' }],
        formdatas: [{ form_id: 900, form_ref_id: 901, data: 'yes' }],
        customfields: [{ form_id: 910, form_ref_id: 911, data: '42' }],
        notes: { id: 6, data: 'pinned', pinned: true, created_at: '2019-01-01T00:00:00Z' },
      },
      { id: 71, surname: 'Noël', black_list: false, tags: [{ name: 'Blue', color: '#00f' }] },
    ]);
    expect(await door.sql('select id from notes where group_id = ? order by id', [space])).toEqual([
      { id: 5 },
      { id: 6 },
    ]);
    const again = await move('--days', 'dmy', '--map', `${names},${rest}`);
    expect(again.out).toMatch(/contacts: 3 read, 2 unchanged, 1 rejected\n/);
    expect(await readContacts(door, space)).toEqual(contacts);
    expect(await listStaleRows(door, space)).toEqual([]);
  } finally {
  }
});

it('that is undone comes back when it is moved again, and what a user has deleted does not', async () => {
  const door = await openApp();
  const space = await createSpace(door);
  const folder = createFolder();
  writeFileSync(join(folder, 'contacts.csv'), 'id,surname\n900070,Deleted\n900071,Undone\n');
  const run = (...args: string[]) => runHere(door.databaseUrl, [...args, '--space', String(space)]);
  const move = async () => /^contacts: .*$/m.exec((await run('move-in', folder)).out)![0];
  const undo = async (id: number) => (await run('import', 'undo', String(id))).out;
  const list = async () => (await readContacts(door, space)).map(({ surname }) => surname);
  const token = await door.token(space, 1);
  expect(await move()).toBe('contacts: 2 read, 2 created');
  expect((await door.rest('DELETE', '/contacts/900070', undefined, token)).status).toBe(200);
  const keptAndUnchanged = 'contacts: 2 read, 1 unchanged, 1 kept, since they were changed or deleted here';
  expect(await move()).toBe(keptAndUnchanged);
  // The second run has read both, and written neither.
  expect(await undo(2)).toContain('0 contacts deleted');
  expect([await move(), await list()]).toEqual([keptAndUnchanged, ['Undone']]);
  expect([await undo(1), await list()]).toEqual([
    expect.stringContaining('1 contacts deleted, 0 restored, 1 kept'),
    [],
  ]);
  expect([await move(), await list()]).toEqual([
    'contacts: 2 read, 1 created, 1 kept, since they were changed or deleted here',
    ['Undone'],
  ]);
  // Restored and deleted by a user, it stays deleted.
  expect(await undo(4)).toContain('1 contacts deleted');
  const restore = 'mutation { restoreContact(input: { id: "Contact:900071" }) { contact { id } } }';
  expect((await door.graphql(restore, {}, token)).body.errors).toBeUndefined();
  expect((await door.rest('DELETE', '/contacts/900071', undefined, token)).status).toBe(200);
  expect([await move(), await list()]).toEqual([
    'contacts: 2 read, 2 kept, since they were changed or deleted here',
    [],
  ]);
});

it('whose file of notes is corrected has each note where the file has it', async () => {
  const door = await openApp();
  const space = await createSpace(door);
  const folder = createFolder();
  const move = async (...notes: string[]) => {
    const rows = ['id,contact_id,content,pinned', ...notes].map((row, place) =>
      place === 0 ? `${row},contact_external_id,contact_mail` : `${row},,`,
    );
    writeFileSync(join(folder, 'notes.csv'), `${rows.join('\n')}\n`);
    return /^contacts: .*$/m.exec(
      (await runHere(door.databaseUrl, ['move-in', folder, '--space', String(space)])).out,
    )![0];
  };
  const list = async () =>
    (
      await door.sql(
        'select id, contact_id, pinned from notes where group_id = ? and deleted_at is null order by contact_id, id',
        [space],
      )
    ).map(({ id, contact_id, pinned }) => `${contact_id}/${id}${pinned ? ' pinned' : ''}`);
  writeFileSync(join(folder, 'contacts.csv'), 'id,surname\n900070,One\n900071,Two\n900072,Three\n');
  const three = ['5,900070,a,true', '6,900071,b,false', '7,900072,c,false'];
  await move(...three);
  expect(await list()).toEqual(['900070/5 pinned', '900071/6', '900072/7']);
  expect(await move('6,900070,b,false', '5,900071,a,true', '7,900072,c,false')).toBe(
    'contacts: 3 read, 2 updated, 1 unchanged',
  );
  expect(await list()).toEqual(['900070/6', '900071/5 pinned', '900072/7']);
  expect(await move('6,900070,b,false')).toBe('contacts: 3 read, 2 updated, 1 unchanged');
  expect(await list()).toEqual(['900070/6']);
  expect(await move('6,900070,b,false', '5,900071,a,true', '7,900072,c,false')).toBe(
    'contacts: 3 read, 2 updated, 1 unchanged',
  );
  expect(await list()).toEqual(['900070/6', '900071/5 pinned', '900072/7']);
  expect(await move('6,900070,b,false', '5,900071,a,true', '7,900072,c,false')).toBe('contacts: 3 read, 3 unchanged');
  // A contact has one pinned note.
  expect(await move('6,900070,b,true', '5,900070,a,true', '7,900070,c,false')).toBe('contacts: 3 read, 3 updated');
  expect(await list()).toEqual(['900070/5', '900070/6 pinned', '900070/7']);
});

it('lifts no opt-out of this space, and has its own followed', async () => {
  const door = await openApp();
  const space = await createSpace(door);
  const folder = createFolder();
  const token = await door.token(space, 1);
  const move = (...args: string[]) => runHere(door.databaseUrl, ['move-in', folder, '--space', String(space), ...args]);
  const optedOut = async () =>
    (await readContacts(door, space)).flatMap(({ surname, black_list }) => (black_list ? [surname] : []));
  const write = (flag: string) =>
    writeFileSync(
      join(folder, 'contacts.csv'),
      `id,surname,mail,black_list\n900070,Known,out@example.org,false\n900071,Here,two@example.org,false\n900072,There,three@example.org,${flag}\n`,
    );
  const { body } = await door.rest('POST', '/contacts', { mail: 'OUT@example.org', black_list: true }, token);
  await door.rest('DELETE', `/contacts/${body.data.contact.id}`, undefined, token);
  write('true');
  expect((await move()).out).toContain('contacts: 3 read, 3 created');
  expect(await optedOut()).toEqual(['Known', 'There']);
  expect((await door.rest('PATCH', '/contacts/900071', { black_list: true }, token)).status).toBe(200);
  write('false');
  const again = await move('--overwrite');
  expect([again.code, again.out, again.err]).toEqual([
    0,
    expect.stringMatching(/contacts: 3 read, 1 updated, 2 unchanged\n2 records were written without a part/),
    expect.stringContaining('contacts 900071: black_list stays true'),
  ]);
  expect(await optedOut()).toEqual(['Known', 'Here']);
  // It stays when the source is read again, which has written the contact since.
  expect((await move()).out).toContain('contacts: 3 read, 3 unchanged\n2 records were written without a part');
  expect(await optedOut()).toEqual(['Known', 'Here']);
  // A user here lifts both.
  for (const id of [900070, 900071])
    expect((await door.rest('PATCH', `/contacts/${id}`, { black_list: false }, token)).status).toBe(200);
  await move('--overwrite');
  expect(await optedOut()).toEqual([]);
});

it('replaces no refusal of this space, nor a later answer on consent, also with --overwrite', async () => {
  const door = await openApp();
  const space = await createSpace(door);
  const folder = createFolder();
  const token = await door.token(space, 1);
  const move = (...args: string[]) => runHere(door.databaseUrl, ['move-in', folder, '--space', String(space), ...args]);
  const [yes, no, mails, calls] = [990, 991, 992, 993];
  writeFileSync(
    join(folder, 'forms.csv'),
    `id,kind,label,type,refvalue_id,refvalue_label,refvalue_value\n980,consent,News,radio,${yes},Oui,yes\n980,consent,News,radio,${no},Non,no\n981,consent,By,checkbox,${mails},Mails,\n981,consent,By,checkbox,${calls},Calls,\n`,
  );
  writeFileSync(
    join(folder, 'contacts.csv'),
    'id,surname,form:consent:News,form:consent:By\n900270,Refused,Oui,\n900271,Withdrawn,Oui,Mails\n900272,Unasked,,\n900273,Agreed,Non,\n900274,Same,Oui,\n',
  );
  const list = async () =>
    Object.fromEntries(
      (await readContacts(door, space)).map(({ surname, formdatas }) => [
        surname,
        formdatas.map(({ form_ref_id }: { form_ref_id: number }) => form_ref_id),
      ]),
    );
  await move();
  expect(await list()).toEqual({ Refused: [yes], Withdrawn: [yes, mails], Unasked: [], Agreed: [no], Same: [yes] });
  const answer = async (id: number, ...refs: number[]) => {
    const formdatas = refs.map((ref) => ({ form_id: ref < mails ? 980 : 981, form_ref_id: ref }));
    expect((await door.rest('PATCH', `/contacts/${id}`, { firstname: 'Ada', formdatas }, token)).status).toBe(200);
  };
  await answer(900270, no);
  await answer(900271, yes);
  await answer(900272, no);
  await answer(900273, yes);
  await answer(900274, yes);
  const kept = { Refused: [no], Withdrawn: [yes], Unasked: [no], Agreed: [no], Same: [yes] };
  for (const args of [['--overwrite'], []]) {
    const { out, err } = await move(...args);
    expect(out).toContain('3 records were written without a part');
    for (const id of [900270, 900271, 900272]) expect(err).toContain(`contacts ${id}: consents stay as they were`);
    expect(await list()).toEqual(kept);
  }
});

it('that is undone comes back with its notes also when retention has deleted what the undoing left', async () => {
  const door = await openApp();
  const space = await createSpace(door);
  const folder = createFolder();
  writeFileSync(join(folder, 'contacts.csv'), 'id,surname\n900370,Deleted\n900371,Undone\n900372,Erased\n');
  writeFileSync(join(folder, 'notes.csv'), 'id,contact_id,content\n900380,900371,a note\n');
  const run = (line: string) => runHere(door.databaseUrl, line.split(' '), { RETENTION_DELETED_DAYS: '1' });
  const token = await door.token(space, 1);
  await run(`move-in ${folder} --space ${space}`);
  expect((await door.rest('DELETE', '/contacts/900370', undefined, token)).status).toBe(200);
  await run(`import undo 1 --space ${space}`);
  expect((await run(`person erase --space ${space} --yes 900372`)).code).toBe(0);
  const age = (table: string, column: string, id: number, day: string) =>
    door.sql(
      `update ${table} set ${column} = ? where group_id = ? and ${table === 'contacts' ? 'id' : 'record_id'} = ?`,
      [day, space, id],
    );
  await age('contacts', 'deleted_at', 900370, '2026-01-01T00:00:00Z');
  // What the undoing has deleted is known by its time.
  await age('contacts', 'deleted_at', 900371, '2026-01-02T00:00:00Z');
  await age('moved_records', 'lastchange', 900371, '2026-01-02T00:00:00Z');
  expect((await run('retention run')).code).toBe(0);
  const again = await run(`move-in ${folder} --space ${space}`);
  expect(again.out).toContain('contacts: 3 read, 1 created, 2 kept, since they were changed or deleted here\n');
  expect(await readContacts(door, space)).toMatchObject([{ id: 900371, notes: { id: 900380, data: 'a note' } }]);
});

it('whose contact was undone, and whose external id somebody else has by now, loses that contact alone', async () => {
  const door = await openApp();
  const space = await createSpace(door);
  const folder = createFolder();
  writeFileSync(join(folder, 'contacts.csv'), 'id,surname,external_id\n900170,Refused,x1\n900171,Moved,x2\n');
  const run = (...args: string[]) => runHere(door.databaseUrl, [...args, '--space', String(space)]);
  const list = async () => (await readContacts(door, space)).map(({ surname, external_id }) => [surname, external_id]);
  const token = await door.token(space, 1);
  await run('move-in', folder);
  await run('import', 'undo', '1');
  const { body } = await door.rest('POST', '/contacts', { surname: 'Other', external_id: 'x1' }, token);
  const again = await run('move-in', folder);
  expect([again.code, again.out]).toEqual([1, expect.stringContaining('contacts: 2 read, 1 created, 1 rejected\n')]);
  expect(await list()).toEqual([
    ['Moved', 'x2'],
    ['Other', 'x1'],
  ]);
  expect((await door.rest('DELETE', `/contacts/${body.data.contact.id}`, undefined, token)).status).toBe(200);
  expect((await run('move-in', folder)).out).toContain('contacts: 2 read, 1 created, 1 unchanged\n');
  expect(await list()).toEqual([
    ['Refused', 'x1'],
    ['Moved', 'x2'],
  ]);
  expect(await listStaleRows(door, space)).toEqual([]);
});

it('that has lost the survivor of a merge here, and not the other one, does not delete the survivor', async () => {
  const door = await openApp();
  const space = await createSpace(door);
  const folder = createFolder();
  /** A dry run tells beforehand what the move will do. */
  const move = async (...ids: number[]) => {
    writeFileSync(join(folder, 'contacts.csv'), ['id,surname', ...ids.map((id) => `${id},Twin`), ''].join('\n'));
    const run = (...flags: string[]) =>
      runHere(door.databaseUrl, ['move-in', folder, '--space', String(space), '--delete', ...flags]);
    const dry = await run('--dry-run');
    const { out } = await run();
    const listCounts = (text: string) => text.split('\n').filter((line) => line.includes(' read, '));
    expect(listCounts(dry.out)).toEqual(listCounts(out));
    return out;
  };
  await move(900270, 900271);
  const merge =
    'mutation { mergeContacts(input: { survivorId: "Contact:900270", ids: ["Contact:900271"] }) { mergeId } }';
  expect((await door.graphql(merge, {}, await door.token(space, 1))).body.errors).toBeUndefined();
  expect(await move(900271)).toContain('contacts: 1 read, 1 kept, since they were changed or deleted here\n');
  expect((await readContacts(door, space)).map(({ id }) => id)).toEqual([900270]);
  expect(await move()).toContain('1 deleted, since the source has deleted them');
  expect(await readContacts(door, space)).toEqual([]);
});

it('with a row whose id cannot be read deletes nobody', async () => {
  const door = await openApp();
  const space = await createSpace(door);
  const folder = createFolder();
  const move = async (...ids: string[]) => {
    writeFileSync(join(folder, 'contacts.csv'), ['id,surname', ...ids.map((id) => `${id},One`), ''].join('\n'));
    await runHere(door.databaseUrl, ['move-in', folder, '--space', String(space), '--delete']);
    return (await readContacts(door, space)).map(({ id }) => id);
  };
  expect(await move('900470', '900471')).toEqual([900470, 900471]);
  expect(await move('900470', '9.00E+05')).toEqual([900470, 900471]);
  expect(await move('900470')).toEqual([900470]);
});
