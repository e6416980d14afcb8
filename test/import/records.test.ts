// muster import of records: each family through a file, whose contact a row means, lists by their names, faults, dry runs, other spaces.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Door, Json } from '../harness/app.ts';
import { createFiles, type Files } from './files.ts';
import { recordCases } from './record-cases.ts';

vi.setConfig({ testTimeout: 120_000 });

let door: Door;
let files: Files;
beforeAll(async () => {
  files = await createFiles();
  door = files.door;
});

/** A space with some contacts and lists; who has which id. */
const peopled = async (): Promise<{ space: string; ada: number; bob: number }> => {
  const space = await files.createSpace();
  const [ada, bob] = await door.sql(
    `insert into contacts (group_id, external_id, surname, mail) values (?, 'E1', 'Ada', 'ada@example.org'), (?, null, 'Bob', 'Bob@example.org') returning id`,
    [space, space],
  );
  await door.sql(
    `insert into contacts (group_id, surname, mail, deleted_at) values (?, 'Twin', 'twin@example.org', null), (?, 'Twin', 'TWIN@example.org', null), (?, 'Gone', 'gone@example.org', now())`,
    [space, space, space],
  );
  await door.sql('select refresh_search(?, array(select id from contacts where group_id = ?))', [space, space]);
  await door.sql(
    `with s as (insert into transaction_statuses (group_id, name) values (?, 'Paid')), d as (insert into donation_prices (group_id, name, amount) values (?, 'Monthly', 1000)),
          g as (insert into membership_price_groups (group_id, name) values (?, 'Students'), (?, 'Others') returning id, group_id, name)
     insert into membership_prices (group_id, membership_price_group_id, name, amount) select group_id, id, 'Yearly', 500 from g`,
    [space, space, space, space],
  );
  return { space, ada: ada.id, bob: bob.id };
};
const rowsOf = (table: string, space: string, columns: string): Promise<Json[]> =>
  door.sql(`select ${columns} from ${table} r where r.group_id = ? and r.deleted_at is null order by r.id`, [space]);

/** The lines that tell of faults, but for their totals. */
const faultsIn = (err: string): string[] => err.split('\n').filter((line) => line.startsWith('line '));

describe.each(recordCases)('%s', (family, csv, ndjson, columns, expected) => {
  it.each([
    ['csv', csv],
    ['ndjson', ndjson],
  ])('are written from %s, and their contacts are found and marked as they are', async (format, content) => {
    const { space } = await peopled();
    const [before] = await door.sql('select sum(version)::int as versions from contacts where group_id = ?', [space]);
    const { code, out, err } = await files.importFile(family, `${family}.${format}`, content, '--space', space);
    expect([code, err]).toEqual([0, `import ${files.readImportId(out)} begins\n`]);
    expect(out).toMatch(
      new RegExp(
        `^import \\d+: ${expected.length} rows in .* s, ${expected.length} ${family} created, 0 rows rejected\n$`,
      ),
    );
    expect(await rowsOf(family, space, columns)).toEqual(expected);
    expect(await files.findStaleRows(space)).toEqual([]);
    const [after] = await door.sql('select sum(version)::int as versions from contacts where group_id = ?', [space]);
    expect(after.versions - before.versions).toBe(family === 'emails' ? 0 : 1);
  });
});

it('an amount may be as large as records have it', async () => {
  const { space } = await peopled();
  const rows = ['9007199254740991', '-9007199254740991', '9007199254740992'].map(
    (amount) => `ada@example.org,${amount},2024-01-01`,
  );
  const csv = `contact_mail,amount,transaction_date\n${rows.join('\n')}\n`;
  const { err } = await files.importFile('donations', 'large.csv', csv, '--space', space);
  expect(faultsIn(err)).toEqual(['line 4: amount "9007199254740992" must be at most 9007199254740991']);
  expect(await rowsOf('donations', space, 'amount')).toEqual([
    { amount: 9007199254740991 },
    { amount: -9007199254740991 },
  ]);
});

describe('a row means its contact', () => {
  it('by the id that it has here, with --ids; by external id or mail without', async () => {
    const { space, ada, bob } = await peopled();
    const csv = `contact_id,contact_mail,status\n${bob},ada@example.org,x\n`;
    await files.importFile('sanctions', 'ids.csv', csv, '--space', space);
    await files.importFile('sanctions', 'ids.csv', csv, '--space', space, '--ids');
    expect(await rowsOf('sanctions', space, 'contact_id')).toEqual([{ contact_id: ada }, { contact_id: bob }]);
  });

  it('by the id that it had in the file of an import, which two rows of that file may share', async () => {
    const { space } = await peopled();
    const people =
      'Number,Name,Mail\nk-1,Cleo,cleo@example.org\nk-2,Cleo,cleo@example.org\n7,Dora,\n7,Emil,\n8,Fred,fred@example.org\n';
    const map = 'Number=id,Name=surname,Mail=mail';
    const contacts = files.readImportId(
      (await files.importFile('contacts', 'p.csv', people, '--space', space, '--map', map)).out,
    );
    const csv = 'contact_id,content\nk-1,one\nk-2,two\n7,three\n8,four\n9,five\n';
    const { code, err } = await files.importFile('notes', 'n.csv', csv, '--space', space, '--contacts', contacts);
    expect(code).toBe(1);
    expect(faultsIn(err)).toEqual([
      `line 4: contact_id "7" is the id of 2 rows of import ${contacts}`,
      'line 6: contact_id "9" is no contact of the space',
    ]);
    expect(
      await rowsOf(
        'notes',
        space,
        'content, (select c.surname from contacts c where c.group_id = r.group_id and c.id = r.contact_id) as of',
      ),
    ).toEqual([
      { content: 'one', of: 'Cleo' },
      { content: 'two', of: 'Cleo' },
      { content: 'four', of: 'Fred' },
    ]);
  });

  it('and no other whose id JSON rounds to the same number: such a number is refused in both files', async () => {
    const { space } = await peopled();
    const people = '{"id":12345678901234567891,"surname":"Gil"}\n{"id":"12345678901234567892","surname":"Hal"}\n';
    const first = await files.importFile('contacts', 'big.ndjson', people, '--space', space);
    expect(faultsIn(first.err)).toEqual([expect.stringContaining('line 1: id "12345678901234567000" has more digits')]);
    const notes =
      '{"contact_id":12345678901234567892,"content":"one"}\n{"contact_id":"12345678901234567892","content":"two"}\n';
    const contacts = files.readImportId(first.out);
    const { err } = await files.importFile('notes', 'n.ndjson', notes, '--space', space, '--contacts', contacts);
    expect(faultsIn(err)).toEqual([expect.stringContaining('line 1: contact_id')]);
    expect(await rowsOf('notes', space, 'content')).toEqual([{ content: 'two' }]);
  });

  it('that was merged into another: the other', async () => {
    const { space, ada, bob } = await peopled();
    await door.sql('update contacts set deleted_at = now(), merged_into = ? where group_id = ? and id = ?', [
      ada,
      space,
      bob,
    ]);
    const { code } = await files.importFile(
      'notes',
      'm.csv',
      `contact_id,content\n${bob},x\n`,
      '--space',
      space,
      '--ids',
    );
    expect(code).toBe(0);
    expect(await rowsOf('notes', space, 'contact_id')).toEqual([{ contact_id: ada }]);
  });

  it('and no other: missing, deleted, foreign and ambiguous ones are told, each at its place', async () => {
    const { space } = await peopled();
    const [{ id: foreign, mail }] = await door.sql(
      'select id, mail from contacts where group_id = 1 and deleted_at is null and mail is not null limit 1',
    );
    const csv = `contact_id,contact_external_id,contact_mail,content\n,nobody,ada@example.org,a\n,,twin@example.org,b\n,,gone@example.org,c\n,,${mail},d\n,,,e\n${foreign},,,f\n`;
    const { err } = await files.importFile('notes', 'who.csv', csv, '--space', space, '--ids');
    expect(faultsIn(err)).toEqual([
      'line 2: contact_external_id "nobody" is no contact of the space',
      'line 3: contact_mail "twin@example.org" is the mail of 2 contacts',
      'line 4: contact_mail "gone@example.org" is no contact of the space',
      `line 5: contact_mail "${mail}" is no contact of the space`,
      'line 6: the row must name its contact: by contact_id, contact_external_id or contact_mail',
      `line 7: contact_id "${foreign}" is no contact of the space`,
    ]);
    expect(await rowsOf('notes', space, 'id')).toEqual([]);
  });
});

describe('what a row refers to', () => {
  it('is an entry of the space, by a name that means one; by its id with --ids', async () => {
    const { space } = await peopled();
    const [price] = await door.sql('select id from membership_prices where group_id = ? order by id', [space]);
    const [{ id: foreign }] = await door.sql('select id from membership_prices where group_id = 1 limit 1');
    const csv = `contact_mail,amount,start_date,membership_price_id,membership_price,membership_price_group\nada@example.org,1,2024-01-01,${price.id},,\nada@example.org,1,2024-01-01,${foreign},,\nada@example.org,1,2024-01-01,,Yearly,\nada@example.org,1,2024-01-01,,Monthly,\n`;
    const told = [
      'line 4: membership_price "Yearly" means 2 entries of the space',
      'line 5: membership_price "Monthly" is not a membership price of the space',
    ];
    const passed = await files.importFile('memberships', 'x.csv', csv, '--space', space, '--dry-run');
    expect(passed.err).toContain('ignored columns: membership_price_id (ids of another space');
    expect(faultsIn(passed.err)).toEqual(told);
    const { err } = await files.importFile('memberships', 'x.csv', csv, '--space', space, '--ids');
    expect(err).not.toContain('passed over');
    expect(faultsIn(err)).toEqual([
      `line 3: membership_price_id "${foreign}" is not a membership price of the space`,
      ...told,
    ]);
    expect(await rowsOf('memberships', space, 'membership_price_id')).toEqual([{ membership_price_id: price.id }]);
  });

  it('is a transaction of an import, by its id in that file', async () => {
    const { space, bob } = await peopled();
    const paid = 'id,contact_mail,amount,date\nT-1,ada@example.org,300,2024-01-01\n';
    const transactions = files.readImportId(
      (await files.importFile('transactions', 't.csv', paid, '--space', space)).out,
    );
    const csv =
      'contact_mail,amount,transaction_date,transaction_id\nbob@example.org,300,2024-01-01,T-1\nbob@example.org,300,2024-01-01,T-2\n';
    const args = ['--space', space, '--transactions', transactions];
    const { err } = await files.importFile('donations', 'd.csv', csv, ...args);
    expect(faultsIn(err)).toEqual(['line 3: transaction_id "T-2" is not a transaction of the space']);
    expect(
      await rowsOf(
        'donations',
        space,
        '(select t.amount from transactions t where t.group_id = r.group_id and t.id = r.transaction_id) as paid, contact_id',
      ),
    ).toEqual([{ paid: 300, contact_id: bob }]);
    // Undone, it is a transaction no more.
    await files.muster('import', 'undo', transactions, '--space', space);
    expect((await files.importFile('donations', 'd2.csv', csv, ...args)).err).toContain(
      'line 2: transaction_id "T-1" is not a transaction of the space',
    );
  });

  it('is a campaign that is made when it is missing, once for all who name it', async () => {
    const { space } = await peopled();
    const csv = `contact_mail,campaign\n${'ada@example.org,Autumn\n'.repeat(250)}`;
    await files.importFile('emails', 'c.csv', csv, '--space', space, '--batch', '20');
    expect(await rowsOf('campaigns', space, 'name')).toEqual([{ name: 'Autumn' }]);
    expect(await rowsOf('emails', space, 'campaign_id')).toHaveLength(250);
  });
});

describe('faults of a row', () => {
  const csv =
    'contact_mail,amount,currency,transaction_date,donation_price\nada@example.org,1.5,euro,tomorrow,\nada@example.org,,,2024-01-01,\nbob@example.org,100,,31/12/2024,Weekly\nbob@example.org,100,,2024-12-31,\n';

  it('are told by a dry run too, which writes nothing; the others of the file are written', async () => {
    const { space } = await peopled();
    const dry = await files.importFile('donations', 'f.csv', csv, '--space', space, '--days', 'dmy', '--dry-run');
    expect(faultsIn(dry.err)).toEqual([
      'line 2: amount "1.5" must be a whole number',
      expect.stringMatching(/^line 2: transaction_date "tomorrow" must be a date-time of RFC 3339/),
      'line 2: currency "euro" must be three capital letters, such as EUR',
      'line 3: amount is required',
      'line 4: donation_price "Weekly" is not a donation price of the space',
    ]);
    expect(dry.out).toMatch(/^dry run, nothing was written: 4 rows in .* s, 1 donations created, 3 rows rejected\n$/);
    expect(await rowsOf('donations', space, 'id')).toEqual([]);
    expect(await door.sql('select id from imports where group_id = ?', [space])).toEqual([]);
    const { code, out } = await files.importFile('donations', 'f.csv', csv, '--space', space, '--days', 'dmy');
    expect(code).toBe(1);
    expect(out).toContain('1 donations created, 3 rows rejected');
    expect(await files.findStaleRows(space)).toEqual([]);
  });

  it.each([
    [
      'memberships',
      'contact_mail,amount,start_date,end_date\nada@example.org,1,2024-02-01,2024-01-01\n',
      'end_date must not be before start_date',
    ],
    [
      'sanctions',
      'contact_mail,start_date,end_date\nada@example.org,2024-02-01,2024-01-01\n',
      'end_date must not be before start_date',
    ],
    ['interactions', 'contact_mail,type\nada@example.org,\n', 'type is required'],
    [
      'interactions',
      'contact_mail,type,files\nada@example.org,x,"[{""name"":""a"",""url"":""ftp://a""}]"\n',
      'files[0].url must be an http or https address',
    ],
    [
      'emails',
      'contact_mail,clicked_urls\nada@example.org,"[""javascript:x""]"\n',
      'clicked_urls[0] must be an http or https address',
    ],
    [
      'donations',
      'contact_mail,amount_decimal,transaction_date\nada@example.org,1.999,2024-01-01\n',
      'amount_decimal must be a number with at most 2 decimals',
    ],
    [
      'donations',
      'contact_mail,amount_decimal,transaction_date\nada@example.org,1234567890123,2024-01-01\n',
      'amount_decimal must be a number with at most 2 decimals, and at most 12 digits before them',
    ],
    [
      'notes',
      `contact_mail,content\nada@example.org,${'x'.repeat(65_537)}\n`,
      'content must be at most 65536 characters',
    ],
  ])('%s keep to the rules of the graph', async (family, content, said) => {
    const { space } = await peopled();
    const { err } = await files.importFile(family, 'rule.csv', content, '--space', space);
    expect(faultsIn(err)[0]?.replace(/ "(\\"|[^"])*"/, '')).toContain(`line 2: ${said}`);
    expect(await rowsOf(family, space, 'id')).toEqual([]);
  });
});

describe('what cannot be meant is refused, and leaves no trace', () => {
  it.each([
    ['a column that the family lacks', 'contact_mail,colour\na,b\n', [], 1, 'Unknown columns for a note: colour'],
    ['a column of an odd name', 'contact_mail,__proto__\na,b\n', [], 1, 'Unknown columns for a note: __proto__'],
    ['a map to what there is not', 'contact_mail,x\na,b\n', ['--map', 'x=body'], 1, 'There is no column body'],
    ['two owners of the ids', 'contact_id,content\n1,b\n', ['--ids', '--contacts', '1'], 2, 'cannot be used with'],
    [
      'an import that there is not',
      'contact_id,content\n1,b\n',
      ['--contacts', '987654'],
      1,
      'There is no import 987654',
    ],
  ])('%s', async (_, content, args, status, said) => {
    const { space } = await peopled();
    const { code, err } = await files.importFile('notes', 'refused.csv', content, '--space', space, ...args);
    expect(code).toBe(status);
    expect(err).toContain(said);
    expect(await door.sql('select id from imports where group_id = ?', [space])).toEqual([]);
  });

  it('an import of another family, or of another space', async () => {
    const { space } = await peopled();
    const csv = 'contact_mail,content\nada@example.org,x\n';
    const notes = files.readImportId((await files.importFile('notes', 'a.csv', csv, '--space', space)).out);
    const wrong = await files.importFile('notes', 'b.csv', csv, '--space', space, '--contacts', notes);
    expect(wrong.err).toContain(`Import ${notes} is an import of notes, not of contacts`);
    const other = await files.createSpace();
    expect((await files.importFile('notes', 'c.csv', csv, '--space', other, '--contacts', notes)).err).toContain(
      `There is no import ${notes}`,
    );
  });
});
