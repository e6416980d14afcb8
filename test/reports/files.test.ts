// Imports of whole files as people have them: answers to forms, rejected rows, several faults of a row, files of records.
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Json } from '../harness/app.ts';
import { createFiles, type Files } from '../import/files.ts';

vi.setConfig({ testTimeout: 60_000 });

const nextYear = String(new Date().getUTCFullYear() + 1);

let files: Files;
beforeAll(async () => {
  files = await createFiles();
});

describe('a whole import', () => {
  const createForms = async (space: string): Promise<void> => {
    await files.door.sql(
      `with f as (insert into forms (group_id, kind, label, type) values
         (:space, 'consent', 'News', 'radio'), (:space, 'survey', 'Jours', 'checkbox'), (:space, 'survey', 'Depuis', 'date'), (:space, 'survey', 'Taille', 'numeric')
         returning id, label)
       insert into form_refs (group_id, form_id, label, value, position)
       select :space, f.id, r.label, r.value, r.position from f join (values ('News', 'Yes', 'yes', 0), ('News', 'No', 'no', 1),
         ('Jours', 'Lundi', 'mon', 0), ('Jours', 'Mardi', 'tue', 1), ('Depuis', '', null, 0), ('Taille', '', null, 0)) r (form, label, value, position) on r.form = f.label`.replaceAll(
        ':space',
        space,
      ),
    );
  };
  const answersOf = async (space: string): Promise<string[]> =>
    (
      await files.door.sql(
        `select f.label, r.data from answers r join forms f on f.group_id = r.group_id and f.id = r.form_id where r.group_id = ? order by f.label, r.data`,
        [space],
      )
    ).map(({ label, data }: Json) => `${label}: ${data}`);

  it.each<[cells: string, answers: string[]]>([
    ['oui;;;', ['News: yes']],
    ['NON;;;', ['News: no']],
    ['VRAI;;;', ['News: yes']],
    [';"lundi; Mardi";;', ['Jours: mon', 'Jours: tue']],
    [';;31/12/99;', ['Depuis: 1999-12-31']],
    [`;;31/12/${nextYear.slice(2)};`, [`Depuis: ${nextYear}-12-31`]],
    [';;;1,75', ['Taille: 1.75']],
  ])('reads answers to forms as other cells: %s', async (cells, answers) => {
    const space = await files.createSpace();
    await createForms(space);
    const head = 'surname;form:consent:News;form:survey:Jours;form:survey:Depuis;form:survey:Taille';
    const { err, code } = await files.importFile(
      'contacts',
      'f.csv',
      `${head}\nA;${cells}\n`,
      '--space',
      space,
      '--days',
      'dmy',
    );
    expect([code, err, await answersOf(space)]).toEqual([0, expect.stringMatching(/^import \d+ begins\n$/), answers]);
  });

  it('rejects a birthdate in the future, with the other faults of its row', async () => {
    const space = await files.createSpace();
    const content = 'surname,birthdate,mail\nAda,2999-01-01,\nBob,2999-01-01,no mail\nCleo,1999-01-01,\n';
    const { out, err } = await files.importFile('contacts', 'future.csv', content, '--space', space);
    expect(out).toContain('1 contacts created, 0 updated, 0 unchanged, 2 rows rejected');
    expect(err).toContain('line 2: birthdate "2999-01-01" must be today or earlier');
    expect(err).toContain(
      'line 3: mail "no mail" must be a mail address, such as ada@example.org\nline 3: birthdate "2999-01-01"',
    );
  });

  it('tells all faults of a row together, those of answers too', async () => {
    const space = await files.createSpace();
    await createForms(space);
    const content = 'Nom;Né le;form:consent:News;form:consent:Rien\nA;hier;peut-être;oui\n';
    const { err } = await files.importFile('contacts', 'f.csv', content, '--space', space);
    expect(
      err
        .split('\n')
        .filter((line) => line.startsWith('line 2'))
        .map((line) => line.split(' ')[2]),
    ).toEqual(['Né', 'form:consent:News', 'form:consent:Rien']);
    expect(err).toContain('form:consent:News "peut-être" must be one of yes, no');
  });

  it('counts what it read otherwise, and tells what it left out', async () => {
    const space = await files.createSpace();
    const content = 'Nom;Ville;Courriel;Tél\nA;NULL;a@example.org, b@example.org;612345678\n';
    const { out, err } = await files.importFile('contacts', 'c.csv', content, '--space', space, '--country', 'fr');
    expect(out).toMatch(/0 rows rejected, 1 placeholders, 1 zeros of phones put back\n$/);
    expect(err).toContain("columns are read as known headings: --map 'Nom=surname,");
    expect(err).toContain('remarks on rows that are written, by kind:\n  1 × Courriel has several mails');
    expect(await files.readLivingRows('contacts', space, 'surname, mail, phone')).toEqual([
      { surname: 'A', mail: 'a@example.org', phone: '0612345678' },
    ]);
  });

  it.each([
    ['--out'],
    ['--excel', 'fr', '--out'],
  ])('reads coordinates as an export with %s writes them, near the meridian of Greenwich too', async (...how) => {
    const [space, other] = [await files.createSpace(), await files.createSpace()];
    const content =
      'surname;address_city;address_latitude;address_longitude\nA;Lewes;50,87;1e-7\nB;Lewes;50.5;-3,4E-05\n';
    await files.importFile('contacts', 'c.csv', content, '--space', space);
    const path = files.path(`greenwich-${how.length}.csv`);
    expect((await files.muster('export', '--space', space, ...how, path)).code).toBe(0);
    await files.importFile('contacts', 'back.csv', readFileSync(path, 'utf8'), '--space', other);
    const rows = await files.door.sql(
      'select latitude, longitude from addresses where group_id = ? order by latitude',
      [other],
    );
    expect(rows).toEqual([
      { latitude: 50.5, longitude: -3.4e-5 },
      { latitude: 50.87, longitude: 1e-7 },
    ]);
  });

  it('reads numbers by the country of the space, a second one as the mobile, and tells impossible ones', async () => {
    const space = await files.createSpace();
    await files.door.sql(`update spaces set default_country = 'FR' where id = ?`, [space]);
    const google =
      'First Name,Last Name,Phone 1 - Value,Phone 2 - Value\n' +
      'Two,A,01 23 45 67 89 ::: 0612345678,\nThree,A,0123456789 ::: 0623456789,0612345678\nLost,A,612345678,\nImpossible,A,06123,\nAbroad,A,+32 470 12 34 56,\n';
    const { out, err } = await files.importFile('contacts', 'google.csv', google, '--space', space);
    expect(out).toMatch(/5 contacts created.* 0 rows rejected, 1 zeros of phones put back\n$/);
    expect(err.split('\n').filter((line) => line.startsWith('line '))).toEqual([
      'line 2: Phone 1 - Value "01 23 45 67 89 ::: 0612345678" has several values: "0612345678" is the mobile',
      'line 3: Phone 1 - Value "0123456789 ::: 0623456789" has several values: "0623456789" is left out',
      'line 5: Phone 1 - Value "06123" is no possible number of FR; it is written',
    ]);
    expect(await files.readLivingRows('contacts', space, 'firstname, phone, mobile')).toEqual([
      { firstname: 'Two', phone: '01 23 45 67 89', mobile: '0612345678' },
      { firstname: 'Three', phone: '0123456789', mobile: '0612345678' },
      { firstname: 'Lost', phone: '0612345678', mobile: null },
      { firstname: 'Impossible', phone: '06123', mobile: null },
      { firstname: 'Abroad', phone: '+32 470 12 34 56', mobile: null },
    ]);
  });

  it('goes on after a broken quote, whose row goes to the rejects as it stood', async () => {
    const space = await files.createSpace();
    const rejects = files.path(`${space}-rejects.csv`);
    const content = 'sep=;\nsurname;firstname\nA;B\n"C;D\nE;F\n';
    const args = ['--space', space, '--batch', '1', '--rejects', rejects];
    const { out, err } = await files.importFile('contacts', 'q.csv', content, ...args);
    expect(out).toContain('2 contacts created, 0 updated, 0 unchanged, 1 rows rejected');
    expect(err).toContain('line 4: the row has a quote that is not closed\n');
    writeFileSync(rejects, 'sep=;\nsurname;firstname\n"C";D\n');
    expect((await files.muster('import', 'contacts', rejects, '--space', space)).out).toContain('1 contacts created');
  });

  it.each([
    ['--values', 'Genre', 'it must be <column of the file>: <value>=<what is read>'],
    ['--values', '{"Genre": 1}', 'Genre must be a JSON object of strings'],
    ['--delimiter', ';;', 'must be one character'],
    ['--country', 'France', 'must be a country by its two letters'],
    ['--header-line', '0', 'must be'],
    ['--dates', 'lotus', 'Allowed choices are excel'],
  ])('refuses %s %s', async (option, value, said) => {
    const { code, err } = await files.importFile('contacts', 'o.csv', 'surname\nA\n', '--space', '1', option, value);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  });

  it('reads values and separators that are named on the command line', async () => {
    const space = await files.createSpace();
    const content = 'Titre\nNom\tGenre\tVille\nA\tx1\t?\n';
    const args = ['--header-line', '2', '--delimiter', 'tab', '--values', 'Genre: x1=F', '--values', 'Ville: ?=Lyon'];
    const { code } = await files.importFile('contacts', 'v.csv', content, '--space', space, ...args);
    expect([code, await files.readLivingRows('contacts', space, 'gender')]).toEqual([0, [{ gender: 'F' }]]);
  });
});

describe('files of records', () => {
  it('follow the same rules: names without case, days, values, and cells that are left out', async () => {
    const { space } = await files.createPeopledSpace();
    const content =
      'Contact_Mail;AMOUNT_decimal;Currency;Transaction_Date;Comment\nAda <ada@example.org>;12,50;EUR;31/12/99;a\nbob@example.org;5;euro;1 févr. 2020;b\n';
    const args = ['--space', space, '--days', 'dmy'];
    const whole = await files.importFile('donations', 'd.csv', content, ...args);
    expect(whole.err).toContain('Unknown columns for a donation: Comment');
    const read = content.replaceAll(/;(Comment|a|b)$/gm, '');
    const values = ['--values', 'Currency: euro=EUR'];
    expect((await files.importFile('donations', 'd.csv', read, ...args, ...values)).code).toBe(0);
    const days = async () =>
      (await files.readLivingRows('donations', space, 'amount, currency, transaction_date::text as day')).map(
        ({ amount, currency, day }) => [Number(amount), currency, day.slice(0, 10)].join(' '),
      );
    expect(await days()).toEqual(['1250 EUR 1999-12-31', '500 EUR 2020-02-01']);
    const left = await files.importFile('donations', 'd.csv', read, ...args, '--skip-cells');
    expect(left.err).toContain(
      'line 3: Currency "euro" must be three capital letters, such as EUR: the cell is left out',
    );
    expect(await days()).toHaveLength(4);
  });

  it('have no value where a program writes NULL, and no contact by such an id', async () => {
    const space = await files.createSpace();
    const people = 'id,surname,mail\n-,Ada,ada@example.org\n7,Bob,bob@example.org\n';
    const { out } = await files.importFile('contacts', 'p.csv', people, '--space', space);
    const content = [
      'contact_id,contact_external_id,contact_mail,amount,date,code_campaign',
      '-,NULL,bob@example.org,5,2026-01-01,NULL',
      '-,,,6,2026-01-02,Spring',
      ' 7 ,,,7,2026-01-03,Spring',
    ].join('\n');
    const args = ['--space', space, '--contacts', files.readImportId(out)];
    const { code, err } = await files.importFile('transactions', 't.csv', content, ...args);
    expect([code, err]).toEqual([1, expect.stringContaining('line 3: the row must name its contact')]);
    const [bob] = await files
      .readLivingRows('contacts', space, 'id, surname')
      .then((all) => all.filter(({ surname }) => surname === 'Bob'));
    expect(
      await files.readLivingRows('transactions', space, 'contact_id, amount::int as amount, code_campaign'),
    ).toEqual([
      { contact_id: bob.id, amount: 5, code_campaign: null },
      { contact_id: bob.id, amount: 7, code_campaign: 'Spring' },
    ]);
    const notes = 'contact_mail,content\nbob@example.org,-\n';
    expect((await files.importFile('notes', 'n.csv', notes, '--space', space)).code).toBe(0);
    expect(await files.readLivingRows('notes', space, 'content')).toEqual([{ content: '-' }]);
  });

  it('may have days that come, with years of two digits', async () => {
    const { space } = await files.createPeopledSpace();
    const content = `contact_mail;amount;start_date;end_date\nada@example.org;5;01/01/${nextYear.slice(2)};31/12/${nextYear.slice(2)}\nbob@example.org;5;01/01/99;31/12/99\n`;
    expect((await files.importFile('memberships', 'm.csv', content, '--space', space, '--days', 'dmy')).code).toBe(0);
    const rows = await files.readLivingRows('memberships', space, 'start_date::text as start, end_date::text as "end"');
    expect(rows.map(({ start, end }) => `${start.slice(0, 10)} ${end.slice(0, 10)}`).sort()).toEqual([
      '1999-01-01 1999-12-31',
      `${nextYear}-01-01 ${nextYear}-12-31`,
    ]);
  });

  it.each([
    ['Courriel;Montant;Date du don\nada@example.org;"1 250,50 €";31/12/1999\n', '125050 EUR 1999-12-31'],
    ['Email;Amount;Date\nada@example.org;50;31/12/1999\n', '5000 EUR 1999-12-31'],
    ['contact_mail;amount;Date\nada@example.org;50;31/12/1999\n', '50 EUR 1999-12-31'],
    ['E-Mail-Adresse;Betrag;Währung;Datum\nada@example.org;9,5;CHF;31/12/1999\n', '950 CHF 1999-12-31'],
  ])('have usual headings: %j', async (content, donation) => {
    const { space } = await files.createPeopledSpace();
    const { code, err } = await files.importFile('donations', 'd.csv', content, '--space', space, '--days', 'dmy');
    expect([code, err]).toEqual([0, expect.stringContaining("columns are read as known headings: --map '")]);
    const [row] = await files.readLivingRows('donations', space, 'amount, currency, transaction_date::text as day');
    expect([row.amount, row.currency, row.day.slice(0, 10)].join(' ')).toBe(donation);
  });

  it('refuse a second column of one meaning', async () => {
    const { space } = await files.createPeopledSpace();
    const content = 'Email;Courriel;Amount;Date\nada@example.org;bob@example.org;50;1999-12-31\n';
    const { code, err } = await files.importFile('donations', 'd.csv', content, '--space', space);
    expect([code, err]).toEqual([1, expect.stringContaining('Unknown columns for a donation: Courriel.')]);
  });

  it('of JSON have other values too', async () => {
    const space = await files.createSpace();
    const content = '{"surname":"A","gender":"x1"}\n';
    const values = ['--values', '{"gender": {"x1": "F"}}'];
    const { code } = await files.importFile('contacts', 'v.ndjson', content, '--space', space, ...values);
    expect([code, await files.readLivingRows('contacts', space, 'gender')]).toEqual([0, [{ gender: 'F' }]]);
  });
});

it('inspecting a file tells its encoding, separator and map, and ten rows, and writes nothing', async () => {
  const path = files.path('inspected.csv');
  const rows = Array.from({ length: 20 }, (_, n) => `N${n};${['31/12/1980', 'hier', '31/12/2999'][n] ?? ''}\n`).join(
    '',
  );
  writeFileSync(path, `\ufeffNom;Né le\n${rows}`);
  const before = await files.door.sql('select count(*) from contacts');
  const { code, out } = await files.muster('import', 'inspect', path, '--days', 'dmy');
  const lines = out.trim().split('\n');
  expect(code).toBe(0);
  expect(lines.slice(0, 7)).toEqual([
    'encoding: utf-8 with a byte order mark',
    'separator: ";"',
    "columns are read as known headings: --map 'Nom=surname,Né le=birthdate'",
    'line 2: {"birthdate":"1980-12-31","surname":"N0"}',
    expect.stringMatching(/^line 3: Né le "hier" must be a date/),
    'line 4: {"birthdate":"2999-12-31","surname":"N2"}',
    'line 4: Né le "31/12/2999" must be today or earlier',
  ]);
  expect(lines).toHaveLength(3 + 11);
  expect(await files.door.sql('select count(*) from contacts')).toEqual(before);
});

it('a line that is longer than a row may be is told before anything is written', async () => {
  const space = await files.createSpace();
  const content = `surname\n${'A\n'.repeat(2000)}${'b'.repeat(16_777_217)}\nC\n`;
  const { code, err } = await files.importFile('contacts', 'long.csv', content, '--space', space, '--batch', '100');
  expect([code, err]).toEqual([1, expect.stringContaining('its next row is longer than 16777216 characters')]);
  expect(await files.door.sql('select id from imports where group_id = ?', [space])).toEqual([]);
});
