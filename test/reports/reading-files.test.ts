// Reading files as people have them: headings, separators, days and other cells, and what the report tells of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readContactRows } from '../../src/import/read-contacts.ts';
import { createProgress } from '../../src/import/rows.ts';
import type { Json } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';

const folder = createFolder();

type Options = Partial<Parameters<typeof readContactRows>[1]>;

interface ReadFile {
  /** The columns of each row that can be written, parts of the address and tags beside the others. */
  rows: Json[];
  faults: string[];
  remarks: string[];
  counts: Record<string, number>;
  notes: string[];
}

/** Reads a file of contacts without a database. */
const readFile = async (content: string, options: Options = {}): Promise<ReadFile> => {
  const path = join(folder, 'read.csv');
  writeFileSync(path, content);
  const notes: string[] = [];
  const progress = createProgress((text) => notes.push(text));
  const how = { format: 'csv', encoding: 'utf-8', bom: false, days: 'ymd', ids: false, ...options } as const;
  const read: ReadFile = { rows: [], faults: [], remarks: [], counts: {}, notes };
  for await (const { line, record, faults, remarks = [] } of readContactRows(path, how, progress)) {
    for (const { location, message } of faults) read.faults.push(`${line} ${location} ${message}`);
    for (const { location, message } of remarks) read.remarks.push(`${line} ${location} ${message}`);
    if (!record) continue;
    const { columns, address, addedTags } = record.content;
    const tags = addedTags && { tags: addedTags.map(({ name }) => name) };
    read.rows.push({ ...columns, ...address, ...tags });
  }
  read.counts = Object.fromEntries(progress.counts);
  return read;
};

/** Reads one cell of a column beside a surname. */
const readCell = async (column: string, cell: string, options?: Options): Promise<ReadFile> =>
  readFile(`surname;${column}\nX;"${cell.replaceAll('"', '""')}"\n`, options);

describe('headings', () => {
  it.each<[kind: string, content: string, row: Json]>([
    [
      'an ordinary list in French',
      'Nom;Prénom;Courriel;Téléphone mobile;Code postal;Ville\nRoux;Cléo;c@example.org;06;69001;Lyon\n',
      { surname: 'Roux', firstname: 'Cléo', mail: 'c@example.org', mobile: '06', postal_code: '69001', city: 'Lyon' },
    ],
    [
      'an ordinary list in English',
      'Last name,First name,Email,Date of birth,Zip code\nRoux,Cleo,c@example.org,1980-01-02,10001\n',
      { surname: 'Roux', firstname: 'Cleo', mail: 'c@example.org', birthdate: '1980-01-02', postal_code: '10001' },
    ],
    [
      'an ordinary list in German',
      'Name;Vorname;E-Mail;Straße;PLZ;Ort\nGroß;Ute;u@example.org;Am Tor 1;10115;Berlin\n',
      {
        surname: 'Groß',
        firstname: 'Ute',
        mail: 'u@example.org',
        street: 'Am Tor 1',
        postal_code: '10115',
        city: 'Berlin',
      },
    ],
    [
      'without case or accents',
      'Surname;Firstname;PRENOM usuel;MAIL\nA;B;;a@example.org\n'.replace(';PRENOM usuel', '').replace('B;;', 'B;'),
      { surname: 'A', firstname: 'B', mail: 'a@example.org' },
    ],
    ['of accents that are lost', 'NOM;PRENOM;TELEPHONE\nA;B;01\n', { surname: 'A', firstname: 'B', phone: '01' }],
    ['with a decomposed accent', 'Nom;Pre\u0301nom\nA;B\n', { surname: 'A', firstname: 'B' }],
    [
      'Google Contacts',
      'First Name,Last Name,Photo,Labels,E-mail 1 - Value,Phone 1 - Value\nAda,Roux,x,* myContacts ::: Amis,a@example.org ::: b@example.org,01 02 ::: 06 07\n',
      { firstname: 'Ada', surname: 'Roux', tags: ['Amis'], mail: 'a@example.org', phone: '01 02', mobile: '06 07' },
    ],
    [
      'Outlook in English',
      'First Name,Last Name,Company,Business City,Home City,E-mail Address,Home Phone,Business Phone,Mobile Phone\nAda,Roux,X,Work,Home,a@example.org,,02,06\n',
      { firstname: 'Ada', surname: 'Roux', city: 'Home', mail: 'a@example.org', phone: '02', mobile: '06' },
    ],
    [
      'Outlook in English, of somebody with a business address alone',
      'First Name,Last Name,Business Street,Business City,Home Street,Home City\nAda,Roux,1 rue A,Lyon,,\n',
      { firstname: 'Ada', surname: 'Roux', street: '1 rue A', city: 'Lyon' },
    ],
    [
      'Outlook in French',
      'Titre,Prénom,Nom,Société,Ville (domicile),Adresse de messagerie,Tél. mobile\nMme,Ada,Roux,X,Lyon,a@example.org,06\n',
      { firstname: 'Ada', surname: 'Roux', city: 'Lyon', mail: 'a@example.org', mobile: '06' },
    ],
    [
      'Outlook in German',
      'Anrede,Vorname,Nachname,Firma,Straße privat,Ort privat,Telefon privat,Mobiltelefon,E-Mail-Adresse\nFrau,Ada,Roux,X,Weg 1,Bonn,0228,0171,a@example.org\n',
      {
        gender: 'F',
        firstname: 'Ada',
        surname: 'Roux',
        street: 'Weg 1',
        city: 'Bonn',
        phone: '0228',
        mobile: '0171',
        mail: 'a@example.org',
      },
    ],
  ])('are recognised: %s', async (_, content, row) => {
    const { rows, faults } = await readFile(content);
    expect([rows, faults]).toEqual([[row], []]);
  });

  it('that are recognised are told as a map that can be copied', async () => {
    expect((await readFile('Nom;Courriel\nA;a@example.org\n')).notes).toEqual([
      "columns are read as known headings: --map 'Nom=surname,Courriel=mail'",
    ]);
    expect((await readFile('surname;mail\nA;a@example.org\n')).notes).toEqual([]);
    expect((await readFile('Nom,E-mail 1 - Value,Photo\nA,a@example.org,x\n')).notes).toEqual([
      expect.stringContaining('columns are read as those of Google Contacts: --map'),
      'ignored columns: Photo (contacts have none of this kind)',
    ]);
  });

  it('give way to a map', async () => {
    const { rows } = await readFile('Nom;Prénom\nA;B\n', { map: { Nom: 'firstname' } });
    expect(rows).toEqual([{ firstname: 'A' }]);
  });

  it('with signs of the map are told as JSON, which a shell passes on', async () => {
    await expect(readFile(`Nom;"Rue, n°";"l'âge"\nA;B;C\n`)).rejects.toThrow(
      `--map '{"Nom":"surname","Rue, n°":"-","l'\\''âge":"-"}'`,
    );
  });

  it('that nobody knows are refused with a map to complete', async () => {
    await expect(readFile('Nom;Pointure\nA;38\n')).rejects.toThrow(
      "Unknown columns for a contact: Pointure. Name them with --map, or ignore them with -: a map names all columns that are read, such as --map 'Nom=surname,Pointure=-'",
    );
  });

  it('of a second column with the same meaning are told where their values differ', async () => {
    const { rows, remarks } = await readFile('Nom;Nom de naissance\nA;B\nC;C\n;D\n');
    expect(rows.map(({ surname }) => surname)).toEqual(['A', 'C', 'D']);
    expect(remarks).toEqual(['2 Nom de naissance is a second surname, which is left out: the first is A']);
  });
});

describe('the layout of a file', () => {
  it.each<[kind: string, content: string, options: Options, surnames: string[]]>([
    ['a first line sep=;', 'sep=;\r\nsurname;firstname\r\n"A, B";C\r\n', {}, ['A, B']],
    ['a first line of a separator that is rare', 'sep=^\nsurname^firstname\nA;B^C\n', {}, ['A;B']],
    [
      'commas within the cells of a semicolon file',
      'Nom;Adresse\nA;1, rue B, Lyon\nC;2, rue D, Lyon\n',
      {},
      ['A', 'C'],
    ],
    ['more commas than semicolons', 'surname;address_street\nA, B, C;D\nE, F, G;H\n', {}, ['A, B, C', 'E, F, G']],
    [
      'a delimiter that is named',
      'surname|firstname;x\nA|B;y\n',
      { delimiter: '|', map: { surname: 'surname' } },
      ['A'],
    ],
    ['a title that is skipped', 'Liste 2026;;\n\nsurname;firstname;mail\nA;B;\n', { headerLine: 2 }, ['A']],
    ['a head of one known name', 'surname;;\nA;B;C\nD;E;F\n', {}, ['A', 'D']],
    ['a quote within an unquoted cell', 'surname;firstname\nJean "Jojo" A;B\n', {}, ['Jean "Jojo" A']],
    ['a quote within a quoted cell', 'surname;firstname\n"Jean "Jojo" A";B\n', {}, ['Jean "Jojo" A']],
    ['a quote of inches', 'surname;firstname\n5" A;B\nC;D"\n', {}, ['5" A', 'C']],
    ['spaces after a quote', 'surname;firstname\n"A" ;B\n', {}, ['A']],
    ['lines within a quoted cell', 'surname;firstname\n"A\r\nB";C\n', {}, ['A\nB']],
    ['lines of two kinds', 'surname;firstname\r\nA;B\nC;D\r\n', {}, ['A', 'C']],
    ['lines of old Macs', 'surname;firstname\rA;B\rC;D\r', {}, ['A', 'C']],
  ])('%s', async (_, content, options, surnames) => {
    const { rows, faults } = await readFile(content, options);
    expect([rows.map(({ surname }) => surname), faults]).toEqual([surnames, []]);
  });

  it('a head with a comma is one of the semicolon file that its rows are', async () => {
    const { rows } = await readFile('Nom, prénom;Courriel\nDupré, Zoé;z@example.org\n', {
      map: { 'Nom, prénom': 'surname', Courriel: 'mail' },
    });
    expect(rows).toEqual([{ surname: 'Dupré, Zoé', mail: 'z@example.org' }]);
  });

  it.each([
    'Adhérents 2026',
    'Nom',
  ])('a title above the head is told, with the option that skips it: %s', async (title) => {
    await expect(readFile(`${title}\n\nNom;Prénom\nA;B\nC;D\n`)).rejects.toThrow(
      /line 1 looks like a title: .* --header-line 3 says/,
    );
  });

  it.each([
    ['at the start of a cell', '"B;x'],
    ['at the start of the last cell', 'B;"x'],
    ['before an empty cell', '"";"'],
  ])('a quote that is not closed costs its own row: %s', async (_, bad) => {
    const before = Array.from({ length: 6500 }, (_, n) => `S${n};"F ${n}"\n`).join('');
    const after = Array.from({ length: 3000 }, (_, n) => `T${n};"F ""${n}"""\n`).join('');
    const { rows, faults } = await readFile(`surname;firstname\n${before}${bad}\n${after}`);
    expect([rows.length, faults]).toEqual([9500, ['6502 row has a quote that is not closed']]);
    expect(rows.at(-1)).toEqual({ surname: 'T2999', firstname: 'F "2999"' });
  });
});

describe('days', () => {
  const today = new Date().toISOString().slice(0, 10);
  const short = today.slice(2, 4);
  it.each<[cell: string, options: Options, day: string | RegExp]>([
    ['31/12/99', { days: 'dmy' }, '1999-12-31'],
    [`01/01/${short}`, { days: 'dmy' }, `20${short}-01-01`],
    ['12/31/99', { days: 'mdy' }, '1999-12-31'],
    ['31/12/1999 00:00', { days: 'dmy' }, '1999-12-31'],
    ['31/12/1999 23:59:59', { days: 'dmy' }, '1999-12-31'],
    ['1999-12-31 00:00:00', {}, '1999-12-31'],
    ['1999-12-31T00:00:00+02:00', {}, '1999-12-31'],
    ['1999/12/31', {}, '1999-12-31'],
    ['1999.12.31', { days: 'dmy' }, '1999-12-31'],
    ['31.12.1999', { days: 'dmy' }, '1999-12-31'],
    ['31-déc-99', {}, '1999-12-31'],
    ['31 décembre 1999', {}, '1999-12-31'],
    ['31. Dezember 1999', {}, '1999-12-31'],
    ['31-Dec-1999', {}, '1999-12-31'],
    ['1 févr. 1999', {}, '1999-02-01'],
    ['36525', { dates: 'excel' }, '1999-12-31'],
    ['36525', {}, /--dates excel would read it/],
    ['31/12/1980', {}, /must be a date such as 2026-11-21.*; --days dmy would read it/],
    ['01/02/1980', {}, /--days dmy or --days mdy would read it/],
    ['31/02/1980', {}, /^2 birthdate must be a date such as 2026-11-21, years 0001 to 9999$/],
    ['31/02/1980', { days: 'dmy' }, /^2 birthdate must be a date such as 21\/11\/2026 or 2026-11-21 with --days dmy/],
    ['31/12/1980 25:00', { days: 'dmy' }, /must be a date/],
    ['hier', {}, /must be a date/],
  ])('%s %j', async (cell, options, right) => {
    const { rows, faults } = await readCell('birthdate', cell, options);
    if (faults.length > 0) expect(faults).toEqual([typeof right === 'string' ? right : expect.stringMatching(right)]);
    else expect(rows[0].birthdate).toBe(right);
  });

  it('of somebody who would be over 150 are written and told', async () => {
    const { rows, remarks } = await readCell('birthdate', '1850-01-01');
    expect([rows[0].birthdate, remarks]).toEqual([
      '1850-01-01',
      ['2 birthdate is more than 150 years ago; it is written'],
    ]);
  });
});

const shortened = 'was shortened by a spreadsheet and has lost digits: give the column the format Text there';
describe('cells', () => {
  it.each<[column: string, cell: string, value: unknown]>([
    ...['f', 'F', 'Femme', 'femme', 'Mme', 'MADAME', 'Mlle', 'Female', 'Mrs.', 'Frau', 'weiblich'].map(
      (cell): [string, string, unknown] => ['gender', cell, 'F'],
    ),
    ...['m', 'M.', 'Homme', 'Monsieur', 'Male', 'Mr', 'Herr', 'männlich'].map((cell): [string, string, unknown] => [
      'gender',
      cell,
      'M',
    ]),
    ['gender', 'divers', 'O'],
    ['gender', 'Unspecified', undefined],
    ['birthdate', '0/0/00', undefined],
    ['birthdate', '0000-00-00', undefined],
    ['birthdate', '--05-12', undefined],
    ...['VRAI', 'Oui', 'TRUE', 'wahr', '1', 'x'].map((cell): [string, string, unknown] => ['black_list', cell, true]),
    ...['FAUX', 'NON', 'false', 'Falsch', '0'].map((cell): [string, string, unknown] => ['black_list', cell, false]),
    ['address_latitude', '48,8566', 48.8566],
    ['address_latitude', '48.8566', 48.8566],
    ['address_longitude', '-2,3', -2.3],
    ['mail', ' a@example.org\u00a0', 'a@example.org'],
    ['mail', '\u200ba@example.org', 'a@example.org'],
    ['mail', 'mailto:c@example.org', 'c@example.org'],
    ['mail', '<d@example.org>', 'd@example.org'],
    ['mail', 'Ada <g@example.org>', 'g@example.org'],
    ['mail', '"Roux, Ada" <g@example.org>', 'g@example.org'],
    ['mail', 'e@example.org.', 'e@example.org'],
    ['firstname', '\u00a0 \u202fAda\u200f\ufeff', 'Ada'],
    ['firstname', 'Ada\r\nMaria', 'Ada\nMaria'],
    ['firstname', 'Null', 'Null'],
    ['phone', '06 12 34 56 78', '06 12 34 56 78'],
    ['phone', '+33 (0)6 12', '+33 (0)6 12'],
  ])('%s %j', async (column, cell, value) => {
    const { rows, faults } = await readCell(column, cell);
    const { surname: _, ...rest } = rows[0] ?? {};
    expect([Object.values(rest)[0], faults]).toEqual([value, []]);
  });

  it.each<[column: string, cell: string, fault: string]>([
    ['gender', 'Docteur', '2 gender must be one of F, M, O'],
    ['phone', '3,36E+10', `2 phone ${shortened}`],
    ['mobile', '3.36E+10', `2 mobile ${shortened}`],
    ['address_postalcode', '1,00E+03', `2 address_postalcode ${shortened}`],
    ['external_id', '1,23457E+11', `2 external_id ${shortened}`],
    ['mail', 'a\u200b@example.org', '2 mail has an invisible character, U+200B'],
  ])('%s %j is rejected', async (column, cell, fault) => {
    const { faults } = await readCell(column, cell);
    expect(faults).toEqual([expect.stringContaining(fault)]);
  });

  it('with a decimal comma are rejected in a file of commas', async () => {
    expect((await readFile('surname,address_latitude\nA,"48,8566"\n')).faults).toHaveLength(1);
  });

  it.each([
    'a@example.org; b@example.org',
    'a@example.org, b@example.org',
    'a@example.org b@example.org',
    'a@example.org / b@example.org',
    'a@example.org ::: b@example.org',
    'Ada <a@example.org>, b@example.org',
    'mailto:a@example.org|b@example.org.',
  ])('with two mails have the first, and the other is told: %s', async (cell) => {
    const { rows, remarks, faults } = await readCell('mail', cell);
    expect([rows[0]?.mail, remarks, faults]).toEqual([
      'a@example.org',
      ['2 mail has several mails: a@example.org is the mail of the contact, b@example.org is left out'],
      [],
    ]);
  });

  it.each([
    ...['NULL', '#N/A', '#REF!', 'null', 'undefined', '-', 'N/A'].flatMap((cell): [string, string][] => [
      ['firstname', cell],
      ['address_city', cell],
      ['phone', cell],
    ]),
    ['phone', '0000000000'] as [string, string],
    ['mobile', '00 00 00 00 00'] as [string, string],
  ])('of a placeholder are empty and counted: %s %s', async (column, cell) => {
    const { rows, counts } = await readCell(column, cell);
    expect([rows, counts]).toEqual([[{ surname: 'X' }], { placeholders: 1 }]);
    const kept = await readCell(column, cell, { keepPlaceholders: true });
    if (column === 'firstname') expect(kept).toMatchObject({ rows: [{ surname: 'X', firstname: cell }], counts: {} });
  });

  it.each<[kind: string, columns: string, cells: string, options: Options, right: Json]>([
    ['phones of France', 'phone;address_country', '612345678;FR', {}, { phone: '0612345678' }],
    ['phones of a country by its name', 'mobile;address_country', '612345678;France', {}, { mobile: '0612345678' }],
    ['phones of the country of the file', 'phone', '612345678', { country: 'FR' }, { phone: '0612345678' }],
    ['phones of Germany', 'phone;address_country', '15112345678;Allemagne', {}, { phone: '015112345678' }],
    ['no phone of the United States', 'phone;address_country', '2025550123;US', {}, { phone: '2025550123' }],
    ['no phone of nowhere', 'phone', '612345678', {}, { phone: '612345678' }],
    ['no phone that has a calling code', 'phone;address_country', '33612345678;FR', {}, { phone: '33612345678' }],
    ['no phone that is impossible', 'phone;address_country', '99999;FR', {}, { phone: '99999' }],
    ['postal codes of France', 'address_postalcode;address_country', '1000;FR', {}, { postal_code: '01000' }],
    [
      'postal codes of the country of the file',
      'address_postalcode',
      '1000',
      { country: 'FR' },
      { postal_code: '01000' },
    ],
    ['no postal code of Belgium', 'address_postalcode;address_country', '1000;BE', {}, { postal_code: '1000' }],
  ])('get their lost zeros back: %s', async (_, columns, cells, options, right) => {
    const { rows, counts } = await readFile(`surname;${columns}\nX;${cells}\n`, options);
    expect(rows[0]).toMatchObject(right);
    const changed =
      JSON.stringify(right).includes(cells.split(';')[0] as string) && !JSON.stringify(right).includes('"0');
    expect(Object.values(counts)).toEqual(changed ? [] : [1]);
  });

  it('are read by other values that a user names', async () => {
    const { rows } = await readFile('Nom;Genre\nA;Mme\nB;inconnu\nC;X1\n', {
      values: { Genre: { Mme: 'O', X1: 'M', inconnu: '' } },
    });
    expect(rows).toEqual([{ surname: 'A', gender: 'O' }, { surname: 'B' }, { surname: 'C', gender: 'M' }]);
    await expect(readFile('Nom\nA\n', { values: { Genre: {} } })).rejects.toThrow('--values names columns that');
  });

  it('with faults are left out rather than their row, where a user says so', async () => {
    const content = 'Nom;Né le;Genre\nA;hier;Dr\nB;;F\n';
    const whole = await readFile(content);
    expect([whole.rows, whole.faults]).toEqual([
      [{ surname: 'B', gender: 'F' }],
      [expect.stringMatching('2 Genre must be one of'), expect.stringMatching('2 Né le must be')].reverse(),
    ]);
    const { rows, faults, remarks } = await readFile(content, { skipCells: true });
    expect([rows, faults]).toEqual([[{ surname: 'A' }, { surname: 'B', gender: 'F' }], []]);
    expect(remarks).toEqual([
      expect.stringMatching(/^2 Né le must be a date .*: the cell is left out$/),
      '2 Genre must be one of F, M, O: the cell is left out',
    ]);
  });

  it('with faults are named as the file names them', async () => {
    const content = 'Adresse mail;Tél;Naissance;Lat;Nom;CP\nnobody;no digits;hier;999;A;1,0E+3\n';
    const { faults } = await readFile(content, {
      map: {
        'Adresse mail': 'mail',
        Tél: 'phone',
        Naissance: 'birthdate',
        Lat: 'address_latitude',
        CP: 'address_postalcode',
      },
    });
    expect(faults.map((fault) => fault.split(' ')[1]).sort()).toEqual(['Adresse', 'CP', 'Lat', 'Naissance', 'Tél']);
  });
});
