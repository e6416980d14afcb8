// What went wrong with a command, in words for a terminal: neither SQL nor values of the database stand in them.
import { toDatabaseProblem } from '../database/driver-error.ts';
import { Problem } from '../problem.ts';
import { escapeForTerminal } from './printable.ts';

/** Knex puts the statement before what the driver says; and what it says of its pool is of no use to an operator. */
const wordsOf = ({ message, code = '' }: NodeJS.ErrnoException): string => {
  if (/^knex: timeout acquiring|timeout expired/i.test(message)) return 'no answer in time';
  return message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '') || code;
};

/** Whether PostgreSQL sent this error. */
const isFromDatabase = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'severity' in error && 'routine' in error;

const describe = (error: unknown): string => {
  const problem = toDatabaseProblem(error);
  if (problem instanceof Problem) {
    const { code, message, errors = [], originalError } = problem;
    if (code === 'unavailable' && originalError)
      return `The database cannot be reached (${wordsOf(originalError)}). Is it running, and does DATABASE_URL lead to it?`;
    return [message, ...errors.map((fault) => `  ${fault.location} ${fault.message}`)].join('\n');
  }
  if (isFromDatabase(error)) return `The database refused a statement: ${wordsOf(error)} (SQLSTATE ${error.code})`;
  return error instanceof Error ? error.message : String(error);
};

/** Describes a problem with all its faults, one on each line. It leaves out the address of the database, which may hold a password. */
export const explainCommandError = (error: unknown): string => escapeForTerminal(describe(error));
