// The door for files: what is refused, how a file is read, what an import would do, its job, its end, its undoing, and who may see what.
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chunkSize } from '../../src/data/import/import-file.ts';
import { limits } from '../../src/limits/limits.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createAppCaller, createMember, createMemberRole } from '../harness/member.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { createFileClient } from './imports-door.ts';

let door: Door;
let files: ReturnType<typeof createFileClient>;
beforeAll(async () => {
  door = await openApp();
  files = createFileClient(door);
});
afterEach(() => door.sql('delete from import_files'));

const countRows = async (table: string): Promise<number> =>
  Number((await door.sql(`select count(*) from ${table}`))[0].count);
const countPeople = async (surname: string): Promise<number> =>
  Number(
    (await door.sql('select count(*) from contacts where surname = ? and deleted_at is null', [surname]))[0].count,
  );

const list = 'Nom;Prénom;Né le;Quartier;Courriel\n';
const good = (name: string) => `${list}${name};Zoé;31/12/1999;Nord;${name.toLowerCase()}@example.org\n`;
/** A file of as many people, each of whom is new. */
const many = (name: string, count: number) =>
  `Nom,Prénom,Courriel\n${Array.from({ length: count }, (_, index) => `${name},P${index},${name}${index}@example.org`).join('\n')}\n`;

describe('a file', () => {
  it.each<[what: string, query: string, body: Json, headers: Record<string, string>, status: number, message: RegExp]>([
    ['without a name', '', good('A'), {}, 400, /query.name must be the name of the file/],
    ['with a blank name', '?name=%20%20', good('A'), {}, 400, /query.name/],
    ['with a name of several lines', '?name=a%0Ab.csv', good('A'), {}, 400, /query.name/],
    ['with a name that is too long', `?name=${'a'.repeat(256)}`, good('A'), {}, 400, /query.name/],
    ['in a form', '?name=a.csv', good('A'), { 'Content-Type': 'multipart/form-data; boundary=x' }, 415, /as text\/csv/],
    ['as JSON', '?name=a.csv', {}, {}, 415, /not as application\/json/],
    ['compressed otherwise', '?name=a.csv', good('A'), { 'Content-Encoding': 'br' }, 415, /gzip alone, not as br/],
    ['that is empty', '?name=a.csv', '', {}, 400, /body is empty/],
    ['of Excel', '?name=a.xlsx', Buffer.from('PK\x03\x04…'), {}, 400, /spreadsheet.*save it as CSV \(UTF-8\)/],
    ['of an old Excel', '?name=a.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1]), {}, 400, /old Excel.*save it as CSV/],
    ['that is a PDF', '?name=a.csv', '%PDF-1.7', {}, 400, /is a PDF/],
    ['of zeros', '?name=a.csv', Buffer.alloc(10), {}, 400, /is not a text/],
    ['with a zero far behind', '?name=a.csv', `${good('A').repeat(9000)}\0`, {}, 400, /is not a text/],
    ['with damaged compression', '?name=a.gz', Buffer.from([0x1f, 0x8b, 8, 1, 2, 3]), {}, 400, /incomplete or damaged/],
    ['that was cut', '?name=a.gz', gzipSync(many('A', 99)).subarray(0, 90), {}, 400, /incomplete or damaged/],
    ['that is too large', '?name=a.csv', Buffer.alloc(limits.import.fileBytes + 1, 'a'), {}, 413, /larger than/],
    ['that grows', '?name=a.gz', gzipSync(Buffer.alloc(limits.import.fileBytes + 1, 'a')), {}, 413, /larger than/],
    [
      'that grows and grows',
      '?name=a.gz',
      gzipSync(gzipSync(Buffer.alloc(limits.import.fileBytes * 4, 'a'))),
      {},
      413,
      /larger than/,
    ],
  ])('%s is refused, and nothing of it is kept', async (_, query, body, headers, status, message) => {
    const answer = await files.call('POST', query, { body, headers });
    expect([answer.status, answer.data.detail]).toEqual([status, expect.stringMatching(message)]);
    expect([await countRows('import_files'), await countRows('import_file_chunks')]).toEqual([0, 0]);
  });

  it('is not kept when the client goes away', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(many('Gone', 20_000)));
      },
      pull(controller) {
        controller.error(new Error('gone'));
      },
    });
    const headers = { Authorization: `Bearer ${await door.token(1, 1)}`, 'Content-Type': 'text/csv' };
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const { status } = await door.app.fetch(new Request('http://muster.test/imports?name=a.csv', init));
    expect(status).toBe(400);
    expect([await countRows('import_files'), await countRows('import_file_chunks')]).toEqual([0, 0]);
  });

  it.each([
    ['and more of it comes', 20_000],
    ['and nothing more comes', 0],
  ])('is to be sent again when somebody is erased meanwhile, %s', async (_, rows) => {
    const { id } = (await door.rest('POST', '/contacts', { data: { contact: { surname: 'Away' } } })).body.data.contact;
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(many('Early', 20_000))),
      async pull(controller) {
        await door.graphql(`mutation { erasePerson(input: { contactId: "Contact:${id}" }) { deletedId } }`);
        if (rows > 0) controller.enqueue(Buffer.from(many('Late', rows)));
        controller.close();
      },
    });
    const headers = { Authorization: `Bearer ${await door.token(1, 1)}`, 'Content-Type': 'text/csv' };
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const answer = await door.app.fetch(new Request('http://muster.test/imports?name=a.csv', init));
    expect([answer.status, (await answer.json()).detail]).toEqual([409, expect.stringContaining('send it again')]);
  });

  it('is one of a few', async () => {
    for (let left = limits.import.files; left > 0; left--) await files.upload('a\n');
    const { status, data } = await files.call('POST', '?name=a.csv', { body: 'a\n' });
    expect([status, data.detail]).toEqual([409, expect.stringContaining('20 uploaded files')]);
  });

  it('is one of a few, also where many are sent at once', async () => {
    const { files: most } = limits.import;
    const send = () => files.call('POST', '?name=a.csv', { body: 'a\n' });
    const statuses = (await Promise.all(Array.from({ length: 2 * most }, send))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(most);
    expect([new Set(statuses), await countRows('import_files')]).toEqual([new Set([201, 409]), most]);
  });

  const text = good('Été');
  it.each<[what: string, bytes: Buffer | string, encoding: string]>([
    ['UTF-8', text, 'utf-8'],
    ['UTF-8 with a mark', `\ufeff${text}`, 'utf-8'],
    ['Windows', Buffer.from(text, 'latin1'), 'windows-1252'],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16'],
    ['gzip', gzipSync(text), 'utf-8'],
    ['gzip within gzip', gzipSync(gzipSync(text)), 'utf-8'],
    ['a title above the head', `Liste de mai\n\n${text}`, 'utf-8'],
    ['a separator that is named', `sep=;\n${text}`, 'utf-8'],
    ['other ends of lines', text.replaceAll('\n', '\r\n'), 'utf-8'],
  ])('is read as %s', async (_, bytes, encoding) => {
    const id = await files.upload(bytes as Buffer);
    const { data } = await files.post(id, 'inspect', { days: 'dmy' });
    expect(data).toMatchObject({
      encoding,
      delimiter: ';',
      rows: 1,
      columns: [
        { name: 'Nom', field: 'surname', values: ['Été'] },
        { name: 'Prénom', field: 'firstname', values: ['Zoé'] },
        { name: 'Né le', field: 'birthdate', values: ['31/12/1999'] },
        { name: 'Quartier', field: null, values: ['Nord'] },
        { name: 'Courriel', field: 'mail' },
      ],
      sample: [{ record: { surname: 'Été', firstname: 'Zoé', birthdate: '1999-12-31' }, faults: [] }],
    });
    expect(data.fields).toEqual(expect.arrayContaining(['surname', 'tags', expect.stringMatching(/^form:consent:/)]));
    expect(data.fields).not.toEqual(expect.arrayContaining(['id']));
  });

  it('of several pieces is read as it was sent', async () => {
    const text = many('Été', 40_000);
    const id = await files.upload(text);
    expect(await countRows('import_file_chunks')).toBe(Math.ceil(Buffer.byteLength(text) / chunkSize));
    const { data } = await files.post(id, 'inspect');
    expect([data.rows, data.encoding]).toEqual([40_000, 'utf-8']);
  });
});

describe('options', () => {
  it.each<[options: Json, location: string, message: RegExp]>([
    [{ mode: 'replace' }, 'body.mode', /upsert or create/],
    [{ days: 'ydm' }, 'body.days', /one of ymd, dmy, mdy/],
    [{ dates: 'lotus' }, 'body.dates', /must be excel/],
    [{ country: 'France' }, 'body.country', /code of a country/],
    [{ encoding: 'ebcdic' }, 'body.encoding', /one of utf-8, windows-1252, utf-16/],
    [{ delimiter: ';;' }, 'body.delimiter', /one character/],
    [{ delimiter: '"' }, 'body.delimiter', /one character/],
    [{ headerLine: 0 }, 'body.headerLine', /must be a line/],
    [{ headerLine: 1.5 }, 'body.headerLine', /must be a line/],
    [{ skipCells: 'yes' }, 'body.skipCells', /true or false/],
    [{ map: ['surname'] }, 'body.map', /must be an object/],
    [{ map: { Nom: 1 } }, 'body.map.Nom', /must be a text/],
    [{ user: 2 }, 'body.user', /is not an option: they are map, mode/],
    [[], 'body', /must be an object/],
  ])('%j are refused', async (options, location, message) => {
    const id = await files.upload(good('A'));
    for (const verb of ['inspect', 'try', 'begin']) {
      const { status, data } = await files.post(id, verb, options);
      expect([status, data.errors]).toEqual([400, [expect.objectContaining({ location })]]);
      expect(data.errors[0].message).toMatch(message);
    }
    expect(await countRows('imports')).toBe(0);
  });

  it.each<[what: string, text: string, options: Json, message: RegExp]>([
    ['a column that there is not', good('A'), { map: { Nom: 'nickname' } }, /There is no column nickname/],
    ['a column that the file lacks', good('A'), { map: { Surnom: 'surname' } }, /columns that the file lacks: Surnom/],
    ['no column', good('A'), { map: { Nom: '-' } }, /No column of the file has a meaning/],
    ['no known heading', 'x;y\n1;2\n', {}, /No column of the file has a meaning/],
    ['no row', list, {}, /has no rows/],
    ['two columns of one name', 'Nom;Nom\na;b\n', {}, /two columns named Nom/],
    ['too many rows', `Nom\n${'a\n'.repeat(limits.import.rows + 1)}`, {}, /more than 500000 rows: divide it/],
    [
      'too many columns',
      `Nom,${Array.from({ length: 1000 }, (_, n) => `c${n}`)}\na\n`,
      {},
      /has 1001 columns, and may/,
    ],
    ['another encoding', 'Nom\nÉté\n', { encoding: 'utf-16' }, /no byte order mark/],
    ['a line far behind', good('A'), { headerLine: 99 }, /no names of columns from line 99/],
  ])(
    'that leave %s are refused',
    async (_, text, options, message) => {
      const id = await files.upload(text);
      for (const verb of ['try', 'begin']) {
        const { status, data } = await files.post(id, verb, options);
        expect([status, data.detail]).toEqual([422, expect.stringMatching(message)]);
      }
      expect((await files.read(id)).data.state).toBe('waiting');
    },
    180_000,
  );

  it('are answered in bounded texts, however long the cells are', async () => {
    const long = 'x'.repeat(3_000_000);
    const id = await files.upload(`Nom,Courriel\n${`a,${long}\n`.repeat(3)}`);
    for (const verb of ['inspect', 'try']) {
      const { data } = await files.post(id, verb);
      expect(JSON.stringify(data).length).toBeLessThan(20_000);
    }
  });

  it('name columns as a program does', async () => {
    const id = await files.upload('constructor,valueOf,toString\nOdd,x,Zoé\n');
    const { data } = await files.post(id, 'inspect', { map: { constructor: 'surname', toString: 'firstname' } });
    expect(data.columns.map(({ field }: Json) => field)).toEqual(['surname', null, 'firstname']);
    expect(data.sample[0].record).toEqual({ surname: 'Odd', firstname: 'Zoé' });
  });
});

const mixed = `${list}Trier;Zoé;31/12/1999;Nord;trier@example.org\nTrier;Bob;32/01/2000;Sud;\n"Trier, ""the"" third";Cleo;01/02/2000;Sud;bad mail\n`;

describe('a trial', () => {
  it('tells what an import would do, and writes nothing', async () => {
    const id = await files.upload(mixed);
    const before = await countRows('audit_log');
    const { data } = await files.post(id, 'try', { days: 'dmy' });
    expect(data).toEqual({
      rows: 3,
      read: 3,
      tried: 3,
      created: 1,
      updated: 0,
      unchanged: 0,
      refused: 2,
      faults: [
        { line: 3, location: 'Né le', message: expect.stringMatching(/must be a date/), value: '32/01/2000' },
        { line: 4, location: 'Courriel', message: expect.stringMatching(/mail address/), value: 'bad mail' },
      ],
      remarks: [],
      blank: 0,
      otherwise: {},
    });
    expect([await countPeople('Trier'), await countRows('imports'), await countRows('audit_log')]).toEqual([
      0,
      0,
      before,
    ]);
    expect((await files.post(id, 'try', { days: 'dmy', skipCells: true })).data).toMatchObject({
      created: 3,
      refused: 0,
      remarks: [{ line: 3 }, { line: 4 }],
    });
  });

  it('writes a part of a long file, reads more of it, and lists its first faults', async () => {
    const rows = limits.import.tried + 500;
    const id = await files.upload(`${many('Long', rows)}${'Long,P,a b@c\n'.repeat(300)}`);
    const { data } = await files.post(id, 'try');
    expect(data).toMatchObject({
      rows: rows + 300,
      read: rows + 300,
      tried: limits.import.tried,
      created: limits.import.tried,
    });
    expect(await countPeople('Long')).toBe(0);
  });
});

describe('an import', () => {
  const begin = async (text: string, options: Json = { days: 'dmy' }): Promise<number> => {
    const id = await files.upload(text);
    const { status, data } = await files.post(id, 'begin', options);
    expect([status, data.state]).toEqual([200, 'running']);
    return id;
  };
  const undo = (id: number) =>
    door.graphql(`mutation { undoImport(input: { id: "Import:${id}" }) { deleted restored left } }`);
  const auditOf = async (id: number): Promise<Json[]> =>
    await door.sql(
      `select operation, user_id, counts from audit_log where type = 'Import' and record_id = ? order by id`,
      [id],
    );

  it('is made by a job, tells what it refused, forgets its file, is audited, and is undone', async () => {
    const id = await begin(mixed);
    await files.work(id);
    expect((await files.read(id)).data).toMatchObject({
      state: 'done',
      rows: 3,
      created: 1,
      refused: 2,
      failure: null,
    });
    expect(await countPeople('Trier')).toBe(1);
    expect(await countRows('import_file_chunks')).toBe(0);
    const { data, headers } = await files.call('GET', `/${id}/rejects`);
    expect(headers.get('Content-Disposition')).toContain('rejects.csv');
    expect(data).toBe(
      `\ufeffFaults;${list}"Né le must be a date such as 21/11/2026 or 2026-11-21 with --days dmy, years 0001 to 9999";Trier;Bob;32/01/2000;Sud;\n` +
        `"Courriel must be a mail address, such as ada@example.org";"Trier, ""the"" third";Cleo;01/02/2000;Sud;bad mail\n`,
    );
    const lines = await files.call('GET', `/${id}/rejects`, { headers: { Accept: 'application/x-ndjson' } });
    expect(lines.headers.get('Content-Disposition')).toContain('rejects.ndjson');
    expect(lines.data.trim().split('\n').map(JSON.parse)).toEqual([
      { delimiter: ';', head: ['', list] },
      { line: 3, text: 'Trier;Bob;32/01/2000;Sud;\n', faults: [expect.objectContaining({ location: 'Né le' })] },
      { line: 4, text: expect.stringContaining('bad mail'), faults: [expect.objectContaining({ value: 'bad mail' })] },
    ]);
    expect((await files.call('GET', `/${id}/rejects`, { headers: { Accept: 'image/png' } })).status).toBe(406);
    const counts = { created: 1, updated: 0, unchanged: 0, refused: 2 };
    expect(await auditOf(id)).toEqual([
      { operation: 'uploadImportFile', user_id: 1, counts: null },
      { operation: 'beginImport', user_id: 1, counts: null },
      { operation: 'importFile', user_id: 1, counts },
    ]);
    expect((await files.post(id, 'try')).status).toBe(409);
    const { body } = await undo(id);
    expect(body.data.undoImport).toEqual({ deleted: 1, restored: 0, left: 0 });
    expect([(await files.read(id)).data.state, await countPeople('Trier')]).toEqual(['undone', 0]);
  });

  it('reads what it has refused again, once it is corrected', async () => {
    const id = await begin(`sep=;\n${mixed}`);
    await files.work(id);
    const { data } = await files.call('GET', `/${id}/rejects`);
    const again = await files.upload(data.replace('32/01', '31/01').replace('bad mail', ''));
    expect((await files.post(again, 'try', { days: 'dmy' })).data).toMatchObject({ created: 2, refused: 0 });
    await undo(id);
  });

  it('begins once, though it is asked for again, and not with other options', async () => {
    const id = await files.upload(good('Once'));
    const both = await Promise.all([1, 2].map(() => files.post(id, 'begin', { days: 'dmy' })));
    expect(both.map(({ status, data }) => [status, data.id])).toEqual([
      [200, id],
      [200, id],
    ]);
    expect(await countRows(`imports where id = ${id}`)).toBe(1);
    const other = await files.post(id, 'begin', { days: 'mdy' });
    expect([other.status, other.data.detail]).toEqual([409, `The import ${id} has begun with other options`]);
    await Promise.all([files.work(id), files.work(id)]);
    expect(await countPeople('Once')).toBe(1);
    expect((await files.post(id, 'begin', { days: 'dmy' })).data).toMatchObject({ state: 'done', created: 1 });
    expect((await files.post(id, 'begin', { days: 'mdy' })).status).toBe(409);
    await files.work(id);
    expect(await countPeople('Once')).toBe(1);
  });

  it('is over for a job that reads the file when another has ended it', async () => {
    const id = await begin(good('Overtaken'));
    const holder = await openSession(door.databaseUrl);
    const watch = await openSession(door.databaseUrl);
    await holder.query('begin; lock table import_file_chunks in access exclusive mode');
    const working = files.work(id);
    await waitUntil('it waits for the content', async () => (await countWaiting(watch)) === 1);
    await holder.query(
      `delete from import_file_chunks; update import_files set ended_at = now() where id = ${id}; commit`,
    );
    await working;
    expect([await countPeople('Overtaken'), (await files.read(id)).data.state]).toEqual([0, 'done']);
  });

  it('creates, or changes whom it means', async () => {
    for (const [mode, counts] of [
      ['create', { created: 1, updated: 0, unchanged: 0 }],
      ['upsert', { created: 0, updated: 0, unchanged: 1 }],
      ['create', { created: 0, refused: 0, updated: 0, unchanged: 0 }],
    ] as const) {
      const id = await begin('Nom,Prénom\nMode,Ada\n', { mode });
      await files.work(id);
      if (counts.created + counts.unchanged > 0) expect((await files.read(id)).data).toMatchObject(counts);
    }
    expect(await countPeople('Mode')).toBe(2);
  });

  it('is stopped between two batches: what is written stays, and is undone', async () => {
    const id = await begin(many('Stopped', 1200), {});
    expect((await undo(id)).body.errors[0].message).toMatch(/under way: wait for its end, or cancel it/);
    expect((await files.call('DELETE', `/${id}`)).status).toBe(409);
    const controller = new AbortController();
    controller.abort();
    await files.work(id, controller.signal);
    expect((await files.read(id)).data).toMatchObject({ state: 'running', created: 500 });
    const { data } = await files.call('POST', `/${id}/cancel`);
    expect(data).toMatchObject({ state: 'cancelled', created: 500 });
    await files.work(id);
    expect([await countPeople('Stopped'), await countRows('import_file_chunks')]).toEqual([500, 0]);
    expect((await files.call('POST', `/${id}/cancel`)).status).toBe(200);
    expect((await auditOf(id)).at(-1)).toMatchObject({ operation: 'cancelImport', counts: { created: 500 } });
    expect((await undo(id)).body.data.undoImport).toEqual({ deleted: 500, restored: 0, left: 0 });
  });

  it('ends when whoever began it may not import any more: what is written stays, and is undone', async () => {
    const { user } = await createMemberRole(door, { type: 'admin' });
    const token = await door.token(1, user);
    const id = await files.upload(many('Demoted', 1200), token);
    await files.post(id, 'begin', {}, token);
    const controller = new AbortController();
    controller.abort();
    await files.work(id, controller.signal);
    await door.sql(
      `update members set role_id = (select min(id) from roles where group_id = 1 and type = 'manager') where group_id = 1 and user_id = ?`,
      [user],
    );
    await files.work(id);
    expect(await door.sql('select failure from import_files where id = ?', [id])).toEqual([
      { failure: 'Whoever began the import may no longer import contacts' },
    ]);
    expect([await countPeople('Demoted'), await countRows('import_file_chunks')]).toEqual([500, 0]);
    expect((await undo(id)).body.data.undoImport).toEqual({ deleted: 500, restored: 0, left: 0 });
  });

  it('writes no batch that is under way when it is stopped', async () => {
    const id = await begin(many('Racing', 5000), {});
    const working = files.work(id);
    while ((await files.read(id)).data.created === 0);
    const { created } = (await files.call('POST', `/${id}/cancel`)).data;
    await working;
    expect(await countPeople('Racing')).toBe(created);
    expect(created).toBeLessThan(5000);
    await undo(id);
  });

  it.each<[what: string, act: (id: number) => Promise<{ status: number }>, status: number]>([
    ['cancelled before it begins', (id) => files.call('POST', `/${id}/cancel`), 409],
    ['asked for rejects before it begins', (id) => files.call('GET', `/${id}/rejects`), 409],
    ['read', (id) => files.read(id), 200],
    ['deleted', (id) => files.call('DELETE', `/${id}`), 200],
  ])('that has not begun is %s', async (_, act, status) => {
    const id = await files.upload(good('A'));
    expect((await act(id)).status).toBe(status);
  });

  it('ends when a person of the space is erased, since the file may name them', async () => {
    const id = await begin(many('Erased', 1200), {});
    const controller = new AbortController();
    controller.abort();
    await files.work(id, controller.signal);
    const [{ id: contact }] = await door.sql(`select id from contacts where surname = 'Erased' order by id limit 1`);
    const { body } = await door.graphql(
      `mutation { erasePerson(input: { contactId: "Contact:${contact}" }) { counts { name count } } }`,
    );
    expect(body.data.erasePerson.counts).toContainEqual({ name: 'import_files', count: 1 });
    await files.work(id);
    expect([(await files.read(id)).status, await countPeople('Erased')]).toEqual([404, 499]);
    expect([await countRows('import_file_chunks'), await countRows('import_rejects')]).toEqual([0, 0]);
    expect((await undo(id)).body.data.undoImport).toMatchObject({ deleted: 499 });
  });

  it('that cannot be read to its end says so, and keeps what it wrote', async () => {
    const id = await begin(many('Broken', 9000), { mode: 'create' });
    await door.sql('update import_files set size = size + 3 where id = ?', [id]);
    await door.sql('insert into import_file_chunks values (1, ?, 2, ?)', [id, Buffer.from([0x61, 0xff, 0x0a])]);
    await files.work(id);
    expect((await files.read(id)).data).toMatchObject({
      state: 'failed',
      failure: expect.stringMatching(/^people.csv cannot be read after row \d+: /),
    });
    expect(await countRows('import_file_chunks')).toBe(0);
  });
});

describe('nobody else', () => {
  it.each<[who: string, token: () => Promise<string | null>, status: number]>([
    ['another admin of the space', () => createMember(door, { type: 'admin' }), 404],
    ['an admin of another space', () => createMember(door, { type: 'admin', space: 2 }), 404],
    [
      'an app that may import',
      async () => (await createAppCaller(door, { permissions: ['imports.write'] })).token,
      404,
    ],
    ['a manager', () => createMember(door, { type: 'manager' }), 403],
    ['a token that only writes', () => createMember(door, { type: 'admin', scope: 'write' }), 403],
    ['a custom role without it', () => createMember(door, { type: 'custom', permissions: ['contacts.write'] }), 403],
    ['an app without it', async () => (await createAppCaller(door)).token, 403],
    ['a stranger', async () => null, 401],
  ])('reads or changes a file: %s', async (_, createToken, status) => {
    const id = await files.upload(good('Mine'));
    const token = await createToken();
    const requests: [string, string, Json?][] = [
      ['GET', `/${id}`],
      ['POST', `/${id}/inspect`, {}],
      ['POST', `/${id}/try`, {}],
      ['POST', `/${id}/begin`, {}],
      ['POST', `/${id}/cancel`],
      ['GET', `/${id}/rejects`],
      ['DELETE', `/${id}`],
    ];
    for (const [method, path, body] of requests)
      expect([method, path, (await files.call(method, path, { body, token })).status]).toEqual([method, path, status]);
    const sent = await files.call('POST', '?name=a.csv', { body: good('Theirs'), token });
    expect(sent.status).toBe(status === 404 ? 201 : status);
    expect((await files.read(id)).data.state).toBe('waiting');
  });

  it('is an author of what an app imports', async () => {
    const app = await createAppCaller(door, { permissions: ['imports.write'] });
    const id = await files.upload(good('Byapp'), app.token);
    expect((await files.post(id, 'inspect', {}, app.token)).data.fields).not.toContain('form:consent:Newsletter');
    await files.post(id, 'begin', { days: 'dmy' }, app.token);
    await files.work(id);
    expect((await files.read(id, app.token)).data.state).toBe('done');
    expect(
      await door.sql(`select distinct user_id from audit_log where record_id = ? and type = 'Import'`, [id]),
    ).toEqual([{ user_id: app.id }]);
  });
});

describe('the paths', () => {
  it.each<[method: string, path: string, status: number, allow: string | null]>([
    ['GET', '', 405, 'POST'],
    ['PATCH', '/1', 405, 'GET, HEAD, DELETE'],
    ['GET', '/1/begin', 405, 'POST'],
    ['POST', '/1/rejects', 405, 'GET, HEAD'],
    ['GET', '/1/other', 404, null],
    ['GET', '/x', 404, null],
    ['GET', '/1/try/more', 404, null],
    ['GET', '/99999999', 404, null],
    ['GET', '/', 405, 'POST'],
  ])('%s /imports%s', async (method, path, status, allow) => {
    const answer = await files.call(method, path);
    expect([answer.status, answer.headers.get('Allow')]).toEqual([status, allow]);
  });

  it('cost tokens of the space, and are refused without', async () => {
    const poor = await openApp({ BUCKET_CAPACITY: 12, BUCKET_REFILL: 0.001 }, undefined, door);
    await door.sql('delete from rate_buckets');
    const client = createFileClient(poor);
    const id = await client.upload(good('A'));
    const { headers } = await client.post(id, 'inspect');
    expect(headers.get('X-Ratelimit-Cost')).toBe('5');
    expect((await client.post(id, 'begin')).status).toBe(429);
    await door.sql('delete from rate_buckets');
  });
});
