// muster import --key external_id: whom a row means, within a file and beside others who write, and that it can be undone and run again.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { UpsertWrite } from '../../src/data/contact/patch.ts';
import { beginImport, importContactBatch } from '../../src/data/import/contacts.ts';
import type { Space } from '../../src/database/space.ts';
import type { Door, Json } from '../harness/app.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { createFiles, type Files } from './files.ts';

vi.setConfig({ testTimeout: 60_000 });

let files: Files;
let door: Door;
beforeAll(async () => {
  files = await createFiles();
  door = files.door;
});

const people = (space: string): Promise<Json[]> =>
  files.readLivingRows('contacts', space, 'external_id, surname, mail, phone');
const keyed = (space: string, content: string, ...args: string[]) =>
  files.importFile('contacts', 'keyed.csv', content, '--space', space, '--key', 'external_id', ...args);
const head = 'external_id,surname,mail,phone\n';
const totals = (created: number, updated: number, unchanged: number, refused = 0): string =>
  `${created} contacts created, ${updated} updated, ${unchanged} unchanged, ${refused} rows rejected`;

describe('a row with an external id means', () => {
  it('the contact that has it, whatever mail and name say', async () => {
    const space = await files.createSpace();
    await keyed(space, `${head}1,Ada,ada@example.org,\n2,Bob,bob@example.org,\n`);
    const { out } = await keyed(space, `${head}1,Bob,bob@example.org,06\n`);
    expect(out).toContain(totals(0, 1, 0));
    expect(await people(space)).toEqual([
      { external_id: '1', surname: 'Bob', mail: 'bob@example.org', phone: '06' },
      { external_id: '2', surname: 'Bob', mail: 'bob@example.org', phone: null },
    ]);
    expect(await files.findStaleRows(space)).toEqual([]);
  });

  it('where none has it, whom it would mean without, and who has no other', async () => {
    const space = await files.createSpace();
    await files.importFile(
      'contacts',
      'p.csv',
      `${head},Ada,ada@example.org,\n7,Bob,bob@example.org,\n`,
      '--space',
      space,
    );
    const { out } = await keyed(space, `${head}1,Ada,ada@example.org,06\n2,Bob,bob@example.org,\n`);
    expect(out).toContain(totals(1, 1, 0));
    expect(await people(space)).toEqual([
      { external_id: '1', surname: 'Ada', mail: 'ada@example.org', phone: '06' },
      { external_id: '7', surname: 'Bob', mail: 'bob@example.org', phone: null },
      { external_id: '2', surname: 'Bob', mail: 'bob@example.org', phone: null },
    ]);
  });

  it('nobody, when it is a number that JSON cannot hold: the ids of several people would be one', async () => {
    const space = await files.createSpace();
    const content =
      '{"external_id":12345678901234567891,"surname":"Ada"}\n{"external_id":"12345678901234567892","surname":"Bob"}\n';
    for (const args of [[], ['--map', 'external_id=external_id']]) {
      const { err } = await files.importFile(
        'contacts',
        'n.ndjson',
        content,
        '--space',
        space,
        '--key',
        'external_id',
        ...args,
      );
      expect(err).toContain('line 1: external_id');
      expect(await people(space)).toMatchObject([{ external_id: '12345678901234567892', surname: 'Bob' }]);
    }
  });

  it('the survivor, when that contact was merged; it keeps its own external id', async () => {
    const space = await files.createSpace();
    await keyed(space, `${head}1,Ada,ada@example.org,\n2,Adele,adele@example.org,\n`);
    const [survivor, merged] = await files.readLivingRows('contacts', space, 'id');
    await door.sql('update contacts set merged_into = ?, deleted_at = now() where group_id = ? and id = ?', [
      survivor!.id,
      space,
      merged!.id,
    ]);
    await door.sql('delete from contact_search where group_id = ? and contact_id = ?', [space, merged!.id]);
    const { out } = await keyed(space, `${head}2,Ada,ada@example.org,06\n`);
    expect(out).toContain(totals(0, 1, 0));
    expect(await people(space)).toEqual([{ external_id: '1', surname: 'Ada', mail: 'ada@example.org', phone: '06' }]);
  });

  it('no contact that was deleted', async () => {
    const space = await files.createSpace();
    await keyed(space, `${head}1,Ada,,\n`);
    await door.sql('update contacts set deleted_at = now() where group_id = ?', [space]);
    await door.sql('select refresh_search(?, array(select id from contacts where group_id = ?))', [space, space]);
    expect((await keyed(space, `${head}1,Ada,,\n`)).out).toContain(totals(1, 0, 0));
  });

  it('one contact with all rows of the file that have the same; a row without one whom it always means', async () => {
    const space = await files.createSpace();
    const content = `${head},Cleo,cleo@example.org,01\n1,Ada,a@example.org,\n2,Ada,a@example.org,\n1,,,06\n3,Cleo,cleo@example.org,\n1,,other@example.org,\n,,a@example.org,09\n`;
    for (const batch of ['1', '2', '3', '100']) {
      const own = await files.createSpace();
      await keyed(own, content, '--batch', batch);
      expect([batch, await people(own)]).toEqual([
        batch,
        [
          { external_id: '3', surname: 'Cleo', mail: 'cleo@example.org', phone: '01' },
          { external_id: '1', surname: 'Ada', mail: 'other@example.org', phone: '06' },
          { external_id: '2', surname: 'Ada', mail: 'a@example.org', phone: '09' },
        ],
      ]);
      expect(await files.findStaleRows(own)).toEqual([]);
    }
    const { out } = await keyed(space, content);
    expect(out).toMatch(/ 3 contacts created, \d updated, \d unchanged, 0 rows rejected/);
    expect((await files.undoImport(files.readImportId(out), space)).out).toContain(
      '3 contacts deleted, 0 restored, 0 kept',
    );
    expect(await people(space)).toEqual([]);
  });

  it('the same again when the file comes again: nothing changes', async () => {
    const space = await files.createSpace();
    const rows = Array.from({ length: 300 }, (_, n) => `k${n % 280},S${n % 90},m${n % 40}@example.org,0${n % 280}\n`);
    const content = head + rows.filter((_, n) => n < 280 || n % 2 === 0).join('');
    await keyed(space, content, '--batch', '70');
    expect(await people(space)).toHaveLength(280);
    const { out } = await keyed(space, content, '--batch', '70');
    expect(out).toMatch(/ 0 contacts created, \d+ updated, \d+ unchanged, 0 rows rejected/);
    expect(await people(space)).toHaveLength(280);
    const once = head + rows.slice(0, 280).join('');
    await keyed(space, once);
    expect((await keyed(space, once)).out).toContain(totals(0, 0, 280));
  });

  it('nobody, when it is refused for something else: no part of it stays', async () => {
    const space = await files.createSpace();
    const content = 'external_id,surname,form:consent:None\n1,Ada,\n2,Bob,yes\n3,Cleo,\n2,Bobby,\n';
    expect((await keyed(space, content)).out).toContain(totals(3, 0, 0, 1));
    expect((await people(space)).map(({ surname }) => surname)).toEqual(['Ada', 'Cleo', 'Bobby']);
  });
});

it.each([
  ['--mode create', ['--mode', 'create'], '--key matches contacts, but --mode create does not'],
  ['--ids', ['--ids'], 'cannot be used with option'],
])('it does not go with %s', async (_, args, said) => {
  const { code, err } = await keyed('1', `${head}1,A,,\n`, ...args);
  expect([code, err]).toEqual([2, expect.stringContaining(said)]);
});

describe('beside others who write', () => {
  const record = (key: string, surname: string): UpsertWrite => ({
    id: null,
    content: { columns: { external_id: key, surname } },
    formAnswers: [],
    at: '',
  });
  let tries = 0;
  const write = async (space: Space, records: UpsertWrite[]): Promise<Json> => {
    const { id } = await beginImport(space, { name: 'x', fingerprint: Buffer.from(`${tries++}`), by: null }, false);
    return importContactBatch(space, records, { id, firstRow: 1, mode: 'upsert', by: null, key: 'external_id' });
  };

  it('imports of the same new keys at once make each contact once', async () => {
    const space = await files.createSpace();
    const rows = door.database.space(Number(space));
    // Nothing but the key tells that they are one.
    const list = (who: string) => Array.from({ length: 60 }, (_, n) => record(`k${n}`, `${who}${n}`));
    const batches = [list('A'), list('B').reverse(), list('C').slice(20), list('D').slice(0, 40).reverse()];
    const done = await Promise.all(batches.map((batch) => write(rows, batch)));
    expect(done.map(({ refused }) => refused)).toEqual([0, 0, 0, 0]);
    expect(done.reduce((sum, { created }) => sum + created, 0)).toBe(60);
    expect(await people(space)).toHaveLength(60);
    expect(await files.findStaleRows(space)).toEqual([]);
  });

  it('an import waits for another one of its keys before it writes: at the index two might wait for each other', async () => {
    const space = await files.createSpace();
    const watch = await openSession(door.databaseUrl);
    const rows = door.database.space(Number(space));
    let [begin, end] = [(): void => {}, (): void => {}];
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const first = rows.transaction(async (tx) => {
      const done = await write(tx, [record('a', 'A'), record('b', 'B')]);
      begin();
      await ended;
      return done;
    });
    await begun;
    const second = write(rows, [record('b', 'C'), record('a', 'D')]);
    await waitUntil('it waits', async () => (await countWaiting(watch)) === 1);
    end();
    expect([await first, await second]).toMatchObject([
      { created: 2, refused: 0 },
      { created: 0, updated: 2, refused: 0 },
    ]);
    expect((await people(space)).map(({ surname }) => surname)).toEqual(['D', 'C']);
  });

  it('a contact that somebody makes meanwhile is found', async () => {
    const space = await files.createSpace();
    const [other, watch] = [await openSession(door.databaseUrl), await openSession(door.databaseUrl)];
    await other.query('begin');
    const { rows } = await other.query(
      `insert into contacts (group_id, external_id, surname) values ($1, 'k', 'Theirs') returning id`,
      [space],
    );
    await other.query('select refresh_search($1, array[$2]::bigint[])', [space, rows[0].id]);
    const writing = write(door.database.space(Number(space)), [record('k', 'Ours')]);
    await waitUntil('it waits for them', async () => (await countWaiting(watch)) > 0);
    await other.query('commit');
    expect(await writing).toMatchObject({ created: 0, updated: 1, refused: 0 });
    expect(await people(space)).toMatchObject([{ external_id: 'k', surname: 'Ours' }]);
  });
});
