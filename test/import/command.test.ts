// muster import: what it writes and refuses, going on after a kill, undoing, and the way there and back with an export.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildProgram } from '../harness/program.ts';

vi.setConfig({ testTimeout: 120_000 });

const { folder, program, place } = buildProgram();
let door: Door;
let env: Record<string, string | undefined>;
beforeAll(async () => {
  door = await openApp();
  env = { PATH: process.env.PATH, DATABASE_URL: door.databaseUrl };
});

const muster = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: folder, env, maxBuffer: 1e9 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
    );
  });
const file = (name: string, content: string | Buffer): string => {
  const path = join(place, name);
  writeFileSync(path, content);
  return path;
};
/** A space of its own, without anybody in it. */
const newSpace = async (): Promise<string> =>
  String((await door.sql(`insert into spaces (name) values ('imported') returning id`))[0].id);
const contactsOf = (space: string): Promise<Json[]> =>
  door.sql(
    `select firstname, surname, mail, birthdate, black_list, a.city, a.postal_code,
            array(select t.name from contact_tags ct join tags t on t.group_id = ct.group_id and t.id = ct.tag_id
                   where ct.group_id = c.group_id and ct.contact_id = c.id order by 1) as tags
       from contacts c left join addresses a on a.group_id = c.group_id and a.contact_id = c.id
      where c.group_id = ? and c.deleted_at is null order by surname, firstname, c.id`,
    [space],
  );
const stale = (space: string): Promise<Json[]> =>
  door.sql(
    `select coalesce(s.contact_id, f.contact_id) from (select * from contact_search where group_id = ?) s
       full join search_rows(?, array(select id from contacts where group_id = ?)) f on f.contact_id = s.contact_id where s is distinct from f`,
    [space, space, space],
  );
const idIn = (out: string): string => /import (\d+)/.exec(out)![1]!;

describe('a file', () => {
  it('of another’s making is read by a map: columns, days, tags, accents in latin1', async () => {
    const space = await newSpace();
    const csv =
      'Nom;Prénom;Né le;CP;Ville;Étiquettes;Rien\nDupré;Zoé;03/02/1980;01400;"Châtillon; sur";a; b;x\n'.replace(
        'a; b',
        '"a; b"',
      );
    const path = file('other.csv', Buffer.from(csv, 'latin1'));
    const map = 'Nom=surname,Prénom=firstname,Né le=birthdate,CP=address_postalcode,Ville=address_city,Étiquettes=tags';
    const { code, out, err } = await muster(
      'import',
      'contacts',
      path,
      '--space',
      space,
      '--encoding',
      'latin1',
      '--days',
      'dmy',
      '--map',
      map,
    );
    expect([code, err]).toEqual([0, `import ${idIn(out)} begins\n`]);
    expect(out).toMatch(/^import \d+: 1 rows in .* s, 1 contacts created, 0 updated, 0 unchanged, 0 rows rejected\n$/);
    expect(await contactsOf(space)).toEqual([
      {
        firstname: 'Zoé',
        surname: 'Dupré',
        mail: null,
        birthdate: '1980-02-03',
        black_list: false,
        city: 'Châtillon; sur',
        postal_code: '01400',
        tags: ['a', 'b'],
      },
    ]);
    expect(await stale(space)).toEqual([]);
  });

  it('as NDJSON, compressed, updates whom it means', async () => {
    const space = await newSpace();
    const rows = (phone: string) =>
      gzipSync(`{"mail":"a@example.org","phone":"${phone}"}\n\n{"surname":"B","address":{"city":"Albi"}}\n`);
    await muster('import', 'contacts', file('a.ndjson.gz', rows('1')), '--space', space);
    const { out } = await muster('import', 'contacts', file('a.ndjson.gz', rows('2')), '--space', space);
    expect(out).toContain('0 contacts created, 1 updated, 1 unchanged');
    expect(await door.sql('select phone from contacts where group_id = ? order by id', [space])).toEqual([
      { phone: '2' },
      { phone: null },
    ]);
  });

  it.each([
    ['columns that no contact has', 'colour,surname\nred,A\n', [], 1, 'Unknown columns for a contact: colour'],
    ['a column of an odd name', 'surname,__proto__\nA,b\n', [], 1, 'Unknown columns for a contact: __proto__'],
    ['a map of columns that it lacks', 'surname\nA\n', ['--map', 'nom=surname'], 1, 'lacks: nom'],
    ['a map to what there is not', 'nom\nA\n', ['--map', 'nom=name'], 1, 'There is no column name'],
    ['a map that is none', 'nom\nA\n', ['--map', 'nom'], 2, 'must be <column of the file>'],
  ])('with %s is refused, and leaves no trace', async (_, content, args, status, said) => {
    const space = await newSpace();
    const { code, out, err } = await muster(
      'import',
      'contacts',
      file('refused.csv', content),
      '--space',
      space,
      ...args,
    );
    expect([code, out]).toEqual([status, '']);
    expect(err).toContain(said);
    expect(await door.sql('select id from imports where group_id = ?', [space])).toEqual([]);
  });

  it('is missing, or the space is', async () => {
    expect((await muster('import', 'contacts', '/nowhere.csv', '--space', '1')).err).toContain('/nowhere.csv');
    expect((await muster('import', 'contacts', file('x.csv', 'surname\nA\n'), '--space', '987654')).err).toContain(
      'There is no space 987654',
    );
  });
});

const many = (count: number): string =>
  `firstname,surname,mail,address_city,tags\n${Array.from({ length: count }, (_, n) => `F${n % 97},S${n},m${n % (count * 0.9)}@example.org,Ville ${n % 300},t${n % 7}`).join('\n')}\n`;

describe('an import that is killed', () => {
  it.each(['upsert', 'create'])('goes on where it was cut off (%s), and ends like one that was not', async (mode) => {
    const [whole, cut] = [await newSpace(), await newSpace()];
    const path = file(`many-${mode}.csv`, many(3000));
    const args = (space: string) => ['import', 'contacts', path, '--space', space, '--mode', mode, '--batch', '100'];
    expect((await muster(...args(whole))).code).toBe(0);
    const child = spawn(process.execPath, [program, ...args(cut)], { cwd: folder, env, stdio: 'ignore' });
    const batches = async (): Promise<number> =>
      Number((await door.sql('select count(*) from import_batches where group_id = ?', [cut]))[0].count);
    while ((await batches()) < 5) await sleep(5);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await sleep(700);
    const [{ created, updated }] = await door.sql(
      'select sum(created)::int as created, sum(updated)::int as updated from import_batches where group_id = ?',
      [cut],
    );
    expect(created + updated).toBeLessThan(3000);
    expect((await contactsOf(cut)).length).toBe(created);
    const { out } = await muster(...args(cut), '--resume');
    expect(idIn(out)).toBe(String((await door.sql('select id from imports where group_id = ?', [cut]))[0].id));
    expect(await contactsOf(cut)).toEqual(await contactsOf(whole));
    expect(await stale(cut)).toEqual([]);
  });
});

describe('undoing', () => {
  it('deletes what was created and brings back what was changed, but for what changed since', async () => {
    const space = await newSpace();
    const first = 'surname,mail,address_city,tags\nKept,kept@example.org,Albi,old\nLater,later@example.org,Foix,\n';
    await muster('import', 'contacts', file('first.csv', first), '--space', space);
    const before = await contactsOf(space);
    const second =
      'surname,mail,address_city,tags\nChanged,kept@example.org,Agen,new\nChanged too,later@example.org,Auch,\nNew,new@example.org,,\n';
    // By mail alone: the names are other ones.
    const map = 'mail=mail,address_city=address_city,tags=tags';
    const { out } = await muster('import', 'contacts', file('second.csv', second), '--space', space, '--map', map);
    expect(out).toContain('1 contacts created, 2 updated');
    await door.sql(`select touch_contacts(?, array(select id from contacts where mail = 'later@example.org'), 1)`, [
      space,
    ]);
    const undone = await muster('import', 'undo', idIn(out), '--space', space);
    expect(undone.out).toBe(
      `import ${idIn(out)} undone: 1 contacts deleted, 1 restored, 1 kept because they were changed since\n`,
    );
    const after = await contactsOf(space);
    expect(after).toEqual([before[0], { ...before[1], city: 'Auch' }]);
    expect(await stale(space)).toEqual([]);
    expect((await muster('import', 'undo', idIn(out), '--space', space)).err).toContain('was undone already');
    expect((await muster('import', 'undo', '987654', '--space', space)).err).toContain('There is no import 987654');
  });
});

it('what is exported, imported elsewhere and exported again is the same but for ids and times', async () => {
  const space = await newSpace();
  await door.sql(
    `with f as (insert into forms (group_id, kind, label, type) select ?, kind, label, type from forms where group_id = 1 and deleted_at is null returning id, kind, label)
     insert into form_refs (group_id, form_id, label, value, position) select ?, f.id, r.label, r.value, r.position
       from f join forms o on o.group_id = 1 and o.kind = f.kind and o.label = f.label and o.deleted_at is null join form_refs r on r.group_id = 1 and r.form_id = o.id`,
    [space, space],
  );
  const own = new Set([
    'id',
    'group_id',
    'contact_id',
    'form_id',
    'form_ref_id',
    'user_contact_id',
    'survey_id',
    'action_ids',
    'actions_ids',
  ]);
  const times = new Set([
    'CreatedAt',
    'UpdatedAt',
    'lastchange',
    'created_at',
    'updated_at',
    'notes',
    'color',
    'customfields',
  ]);
  const bare = (value: Json): Json => {
    if (Array.isArray(value))
      return value
        .map(bare)
        .map((one) => JSON.stringify(one))
        .sort();
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !own.has(key) && !times.has(key))
        .sort()
        .map(([key, inner]) => [key, bare(inner)]),
    );
  };
  const read = (path: string): string[] =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.stringify(bare(JSON.parse(line))))
      .sort();
  const [there, back] = [join(place, 'there.ndjson'), join(place, 'back.ndjson')];
  expect((await muster('export', '--space', '1', '--out', there)).code).toBe(0);
  const imported = await muster('import', 'contacts', there, '--space', space, '--mode', 'create');
  expect([imported.code, imported.err]).toEqual([
    0,
    expect.stringMatching(/^ignored columns: [^\n]*\nimport \d+ begins\n$/),
  ]);
  expect((await muster('export', '--space', space, '--out', back)).code).toBe(0);
  expect(read(there).length).toBeGreaterThan(50);
  expect(read(back)).toEqual(read(there));
});
