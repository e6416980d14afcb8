// muster setup: creates the first space of a database, with its superadmin. Its parts serve `muster space create` too.
import { Command, Option } from 'commander';
import { readConfig } from '../config/config.ts';
import type { Account } from '../data/access/account.ts';
import {
  type CreatedSpace,
  createNotEmptyProblem,
  createSpace,
  type SpaceLanguage,
  spaceLanguages,
} from '../data/access/space.ts';
import type { Database } from '../database/database.ts';
import { parseCountry, parseMail, parseName } from './arguments.ts';
import { findMigratedUrl, withDatabase } from './database-url.ts';
import { answerQuestions } from './question.ts';
import { escapeForTerminal } from './table.ts';

/** The values that a new space needs. */
type Asked = 'name' | 'mail' | 'firstName' | 'lastName';

interface SpaceOptions extends Partial<Record<Asked, string>> {
  country?: string;
  language?: SpaceLanguage;
  quiet?: boolean;
  bare?: boolean;
}

/** Adds the options of a command that creates a space. */
export const addSpaceOptions = (command: Command): Command =>
  command
    .option('--name <name>', 'name of the organisation', parseName)
    .option('--mail <mail>', 'mail of its first user, the superadmin; a known mail means that account', parseMail)
    .option('--first-name <name>', 'first name of that user', parseName)
    .option('--last-name <name>', 'last name of that user', parseName)
    .option('--country <code>', 'country of phones without a calling code, by its two letters: FR', parseCountry)
    .addOption(
      new Option('--language <code>', 'language of its roles, forms and statuses')
        .choices(spaceLanguages)
        .default('en'),
    )
    .option('--bare', 'create no forms and no transaction statuses, for a space that is moved in: their ids stay free')
    .option('--quiet', 'print only the access token');

/** The values of the options; those that are missing are read from settings, or asked for in a terminal. */
export const readSpaceOptions = (
  command: Command,
  given: SpaceOptions,
  settings: Partial<Record<Asked, string | undefined>>,
) =>
  answerQuestions<Asked>(
    command,
    {
      name: { flag: '--name', setting: settings.name, text: 'Name of the organisation', parse: parseName },
      mail: { flag: '--mail', setting: settings.mail, text: 'Your mail', parse: parseMail },
      firstName: { flag: '--first-name', setting: settings.firstName, text: 'Your first name', parse: parseName },
      lastName: { flag: '--last-name', setting: settings.lastName, text: 'Your last name', parse: parseName },
    },
    given,
  );

/** Says whether an account was created or found. */
export const describeAccount = ({ id, mail, created }: Account): string =>
  `user ${id} (${escapeForTerminal(mail)}) ${created ? 'created' : 'was there already, and stays as it was'}`;

/** Creates a space by the answers, and prints its token. */
export const createSpaceByAnswers = async (
  database: Database,
  { name, mail, firstName, lastName }: Record<Asked, string>,
  { country, language, quiet, bare = false }: SpaceOptions,
  isFirst: boolean,
): Promise<void> => {
  const created = await createSpace(
    database,
    { name, country: country ?? null, owner: { mail, firstName, lastName } },
    { isFirst, isBare: bare, language },
  );
  console.log(quiet ? created.token : describeSpace(created));
};

const describeSpace = ({ id, name, owner, token }: CreatedSpace): string => {
  const { HOST, PORT } = readConfig();
  const query = `{"query":"{ viewer { user { firstName } space { name } } }"}`;
  return [
    `space ${id} (${escapeForTerminal(name)}) created`,
    describeAccount(owner),
    '',
    `  Token   ${token}`,
    '          printed only once: Muster stores its digest alone',
    `  Try     curl -s http://${HOST}:${PORT}/graphql -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${query}'`,
    `  Next    muster member invite --space ${id} --mail <mail of a colleague>`,
  ].join('\n');
};

export const createCommand = (): Command =>
  addSpaceOptions(
    new Command('setup').description(
      'Set up an empty database: the space of your organisation with its roles and forms, and its superadmin. Prints a token for them.',
    ),
  )
    .addHelpText(
      'after',
      '\nIt migrates the database first. Values without an option are read from SETUP_NAME, SETUP_MAIL, SETUP_FIRST_NAME and SETUP_LAST_NAME, or asked for in a terminal.',
    )
    .action(async (given: SpaceOptions, command: Command) => {
      const config = readConfig();
      const { SETUP_NAME: name, SETUP_MAIL: mail, SETUP_FIRST_NAME: firstName, SETUP_LAST_NAME: lastName } = config;
      await findMigratedUrl(config);
      await withDatabase(async (database) => {
        // Asked before anybody answers questions in vain. The statement that creates the space decides.
        if (!(await database.isEmpty())) throw createNotEmptyProblem();
        const answers = await readSpaceOptions(command, given, { name, mail, firstName, lastName });
        await createSpaceByAnswers(database, answers, given, true);
      });
    });
