// muster import, muster import list, muster import undo
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

/** Heads as they are compared with those of the file. Any name may be a head, also one that objects have by themselves. */
const trimmed = (map: Record<string, string>): Record<string, string> =>
  Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(map).map(([column, known]) => [column.trim(), known.trim()])),
  );

/** A map as JSON, by which any head can be named. */
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
  if (!isMap) throw new InvalidArgumentError(`${where} must be an object of texts, such as {"Nom, prénom": "surname"}`);
  return trimmed(map as Record<string, string>);
};

/** `Nom=surname,CP=address_postalcode`, or an object of the same as JSON, itself or in a file. */
const readMap = (text: string): Record<string, string> => {
  if (text.trim().startsWith('{')) return readMapJson(text, 'it');
  if (existsSync(text)) return readMapJson(readFileSync(text, 'utf8').replace(/^\ufeff/, ''), text);
  return trimmed(
    Object.fromEntries(
      text.split(',').map((pair) => {
        const at = pair.lastIndexOf('=');
        if (at < 1)
          throw new InvalidArgumentError(
            `${pair} must be <column of the file>=<column of contacts>. A name with a comma in it needs JSON: {"Nom, prénom": "surname"}`,
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

const spaceOption = () => new Option('--space <id>', 'the space').argParser(id).makeOptionMandatory();
const userOption = () => new Option('--user <id>', 'the user in whose name contacts change').argParser(id);

/** A command that takes a file; its own options come between what the file is and how it is taken. */
const fileCommand = (name: string, description: string, map: string, own: Option[]): Command => {
  const command = new Command(name)
    .argument('<file>')
    .description(description)
    .addOption(spaceOption())
    .addOption(userOption())
    .addOption(new Option('--format <format>', 'what the file is; by its name without it').choices(fileFormats))
    .addOption(
      new Option(
        '--encoding <encoding>',
        'how text is encoded: utf-8, windows-1252 (which latin1 and iso-8859-1 mean too), or utf-16 with a byte order mark',
      )
        .argParser(readEncoding)
        .default('utf-8'),
    )
    .option(
      '--map <pairs>',
      `what columns are: ${map}; or JSON, {"Nom, prénom": "surname"}, or a file of it, which can name any column; the others are left out`,
      readMap,
    )
    .addOption(
      new Option('--days <order>', 'how dates such as 01/02/2003 are meant')
        .choices(['ymd', 'dmy', 'mdy'])
        .default('ymd'),
    )
    .option('--ids', 'ids in the file are of this space; without it they are passed over');
  for (const option of own) command.addOption(option);
  return command
    .option('--batch <rows>', 'rows in a transaction, 1 to 5000', parseWholeNumber(1, 5000), 1000)
    .option(
      '--dry-run',
      'tell what would come of it, and take it all back; until it ends, others wait for what it locks',
    )
    .option('--resume', 'go on with an import of the same file and options that was cut off')
    .option('--faults <file>', 'write the faults of all rows to this file, as NDJSON')
    .option(
      '--rejects <file>',
      'write the rows that are left out to this new file, as they stand, to be mended and imported',
    )
    .addHelpText(
      'after',
      '\nA row with a fault is left out and told; the others are written. Exit code 1 says that some were left out.',
    );
};

const contactsCommand = (): Command =>
  fileCommand(
    'contacts',
    'Write the rows of a CSV or NDJSON file (or either with .gz) as contacts.',
    'Nom=surname,CP=address_postalcode,News=form:consent:Newsletter',
    [
      new Option('--mode <mode>', 'upsert: change the contact that a row means, or create it; create: always create')
        .choices(['upsert', 'create'])
        .default('upsert'),
      new Option(
        '--key <column>',
        'external_id: a row means the contact with its external id, before anything else; only where none has it, whom it would mean without, unless that contact has another',
      )
        .choices(['external_id'])
        .conflicts('ids'),
    ],
  ).action((file: string, options: ContactsOptions, command: Command) => {
    if (options.key && options.mode === 'create')
      command.error('error: --key looks for contacts, --mode create does not: leave one of them out');
    return importContacts(file, options);
  });

const recordsCommand = (name: RecordTypeName): Command => {
  const paid = name === 'donations' || name === 'memberships';
  const of = (what: string) => `ids of ${what} in the file are those that they had in the file of this import`;
  const family = recordTypes.get(name)!;
  const passedOver = ['user_id', ...family.shown];
  const writable = listColumnNames(family).filter((column) => !passedOver.includes(column));
  return fileCommand(
    name,
    `Write the rows of a CSV or NDJSON file (or either with .gz) as ${name} of contacts.`,
    'Courriel=contact_mail',
    [
      new Option('--contacts <import>', of('contacts')).argParser(id).conflicts('ids'),
      ...(paid ? [new Option('--transactions <import>', of('transactions')).argParser(id).conflicts('ids')] : []),
    ],
  )
    .addHelpText(
      'after',
      `\nColumns: ${writable.join(', ')}.\nEach row names its contact by contact_external_id or contact_mail, or by contact_id with --ids or --contacts.`,
    )
    .action((file: string, options: RecordsOptions) => importRecordsOf(name, file, options));
};

export const createImportCommand = (): Command => {
  const command = new Command('import').description('Bring contacts and their records in from a file, or undo that.');
  command.addCommand(contactsCommand());
  for (const name of recordTypeNames) command.addCommand(recordsCommand(name));
  command
    .command('list')
    .description('List the imports of a space, the latest first: what each did, and whether it is finished.')
    .addOption(spaceOption())
    .option('--limit <count>', 'how many at most', parseWholeNumber(1, limits.list.page), 100)
    .option('--json', 'one JSON object a line')
    .action(listSpaceImports);
  command
    .command('undo <id>')
    .description('Undo an import: delete what it created, bring back what it changed, but for what changed since.')
    .addOption(spaceOption())
    .addOption(userOption())
    .action(undoImportById);
  return command;
};
