// What a command says of an error of PostgreSQL: what is wrong, and what to do.
import { expect, it } from 'vitest';
import { explainCommandError } from '../../src/commands/error-message.ts';

/** An error as the driver gives it. */
const createDatabaseError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code, severity: 'ERROR', routine: 'anything' });

it.each([
  [
    '53100',
    'could not extend file "base/5/1": No space left on device',
    'The disk of the database is full (could not extend file "base/5/1": No space left on device): free some space there, and run this again',
  ],
  [
    '25006',
    'cannot execute UPDATE in a read-only transaction',
    'The database is read-only (cannot execute UPDATE in a read-only transaction): name one in DATABASE_URL that can be written',
  ],
  [
    '57P03',
    'the database system is starting up',
    'The database cannot be reached (the database system is starting up). Is it running, and is DATABASE_URL right?',
  ],
  [
    '42P01',
    'relation "x" does not exist',
    'The database lacks a table, a column or a function of this version: run "muster migrate" first',
  ],
])('%s: %s', (code, message, said) => {
  expect(explainCommandError(createDatabaseError(code, message))).toBe(said);
});

it('an explained error is not explained again, and the name of a file is not taken for a fault of TLS', () => {
  const lost = new Error('Connection terminated unexpectedly');
  const explained = new Error(`${explainCommandError(lost)}\nImport 3 was interrupted.`, { cause: lost });
  expect(explainCommandError(explained)).toBe(
    'The database cannot be reached (Connection terminated unexpectedly). Is it running, and is DATABASE_URL right?\nImport 3 was interrupted.',
  );
  const missing = 'CERTIFICATS.csv cannot be read: it does not exist';
  expect(explainCommandError(new Error(missing))).toBe(missing);
});

it('a migration that failed has the advice of its cause, and its own name', () => {
  const fail = (code: string, message: string) =>
    explainCommandError(createDatabaseError(code, `Migration 0002.sql failed: ${message}`));
  expect(fail('53100', 'could not extend file')).toMatch(
    /^The disk of the database is full \(Migration 0002.sql failed: /,
  );
  expect(fail('42P01', 'relation "x" does not exist')).toBe(
    'The database refused a statement: Migration 0002.sql failed: relation "x" does not exist (SQLSTATE 42P01)',
  );
});
