// Explains the error of a command for a terminal, without SQL and without values from the database.
import { convertToDatabaseProblem, isReadOnly } from '../database/driver-error.ts';
import { WrongSettings } from '../database/session-settings.ts';
import { Problem } from '../problem.ts';
import { escapeForTerminal } from './table.ts';

/** Removes the SQL that Knex puts before the driver's message. Knex's own message about its pool would not help an operator. */
const cleanDriverMessage = ({ message, code = '' }: NodeJS.ErrnoException): string => {
  if (/^knex: timeout acquiring|timeout expired/i.test(message)) return 'no answer in time';
  return message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '') || code;
};

/** The advice where the database cannot be reached. */
const adviseOnConnection = ({ message, code = '' }: NodeJS.ErrnoException): string =>
  /no encryption$/.test(message)
    ? 'It wants TLS: add ?sslmode=verify-full to DATABASE_URL'
    : /SELF_SIGNED|UNABLE_TO/.test(code)
      ? 'If the authority of its certificate is your own, name its file with sslrootcert in DATABASE_URL'
      : 'Is it running, and is DATABASE_URL right?';

/** Whether PostgreSQL sent this error. */
const isFromDatabase = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'severity' in error && 'routine' in error;

/** SQLSTATE of a missing table, column or function. */
const missingObjects = /^42(P01|703|883)$/;

const describeError = (error: unknown): string => {
  // A command made this error from another one, and has explained that one already.
  if (error instanceof Error && error.cause !== undefined) return error.message;
  const problem = convertToDatabaseProblem(error);
  if (problem instanceof Problem) {
    const { code, message, errors = [], originalError } = problem;
    if (isFromDatabase(originalError) && isReadOnly(originalError))
      return `The database is read-only (${cleanDriverMessage(originalError)}): name one in DATABASE_URL that can be written`;
    if (isFromDatabase(originalError) && originalError.code === '53100')
      return `The disk of the database is full (${cleanDriverMessage(originalError)}): free some space there, and run this again`;
    if (originalError instanceof WrongSettings) return originalError.message;
    if (code === 'unavailable' && originalError)
      return `The database cannot be reached (${cleanDriverMessage(originalError)}). ${adviseOnConnection(originalError)}`;
    return [message, ...errors.map((fault) => `  ${fault.location} ${fault.message}`)].join('\n');
  }
  if (isFromDatabase(error) && missingObjects.test(error.code ?? '') && !error.message.startsWith('Migration '))
    return 'The database lacks a table, a column or a function of this version: run "muster migrate" first';
  if (isFromDatabase(error))
    return `The database refused a statement: ${cleanDriverMessage(error)} (SQLSTATE ${error.code})`;
  return error instanceof Error ? error.message : String(error);
};

/** Describes a problem with all its faults, one on each line. It leaves out the address of the database, which may hold a password. */
export const explainCommandError = (error: unknown): string => escapeForTerminal(describeError(error));
