// muster import, its list, undo and inspect: their arguments and help, and how a file of contacts would be read.
import { Command, Option } from 'commander';
import { listColumnNames, type RecordTypeName, recordTypeNames, recordTypes } from '../data/import/record-types.ts';
import { dayOrders } from '../import/days.ts';
import { limits } from '../limits/limits.ts';
import { fileFormats, parseCountry, parseId, parseName, parseWholeNumber } from './arguments.ts';
import { readColumnMap, readDelimiter, readEncodingName, readValues } from './import-arguments.ts';
import { describeFault } from './import-report.ts';
import {
  type ContactsOptions,
  importContacts,
  importRecordsOf,
  listSpaceImports,
  type ReadingOptions,
  type RecordsOptions,
  readFileOptions,
  undoImportById,
} from './import-run.ts';
import { createCommand as createMoveCommand } from './move-in.ts';

/** Prints how a file of contacts would be read, and its first rows, without a database. */
const inspectFile = async (file: string, options: ReadingOptions): Promise<void> => {
  const [{ createProgress }, { readContactRows }, { inspectContactRows }] = await Promise.all([
    import('../import/rows.ts'),
    import('../import/read-contacts.ts'),
    import('../import/contact-file.ts'),
  ]);
  const how = await readFileOptions(file, options);
  const tell = (text: string): void => {
    if (!isSeparatorTold && progress.delimiter) console.log(`separator: ${JSON.stringify(progress.delimiter)}`);
    isSeparatorTold = true;
    console.log(text);
  };
  let isSeparatorTold = false;
  const progress = { ...createProgress(tell), tellsMap: true };
  console.log(`encoding: ${how.encoding}${how.bom ? ' with a byte order mark' : ''}`);
  let rows = 0;
  const found = readContactRows(file, { ...how, ids: true }, progress);
  for await (const { line, record, faults } of inspectContactRows(found)) {
    if (record) tell(`line ${line}: ${JSON.stringify(record)}`);
    for (const fault of faults) tell(`line ${line}: ${describeFault(fault)}`);
    rows++;
  }
  if (rows === 0) tell('0 rows in the file');
};

const createUserOption = () =>
  new Option('--user <id>', 'record this user as the author of the changes').argParser(parseId);

/** Adds the options that describe a file. */
const addReadingOptions = (command: Command, map: string): Command =>
  command
    .addOption(new Option('--format <format>', 'format of the file (default: by its name)').choices(fileFormats))
    .option(
      '--encoding <encoding>',
      'encoding of the file: utf-8, windows-1252 (also called latin1 or iso-8859-1), or utf-16 with a byte order mark',
      readEncodingName,
      'utf-8',
    )
    .option(
      '--map <pairs>',
      `meaning of the columns: ${map}; or JSON, {"Nom, prénom": "surname"}, or the path of a JSON file; other columns are ignored`,
      readColumnMap,
    )
    .addOption(
      new Option('--days <order>', 'order of day, month and year in dates such as 01/02/2003')
        .choices(dayOrders)
        .default('ymd'),
    )
    .addOption(
      new Option('--dates <program>', 'excel: a number in a column of dates is a day as Excel counts days').choices([
        'excel',
      ]),
    )
    .option(
      '--values <pairs>',
      'values of a column to read otherwise: Genre: Mme=F, M.=M; or JSON, {"Genre": {"Mme": "F"}}; once for each column',
      readValues,
    )
    .option(
      '--delimiter <character>',
      'what separates cells (default: the mark that gives the rows one width)',
      readDelimiter,
    )
    .option(
      '--header-line <line>',
      'the line with the names of columns (default: the first that is not blank)',
      parseWholeNumber(1, 1_000_000),
    )
    .option(
      '--country <code>',
      'country of contacts without one, such as FR, by which their numbers are read (default: that of the space)',
      parseCountry,
    )
    .option(
      '--keep-placeholders',
      'NULL, #N/A, - and the like are values (default: they are read as empty, and counted)',
    )
    .option(
      '--skip-cells',
      'leave out a cell with a fault, and write the rest of its row (default: the row is rejected)',
    );

/** Creates a command that imports a file. Its own options come after those that describe the file. */
const createFileCommand = (name: string, description: string, map: string, own: Option[]): Command => {
  const command = addReadingOptions(
    new Command(name)
      .argument('<file>')
      .description(description)
      .requiredOption('--space <id>', 'the space', parseId)
      .addOption(createUserOption()),
    map,
  ).option('--ids', 'the ids in the file are ids of this space (default: ids are ignored)');
  for (const option of own) command.addOption(option);
  return command
    .option('--batch <rows>', 'rows in a transaction, 1 to 5000', parseWholeNumber(1, 5000), 1000)
    .option('--dry-run', 'run the import and roll it back; it holds its locks until it ends')
    .option('--resume', 'continue an interrupted import of the same file with the same options')
    .option('--faults <file>', 'write all faults to this file, as NDJSON')
    .option('--rejects <file>', 'write the rejected rows unchanged to this new file, to correct and import them')
    .addHelpText(
      'after',
      '\nA row with a fault is rejected and reported; the other rows are written. The exit code is 1 when rows were rejected.',
    );
};

const contactsMap = 'Nom=surname,CP=address_postalcode,News=form:consent:Newsletter';

const createContactsCommand = (): Command =>
  createFileCommand(
    'contacts',
    'Write the rows of a CSV or NDJSON file (or either with .gz) as contacts.',
    contactsMap,
    [
      new Option('--mode <mode>', 'upsert: update the matching contact, or create one; create: always create')
        .choices(['upsert', 'create'])
        .default('upsert'),
      new Option(
        '--key <column>',
        'external_id: match the external id first; if no contact has it, match as without this option, except contacts with another external id',
      )
        .choices(['external_id'])
        .conflicts('ids'),
      new Option(
        '--lift-opt-outs',
        'opt in whom the file opts in, and take its consents although later ones are there (default: an opt-out wins)',
      ),
      new Option(
        '--consent-source <text>',
        'where consents and opt-outs of the file come from, such as "paper forms of May" (default: the name of the file)',
      ).argParser(parseName),
    ],
  ).action((file: string, options: ContactsOptions, command: Command) => {
    if (options.key && options.mode === 'create')
      command.error('error: --key matches contacts, but --mode create does not: omit one of them');
    return importContacts(file, options);
  });

const createRecordsCommand = (name: RecordTypeName): Command => {
  const hasTransaction = name === 'donations' || name === 'memberships';
  const describeIds = (what: string) => `ids of ${what} in this file are the ids in the file of that import`;
  const recordType = recordTypes.get(name)!;
  const readOnly = ['user_id', ...recordType.shown];
  const writable = listColumnNames(recordType).filter((column) => !readOnly.includes(column));
  return createFileCommand(
    name,
    `Write the rows of a CSV or NDJSON file (or either with .gz) as ${name} of contacts.`,
    'Courriel=contact_mail',
    [
      new Option('--contacts <import>', describeIds('contacts')).argParser(parseId).conflicts('ids'),
      ...(hasTransaction
        ? [new Option('--transactions <import>', describeIds('transactions')).argParser(parseId).conflicts('ids')]
        : []),
    ],
  )
    .addHelpText(
      'after',
      `\nColumns: ${writable.join(', ')}.\nEach row names its contact by contact_external_id or contact_mail, or by contact_id with --ids or --contacts.`,
    )
    .action((file: string, options: RecordsOptions) => importRecordsOf(name, file, options));
};

/** The former name of `muster move-in`, for one release. */
const createFormerMoveCommand = (): Command =>
  createMoveCommand()
    .name('qomon')
    .hook('preAction', () =>
      console.error('`muster import qomon` is now `muster move-in`; the old name goes with the next release.'),
    );

export const createCommand = (): Command => {
  const command = new Command('import').description(
    'Import contacts or their records from a file, list imports, undo an import.',
  );
  command.addCommand(createContactsCommand());
  for (const name of recordTypeNames) command.addCommand(createRecordsCommand(name));
  command.addCommand(createFormerMoveCommand(), { hidden: true });
  command.addCommand(
    addReadingOptions(
      new Command('inspect')
        .argument('<file>')
        .description('Print how a file of contacts would be read, and its first ten rows, without writing anything.'),
      contactsMap,
    ).action(inspectFile),
  );
  command
    .command('list')
    .description('List the imports of a space, newest first, with their counts and state.')
    .requiredOption('--space <id>', 'the space', parseId)
    .option('--limit <count>', 'number of imports, at most', parseWholeNumber(1, limits.list.page), 100)
    .option('--json', 'print one JSON object per line')
    .action(listSpaceImports);
  command
    .command('undo <id>')
    .description(
      'Undo an import: delete what it created and restore what it changed, except records that were changed since.',
    )
    .requiredOption('--space <id>', 'the space', parseId)
    .addOption(createUserOption())
    .action(undoImportById);
  return command;
};
