// Files of records, there and back: going on after a kill, exporting, and the way through files into another space.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { buildCondition, ids } from '../graphql/search-query.ts';
import type { Door, Json } from '../harness/app.ts';
import { isThorough } from '../harness/sizes.ts';
import { createFiles, type Files } from './files.ts';

vi.setConfig({ testTimeout: 240_000 });

const families = ['notes', 'interactions', 'transactions', 'donations', 'memberships', 'sanctions', 'emails'];
let door: Door;
let files: Files;
beforeAll(async () => {
  files = await createFiles();
  door = files.door;
});

const gift = 'contact_mail,amount,transaction_date\n';
// Imports of other families are killed in broken.test.ts.
it.runIf(isThorough)('an import that is killed leaves whole batches, and goes on where it was cut off', async () => {
  const [whole, cut] = [await files.createPeopledSpace(), await files.createPeopledSpace()];
  const mails = ['ada', 'bob', 'cleo'];
  const many = `${gift}${Array.from({ length: 3000 }, (_, n) => `${mails[n % 3]}@example.org,${n},2024-01-01`).join('\n')}\n`;
  const args = (space: string) => ['--space', space, '--batch', '50'];
  expect((await files.importFile('donations', 'many.csv', many, ...args(whole.space))).code).toBe(0);
  const { program, folder, env } = files.started;
  const command = ['import', 'donations', files.path('many.csv'), ...args(cut.space)];
  const child = spawn(process.execPath, [program, ...command], { cwd: folder, env, stdio: 'ignore' });
  const done = async (): Promise<Json> =>
    (
      await door.sql(
        'select count(b) as batches, sum(b.created)::int as created from import_batches b join imports i on i.group_id = b.group_id and i.id = b.import_id where b.group_id = ? and i.family = ?',
        [cut.space, 'donations'],
      )
    )[0];
  while (Number((await done()).batches) < 5) await sleep(5);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await sleep(700);
  const { created } = await done();
  expect(created).toBeLessThan(3000);
  expect(await files.readLivingRows('donations', cut.space, 'id')).toHaveLength(created);
  const { out } = await files.muster(...command, '--resume');
  const amounts = async (space: string) =>
    (await files.readLivingRows('donations', space, 'amount')).map(({ amount }) => amount).sort((a, b) => a - b);
  expect(await amounts(cut.space)).toEqual(await amounts(whole.space));
  expect(await files.findStaleRows(cut.space)).toEqual([]);
  expect((await files.undoImport(files.readImportId(out), cut.space)).out).toContain('3,000 donations deleted, 0 kept');
  expect(await files.readLivingRows('donations', cut.space, 'id')).toEqual([]);
});

it('what was imported is found by the search, until it is undone', async () => {
  const mail = 'found.by.records@example.org';
  await files.importFile('contacts', 'found.csv', `surname,mail\nFound,${mail}\n`, '--space', '1');
  const [{ id }] = await door.sql('select id from contacts where group_id = 1 and mail = ?', [mail]);
  const found = async (attribute: string, value: string): Promise<boolean> =>
    (
      await ids(door, {
        query: {
          and: [
            { and: [buildCondition(attribute, attribute === 'emails.campaign_name' ? 'contains' : 'eql', { value })] },
          ],
        },
      })
    ).includes(id);
  const cases: [family: string, csv: string, attribute: string, value: string][] = [
    ['donations', `${gift}${mail},7770001,2024-01-01\n`, 'donations.sum_amount', '77700.01'],
    [
      'transactions',
      `contact_mail,amount,date,code_campaign\n${mail},5,2024-01-01,only-here\n`,
      'transactions.code_campaign',
      'only-here',
    ],
    [
      'emails',
      `contact_mail,campaign,campaign_subject\n${mail},Only this one,Only this subject\n`,
      'emails.campaign_name',
      'Only this one',
    ],
  ];
  for (const [family, csv, attribute, value] of cases) {
    expect([family, await found(attribute, value)]).toEqual([family, false]);
    const { out } = await files.importFile(family, 'search.csv', csv, '--space', '1');
    expect([family, await found(attribute, value)]).toEqual([family, true]);
    await files.undoImport(files.readImportId(out), '1');
    expect([family, await found(attribute, value)]).toEqual([family, false]);
  }
  const verified = await files.muster('search', 'verify', '--space', '1');
  expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('all rows are correct')]);
});

describe('muster export of records', () => {
  it('writes the living ones of living contacts of one space, in the order of their ids, to a file that is whole', async () => {
    const path = files.path('donations.ndjson');
    const { code, err } = await files.muster('export', 'donations', '--space', '1', '--out', path);
    const kept = await door.sql(
      `select d.id from donations d join contacts c on c.group_id = d.group_id and c.id = d.contact_id and c.deleted_at is null
        where d.group_id = 1 and d.deleted_at is null order by d.id`,
    );
    expect([code, err]).toEqual([0, `${kept.length.toLocaleString('en-US')} donations exported\n`]);
    const rows = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(rows.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
    expect(Object.keys(rows[0])).toEqual([
      'id',
      'contact_id',
      'contact_external_id',
      'contact_mail',
      'transaction_id',
      'donation_price_id',
      'donation_price',
      'amount',
      'currency',
      'transaction_date',
      'created_at',
      'updated_at',
    ]);
    expect(existsSync(`${path}.part`)).toBe(false);
  });

  it('marks in CSV what a spreadsheet would take for a formula, and an import takes the mark away', async () => {
    const formulas = [
      '=1+1',
      '+1+A1',
      '-cmd|calc',
      '@SUM(1)',
      '\t=1',
      '\r=1',
      '\n=1',
      '\r\n=1',
      ' =1',
      '\u00a0=1',
      '\n\n text',
      '＝1',
      '＋1',
      '－1',
      '＠1',
      `'=1`,
      `''=1`,
      `' =1`,
    ];
    const plain = [`+1`, `-1`, `+33 (0)6 12`, `'quoted'`, `'`, 'a=1', ' text', `it's -1`, `"=1"`];
    const contents = [...formulas, ...plain];
    const { space } = await files.createPeopledSpace();
    const rows = contents.map((content) => `${JSON.stringify({ contact_mail: 'ada@example.org', content })}\n`);
    await files.importFile('notes', 'f.ndjson', rows.join(''), '--space', space);
    const { out } = await files.muster('export', 'notes', '--space', space, '--format', 'csv');
    const cells = (parse(out, { columns: true }) as Json[]).map(({ content }) => content);
    expect(cells).toEqual([...formulas.map((content) => `'${content}`), ...plain]);
    await files.importFile('notes', 'f.csv', out, '--space', space);
    const kept = await files.readLivingRows('notes', space, 'content');
    expect(kept.map(({ content }) => content)).toEqual([...contents, ...contents]);
  });

  it.each([
    ['a search', ['export', 'notes', '--space', '1', '--search', 'x.json'], 'work with contacts only'],
    ['a family that there is not', ['export', 'gifts', '--space', '1'], 'Allowed choices are contacts, notes'],
  ])('refuses %s', async (_, args, said) => {
    const { code, out, err } = await files.muster(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(said);
  });
});

/** The forms and lists of space 1, made anew in another. */
const sameLists = async (space: string): Promise<void> => {
  const copy = (table: string, columns: string): Promise<Json[]> =>
    door.sql(`insert into ${table} (group_id, ${columns}) select ?, ${columns} from ${table} where group_id = 1`, [
      space,
    ]);
  await copy('transaction_statuses', 'name, color, kind');
  await copy('donation_prices', 'name, amount');
  await copy('membership_price_groups', 'name');
  await copy('campaigns', 'name, subject, sender');
  const prices = await door.sql(
    `select g.name as of, p.name, p.amount from membership_prices p
       join membership_price_groups g on g.group_id = 1 and g.id = p.membership_price_group_id where p.group_id = 1`,
  );
  for (const { of, name, amount } of prices)
    await door.sql(
      `insert into membership_prices (group_id, membership_price_group_id, name, amount)
       select ?, id, ?, ? from membership_price_groups where group_id = ? and name = ?`,
      [space, name, amount, space, of],
    );
  for (const { id, kind, label, type } of await door.sql(
    'select id, kind, label, type from forms where group_id = 1 and deleted_at is null order by id',
  )) {
    const [form] = await door.sql('insert into forms (group_id, kind, label, type) values (?, ?, ?, ?) returning id', [
      space,
      kind,
      label,
      type,
    ]);
    await door.sql(
      `insert into form_refs (group_id, form_id, label, value, position)
       select ?, ?, label, value, position from form_refs where group_id = 1 and form_id = ?`,
      [space, form.id, id],
    );
  }
};

/** The other format takes the same way, so that some families show that it is whole. */
const some = isThorough ? families : ['notes', 'transactions', 'donations'];

describe.each([
  ['csv', families],
  ['ndjson', some],
])('the way through files of %s', (format, moved) => {
  it('into another space leaves all records as they are, but for ids and the times of their making', async () => {
    const space = await files.createSpace();
    await sameLists(space);
    const path = (family: string, where: string) =>
      files.path(`${where}-${family}.${family === 'contacts' ? 'ndjson' : format}`);
    const exportAll = async (from: string, where: string): Promise<void> => {
      for (const family of ['contacts', ...moved]) {
        const as = family === 'contacts' ? 'ndjson' : format;
        const args = ['--space', from, '--format', as, '--out', path(family, where)];
        expect([family, (await files.muster('export', family, ...args)).code]).toEqual([family, 0]);
      }
    };
    // What the transaction paid stays, and comes without it.
    const [{ id: deleted }] = await door.sql(
      `select max(d.transaction_id) as id from donations d join transactions t on t.group_id = 1 and t.id = d.transaction_id and t.deleted_at is null
        where d.group_id = 1 and d.deleted_at is null`,
    );
    await door.graphql(`mutation { deleteTransaction(input: { id: ${deleted} }) { deletedId } }`);
    await exportAll('1', 'there');
    const bring = async (family: string, ...args: string[]): Promise<string> => {
      const { code, err, out } = await files.muster('import', family, path(family, 'there'), '--space', space, ...args);
      expect([family, code, err.replace(/^ignored columns: .*\n/, '')]).toEqual([
        family,
        0,
        `import ${files.readImportId(out)} begins\n`,
      ]);
      return files.readImportId(out);
    };
    const contacts = await bring('contacts', '--mode', 'create');
    const transactions = await bring('transactions', '--contacts', contacts);
    for (const family of moved.filter((name) => name !== 'transactions')) {
      const paid = ['donations', 'memberships'].includes(family) ? ['--transactions', transactions] : [];
      await bring(family, '--contacts', contacts, ...paid);
    }
    await exportAll(space, 'back');
    const keysOf = async (id: string): Promise<Map<string, number>> =>
      new Map(
        (
          await door.sql('select source_key, record_id from import_keys where group_id = ? and import_id = ?', [
            space,
            id,
          ])
        ).map(({ source_key, record_id }) => [source_key, record_id]),
      );
    const [whose, paidBy] = [await keysOf(contacts), await keysOf(transactions)];
    const others = [
      'id',
      'user_id',
      'updated_at',
      'status_id',
      'donation_price_id',
      'membership_price_id',
      'campaign_id',
    ];
    const read = (family: string, where: string): string[] => {
      const text = readFileSync(path(family, where), 'utf8');
      const rows: Json[] =
        format === 'csv'
          ? parse(text, { columns: true })
          : text
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line));
      const dated = ['notes', 'interactions', 'emails'].includes(family);
      const translate = (ids: Map<string, number>, id: unknown) => (id ? String(ids.get(String(id))) : id);
      return rows
        .map((row) => {
          const own = Object.entries(row).filter(
            ([name]) => !others.includes(name) && (dated || name !== 'created_at'),
          );
          const there = where === 'there';
          const links = Object.fromEntries(
            own.map(([name, value]) => {
              if (name === 'contact_id') return [name, there ? translate(whose, value) : String(value)];
              if (name === 'transaction_id' && value) return [name, there ? translate(paidBy, value) : String(value)];
              return [name, value];
            }),
          );
          return JSON.stringify(links);
        })
        .sort();
    };
    for (const family of moved) {
      expect(read(family, 'there').length).toBeGreaterThan(3);
      expect(read(family, 'back')).toEqual(read(family, 'there'));
    }
    expect(await files.findStaleRows(space)).toEqual([]);
  });
});
