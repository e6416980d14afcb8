// muster import, muster import undo
import { existsSync, readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { columnNamesOf, type FamilyName, families, familyNames } from '../data/record-family.ts';
import { wholeNumber } from './arguments.ts';
import { type ContactsOptions, importContacts, importRecordsOf, type RecordsOptions, undo } from './import-run.ts';

const id = wholeNumber(0, Number.MAX_SAFE_INTEGER);

/** `Nom=surname,CP=address_postalcode`, or a file with such an object as JSON. */
const readMap = (text: string): Record<string, string> => {
  if (existsSync(text)) return JSON.parse(readFileSync(text, 'utf8'));
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const at = pair.lastIndexOf('=');
      if (at < 1) throw new InvalidArgumentError(`${pair} must be <column of the file>=<column of contacts>`);
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
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
    .addOption(new Option('--format <format>', 'what the file is; by its name without it').choices(['csv', 'ndjson']))
    .addOption(new Option('--encoding <encoding>', 'how text is encoded').choices(['utf8', 'latin1']).default('utf8'))
    .option('--map <pairs>', `what columns are: ${map}, or a JSON file of the same; the others are left out`, readMap)
    .addOption(
      new Option('--days <order>', 'how dates such as 01/02/2003 are meant')
        .choices(['ymd', 'dmy', 'mdy'])
        .default('ymd'),
    )
    .option('--ids', 'ids in the file are of this space; without it they are passed over');
  for (const option of own) command.addOption(option);
  return command
    .option('--batch <rows>', 'rows in a transaction, 1 to 5000', wholeNumber(1, 5000), 1000)
    .option('--dry-run', 'read every row and tell its faults; write nothing')
    .option('--resume', 'go on with an import of the same file and options that was cut off')
    .option('--faults <file>', 'write the faults of all rows to this file, as NDJSON')
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
    ],
  ).action((file: string, options: ContactsOptions) => importContacts(file, options));

const recordsCommand = (name: FamilyName): Command => {
  const paid = name === 'donations' || name === 'memberships';
  const of = (what: string) => `ids of ${what} in the file are those that they had in the file of this import`;
  const family = families.get(name)!;
  const passedOver = ['user_id', ...family.shown];
  const writable = columnNamesOf(family).filter((column) => !passedOver.includes(column));
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

export const importCommand = (): Command => {
  const command = new Command('import').description('Bring contacts and their records in from a file, or undo that.');
  command.addCommand(contactsCommand());
  for (const name of familyNames) command.addCommand(recordsCommand(name));
  command
    .command('undo <id>')
    .description('Undo an import: delete what it created, bring back what it changed, but for what changed since.')
    .addOption(spaceOption())
    .addOption(userOption())
    .action(undo);
  return command;
};
