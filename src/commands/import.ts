// muster import, muster import list, muster import undo: their arguments and help.
import { existsSync, readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { listColumnNames, type RecordTypeName, recordTypeNames, recordTypes } from '../data/import/record-types.ts';
import { type EncodingName, encodingNames, findEncodingName } from '../import/encoding.ts';
import { limits } from '../limits.ts';
import { parseWholeNumber } from './arguments.ts';
import { fileFormats } from './file-format.ts';
import {
  type ContactsOptions,
  importContacts,
  importRecordsOf,
  listSpaceImports,
  type RecordsOptions,
  undoImportById,
} from './import-run.ts';

const id = parseWholeNumber(0, Number.MAX_SAFE_INTEGER);

/** Trims column names, as the columns of the file are trimmed. The object has no prototype, since a column may be called `constructor`. */
const trimNames = (map: Record<string, string>): Record<string, string> =>
  Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(map).map(([column, known]) => [column.trim(), known.trim()])),
  );

/** Reads a map from JSON, which can name any column. */
const readMapJson = (json: string, where: string): Record<string, string> => {
  let map: unknown;
  try {
    map = JSON.parse(json);
  } catch (error) {
    throw new InvalidArgumentError(`${where} is not JSON: ${(error as Error).message}`);
  }
  const isMap =
    typeof map === 'object' &&
    map !== null &&
    !Array.isArray(map) &&
    Object.values(map).every((one) => typeof one === 'string');
  if (!isMap)
    throw new InvalidArgumentError(`${where} must be a JSON object of strings, such as {"Nom, prénom": "surname"}`);
  return trimNames(map as Record<string, string>);
};

/** Reads `Nom=surname,CP=address_postalcode`, the same as a JSON object, or the path of a file with that object. */
const readMap = (text: string): Record<string, string> => {
  if (text.trim().startsWith('{')) return readMapJson(text, 'it');
  if (existsSync(text)) return readMapJson(readFileSync(text, 'utf8').replace(/^\ufeff/, ''), text);
  return trimNames(
    Object.fromEntries(
      text.split(',').map((pair) => {
        const at = pair.lastIndexOf('=');
        if (at < 1)
          throw new InvalidArgumentError(
            `${pair} must be <column of the file>=<column of contacts>. A name that contains a comma needs JSON: {"Nom, prénom": "surname"}`,
          );
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
    ),
  );
};

const readEncoding = (text: string): EncodingName => {
  const encoding = findEncodingName(text);
  if (!encoding) throw new InvalidArgumentError(`must be ${encodingNames.join(', ')}, latin1 or iso-8859-1`);
  return encoding;
};

const createSpaceOption = () => new Option('--space <id>', 'the space').argParser(id).makeOptionMandatory();
const createUserOption = () => new Option('--user <id>', 'record this user as the author of the changes').argParser(id);

/** Creates a command that imports a file. Its own options come after those that describe the file. */
const createFileCommand = (name: string, description: string, map: string, own: Option[]): Command => {
  const command = new Command(name)
    .argument('<file>')
    .description(description)
    .addOption(createSpaceOption())
    .addOption(createUserOption())
    .addOption(new Option('--format <format>', 'format of the file (default: by its name)').choices(fileFormats))
    .addOption(
      new Option(
        '--encoding <encoding>',
        'encoding of the file: utf-8, windows-1252 (also called latin1 or iso-8859-1), or utf-16 with a byte order mark',
      )
        .argParser(readEncoding)
        .default('utf-8'),
    )
    .option(
      '--map <pairs>',
      `meaning of the columns: ${map}; or JSON, {"Nom, prénom": "surname"}, or the path of a JSON file; other columns are ignored`,
      readMap,
    )
    .addOption(
      new Option('--days <order>', 'order of day, month and year in dates such as 01/02/2003')
        .choices(['ymd', 'dmy', 'mdy'])
        .default('ymd'),
    )
    .option('--ids', 'the ids in the file are ids of this space (default: ids are ignored)');
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

const createContactsCommand = (): Command =>
  createFileCommand(
    'contacts',
    'Write the rows of a CSV or NDJSON file (or either with .gz) as contacts.',
    'Nom=surname,CP=address_postalcode,News=form:consent:Newsletter',
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
      new Option('--contacts <import>', describeIds('contacts')).argParser(id).conflicts('ids'),
      ...(hasTransaction
        ? [new Option('--transactions <import>', describeIds('transactions')).argParser(id).conflicts('ids')]
        : []),
    ],
  )
    .addHelpText(
      'after',
      `\nColumns: ${writable.join(', ')}.\nEach row names its contact by contact_external_id or contact_mail, or by contact_id with --ids or --contacts.`,
    )
    .action((file: string, options: RecordsOptions) => importRecordsOf(name, file, options));
};

export const createImportCommand = (): Command => {
  const command = new Command('import').description(
    'Import contacts or their records from a file, list imports, undo an import.',
  );
  command.addCommand(createContactsCommand());
  for (const name of recordTypeNames) command.addCommand(createRecordsCommand(name));
  command
    .command('list')
    .description('List the imports of a space, newest first, with their counts and state.')
    .addOption(createSpaceOption())
    .option('--limit <count>', 'number of imports, at most', parseWholeNumber(1, limits.list.page), 100)
    .option('--json', 'print one JSON object per line')
    .action(listSpaceImports);
  command
    .command('undo <id>')
    .description(
      'Undo an import: delete what it created and restore what it changed, except records that were changed since.',
    )
    .addOption(createSpaceOption())
    .addOption(createUserOption())
    .action(undoImportById);
  return command;
};
