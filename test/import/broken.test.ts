// An import that breaks off: it says which one it is and how to go on, and in the end tells what all its runs came to.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startProxy } from '../faults/proxy.ts';
import { openSession } from '../harness/session.ts';
import { drawSample, isThorough } from '../harness/sizes.ts';
import { waitUntil } from '../harness/waiting.ts';
import { createFiles, type Files } from './files.ts';

vi.setConfig({ testTimeout: 120_000 });

let files: Files;
beforeAll(async () => {
  files = await createFiles();
});

const rows = 2000;

/** Some mean a person of an earlier row, some say what is there already, some cannot be read, some the database refuses. */
const people = `firstname,surname,mail,birthdate,external_id\n${Array.from({ length: rows }, (_, n) => {
  const [person, day] = [n % 1700, n % 331 === 0 ? 'never' : '1980-02-03'];
  return `F${person},S${person},m${person}@example.org,${day},${n % 401 === 7 ? 'taken' : `e${person}`}`;
}).join('\n')}\n`;
const gifts = `contact_mail,amount,transaction_date\n${Array.from({ length: rows }, (_, n) => `${n % 97 === 0 ? 'nobody' : 'ada'}@example.org,${n + 1},2024-05-06`).join('\n')}\n`;

interface Case {
  family: string;
  content: string;
  args: string[];
}
const cases: [string, Case][] = [
  ['upserts', { family: 'contacts', content: people, args: [] }],
  ['contacts that are always created', { family: 'contacts', content: people, args: ['--mode', 'create'] }],
  ['donations', { family: 'donations', content: gifts, args: [] }],
];

const [[, upserts]] = cases as [[string, Case]];

const command = ({ family, args }: Case, path: string, space: string): string[] => [
  'import',
  family,
  path,
  '--space',
  space,
  '--batch',
  '100',
  ...args,
];

/** What was told of all rows, without what differs from run to run. */
const totalsIn = (out: string): string => {
  const told = /^import \d+: ([\d,]+ rows) (?:in [\d.]+ s|finished before), (.*)\n$/.exec(out);
  if (!told) throw new Error(`No totals in: ${out}`);
  return `${told[1]}, ${told[2]}`;
};

let tries = 0;
const fileOf = (name: string, content: string | Buffer): string => {
  const path = files.path(`${tries++}-${name}`);
  writeFileSync(path, content);
  return path;
};

const spaceFor = async ({ family }: Case): Promise<string> =>
  family === 'contacts' ? files.createSpace() : (await files.createPeopledSpace()).space;

/** What a space holds, for comparison. */
const held = async (space: string): Promise<string[]> =>
  [
    ...(await files.readLivingRows('contacts', space, 'firstname, surname, mail, birthdate, external_id')),
    ...(await files.readLivingRows('donations', space, 'amount')),
  ]
    .map((row) => JSON.stringify(row))
    .sort();

const begin = (args: string[], env: Record<string, string> = {}) => {
  const { program, folder, env: usual } = files.started;
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env: { ...usual, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, err: text(child.stderr), out: text(child.stdout), ended: once(child, 'close') };
};

/** The last import of a family into a space, and how many batches of it are written. */
const lastOf = async (space: string, family: string): Promise<{ id: string; batches: number }> => {
  const [found] = await files.door.sql(
    `select i.id, (select count(*) from import_batches b where b.group_id = i.group_id and b.import_id = i.id) as batches
       from imports i where i.group_id = ? and i.family = ? order by i.id desc limit 1`,
    [space, family],
  );
  return { id: String(found?.id ?? 'none'), batches: Number(found?.batches ?? 0) };
};
const importOf = async (space: string, family = 'contacts'): Promise<string> => (await lastOf(space, family)).id;
const batches = async (space: string, family = 'contacts'): Promise<number> => (await lastOf(space, family)).batches;

const expectPlain = (err: string): void => {
  expect(err).not.toMatch(
    /\b(select|insert into|update \w+ set|begin|savepoint)\b|:\d+:\d+\)|node:internal|undefined|secret/i,
  );
};
const expectWayOn = async (err: string, space: string, family = 'contacts'): Promise<void> => {
  expectPlain(err);
  expect(err).toMatch(new RegExp(`Import ${await importOf(space, family)} was interrupted\\..* with --resume`));
};

type Kill = (at: { space: string; family: string }, child: ChildProcess, watch: pg.Client) => Promise<unknown>;
const cut = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL');
  await once(child, 'close');
};

const moments: [string, Kill][] = [
  ['before it has begun', (_, child) => cut(child)],
  [
    'before its first batch',
    async ({ space, family }, child, watch) => {
      await watch.query('begin; lock table import_batches in exclusive mode');
      await waitUntil('it has begun', async () => (await importOf(space, family)) !== 'none');
      await cut(child);
      await watch.query('rollback');
    },
  ],
  [
    'in the middle',
    async ({ space, family }, child) => {
      await waitUntil('some is written', async () => (await batches(space, family)) >= 5);
      await cut(child);
    },
  ],
  [
    'after its last batch',
    async ({ space, family }, child, watch) => {
      await waitUntil('it has begun', async () => (await importOf(space, family)) !== 'none');
      await watch.query('begin');
      await watch.query('select from imports where group_id = $1 and family = $2 for no key update', [space, family]);
      await waitUntil('all is written', async () => (await batches(space, family)) === rows / 100);
      await cut(child);
      await watch.query('rollback');
    },
  ],
  ['after its end', (_, child) => once(child, 'close')],
];

describe.each(cases)('%s', (_, what) => {
  let whole: string;
  let there: unknown;
  beforeAll(async () => {
    const space = await spaceFor(what);
    const { out, code } = await files.muster(...command(what, fileOf('whole.csv', what.content), space));
    whole = totalsIn(out);
    expect([code, whole.startsWith('2,000 rows, '), /, [1-9]\d* rows rejected$/.test(whole)]).toEqual([1, true, true]);
    there = await held(space);
  });

  // The code of runs is the same for all files; of the others, one moment suffices.
  const tried = what === upserts || isThorough ? moments : moments.filter(([moment]) => /middle/.test(moment));

  it.each(tried)('that are killed %s come to the same when they are resumed', async (_moment, kill) => {
    const [space, watch] = [await spaceFor(what), await openSession(files.door.databaseUrl)];
    const args = command(what, fileOf('killed.csv', what.content), space);
    const { child, ended } = begin(args);
    await kill({ space, family: what.family }, child, watch);
    await ended;
    // One that has not begun cannot go on.
    const begun = (await importOf(space, what.family)) !== 'none';
    const { out, code } = await files.muster(...args, ...(begun ? ['--resume'] : []));
    expect([code, totalsIn(out)]).toEqual([1, whole]);
    expect(await held(space)).toEqual(there);
    expect(
      (await files.door.sql('select count(*) from imports where group_id = ? and family = ?', [space, what.family]))[0]
        .count,
    ).toBe(1);
  });

  it('whose connections the database ends say how to go on', async () => {
    const [space, watch] = [await spaceFor(what), await openSession(files.door.databaseUrl)];
    const args = command(what, fileOf('ended.csv', what.content), space);
    const { ended, err, out } = begin(args);
    await waitUntil('some is written', async () => (await batches(space, what.family)) >= 5);
    const others = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'muster'
                      and query like '%import%'`;
    let over = false;
    void ended.then(() => {
      over = true;
    });
    while (!over) await watch.query(others);
    expect([(await ended)[0], await out]).toEqual([1, '']);
    expect(await err).toContain('The database cannot be reached');
    await expectWayOn(await err, space, what.family);
    expect(totalsIn((await files.muster(...args, '--resume')).out)).toBe(whole);
    expect(await held(space)).toEqual(there);
  });
});

describe('an import says how to go on', () => {
  const signals = [
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const;
  it.each(drawSample(signals, { small: 3, all: 3 }))('when %s ends it', async (signal, status) => {
    const space = await files.createSpace();
    const args = command(upserts, fileOf('stopped.csv', people), space);
    const { child, err, ended } = begin(args);
    await waitUntil('some is written', async () => (await batches(space)) >= 3);
    child.kill(signal);
    expect((await ended)[0]).toBe(status);
    expect(await err).toContain(`muster: Stopped by ${signal}`);
    await expectWayOn(await err, space);
    expect(totalsIn((await files.muster(...args, '--resume')).out)).toMatch(/^2,000 rows/);
  });

  it('when the database is gone for good', async () => {
    const proxy = await startProxy(files.door.databaseUrl);
    onTestFinished(() => proxy.close().catch(() => {}));
    const space = await files.createSpace();
    const args = command(upserts, fileOf('gone.csv', people), space);
    const { ended, err } = begin(args, { DATABASE_URL: proxy.url(files.door.databaseUrl) });
    await waitUntil('some is written', async () => (await batches(space)) >= 3);
    await proxy.close();
    expect((await ended)[0]).toBe(1);
    await expectWayOn(await err, space);
  });

  it('when the database refuses what nobody expected, without what it quotes', async () => {
    const space = await files.createSpace();
    await files.door.sql(`create function refuse() returns trigger language plpgsql as $$ begin
      raise exception 'not today' using detail = 'secret', hint = 'secret'; end $$`);
    await files.door.sql(
      `create trigger refuse before insert on contacts for each row when (new.group_id = ${space} and new.surname = 'S900') execute function refuse()`,
    );
    const { code, err } = await files.muster(...command(upserts, fileOf('odd.csv', people), space));
    expect(code).toBe(1);
    expect(err).toContain('The database refused a statement: not today (SQLSTATE P0001)');
    await expectWayOn(err, space);
  });
});

describe('an import that has not begun', () => {
  it.each([
    ['a folder', () => files.path('.'), 'cannot be read: it is a folder'],
    ...['csv', 'ndjson'].map((format): [string, () => string, string] => [
      `a compressed file that is cut off (${format})`,
      () => {
        const content =
          format === 'csv' ? people : Array.from({ length: rows }, (_, n) => `{"surname":"S${n}"}\n`).join('');
        const whole = gzipSync(content);
        return fileOf(`cut.${format}.gz`, whole.subarray(0, whole.length - 500));
      },
      'its compressed content is incomplete',
    ]),
    ['a file that is not there', () => files.path('none.csv'), 'none.csv cannot be read: it does not exist'],
    [
      'a workbook of Excel',
      () => fileOf('people.xlsx', Buffer.from('PK\x03\x04\x00\xff', 'latin1')),
      'people.xlsx cannot be read: it is a spreadsheet or an archive, not CSV: save it as CSV (UTF-8) there, and import that file',
    ],
    [
      'a workbook of an old Excel that is called CSV',
      () => fileOf('people.csv', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1])),
      'it is a spreadsheet of an old Excel, not CSV: save it as CSV (UTF-8) there',
    ],
    [
      'what is not compressed',
      () => fileOf('plain.csv.gz', people),
      'cannot be read: its compressed content is damaged',
    ],
  ])('of %s says so, and leaves no trace', async (_, path, said) => {
    const space = await files.createSpace();
    const { code, err } = await files.muster('import', 'contacts', path(), '--space', space, '--resume');
    expect([code, await importOf(space)]).toEqual([1, 'none']);
    expect(err).toContain(said);
    expectPlain(err);
  });

  it('does not go on with other options than those of the one that was cut off', async () => {
    const space = await files.createSpace();
    const path = fileOf('other.csv', people);
    const { child, ended } = begin(command(upserts, path, space));
    await waitUntil('some is written', async () => (await batches(space)) >= 3);
    child.kill('SIGKILL');
    await ended;
    const before = await held(space);
    const { code, err } = await files.muster('import', 'contacts', path, '--space', space, '--batch', '50', '--resume');
    expect(code).toBe(1);
    expect(err).toContain(
      `Import ${await importOf(space)} of ${path} was interrupted, but the file or the options were different`,
    );
    expect(await held(space)).toEqual(before);
  });
});

it('undoing says how to go on when it breaks off, and in the end what all of its runs came to', async () => {
  const [space, watch] = [await files.createSpace(), await openSession(files.door.databaseUrl)];
  const id = files.readImportId((await files.muster(...command(upserts, fileOf('undone.csv', people), space))).out);
  const edited = 'select unnest(array[min(id), max(id)]) from contacts where group_id = $1';
  await watch.query(`update contacts set version = 99 where group_id = $1 and id in (${edited})`, [space]);
  const made = (await held(space)).length;
  await watch.query('begin');
  await watch.query('select from contacts where group_id = $1 order by id limit 1 for update', [space]);
  const { code, err } = await files.undoImport(id, space);
  expect([code, err]).toEqual([
    1,
    `muster: The database did not finish in time\nImport ${id} is only partly undone. To continue, run the same command again.\n`,
  ]);
  await watch.query('rollback');
  expect(await files.undoImport(id, space)).toEqual({
    code: 0,
    out: `import ${id} undone: ${(made - 2).toLocaleString('en-US')} contacts deleted, 0 restored, 2 kept because they were changed since\n`,
    err: expect.any(String),
  });
  expect((await held(space)).length).toBe(2);
});
