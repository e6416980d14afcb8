// Errors of the driver: the Problem that each becomes, and whether the server or the values are at fault.
import { limits } from '../limits/limits.ts';
import { createAnswerTooLargeProblem, createUnknownOutcomeProblem, Problem } from '../problem.ts';
import { metrics } from '../telemetry/metrics.ts';
import { NoAnswer, ResultTooLarge } from './connection.ts';

/** SQLSTATE → the Problem that the caller gets. Each 400 among these is a check of the input that we missed. */
const problemsByState: [pattern: RegExp, code: ConstructorParameters<typeof Problem>[0], detail: string][] = [
  [/^23505$/, 'conflict', 'That is already there'],
  [
    /^(23503|23514|23502)$/,
    'unprocessable',
    'The record refers to something that is not there, or breaks a rule of the data',
  ],
  [/^(22|54000)/, 'invalid-request', 'A value cannot be stored'],
  [/^40(001|P01)$/, 'timeout', 'Others were changing the same at this moment; nothing was done, so try again'],
  [/^(57014|55P03|25P03)$/, 'timeout', 'The database did not finish in time'],
  // 25P02: an earlier statement of the transaction failed for good.
  [/^(53|08|57P|25006|25P02|3D000|28)/, 'unavailable', 'The database is not available'],
];
/** A certificate that is not accepted, by the code before the message, and TLS that is refused. */
const noTls = /^\S*(CERT|UNABLE_TO_VERIFY)|does not support SSL/;
const lostConnection = /ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH/;
/** A server that does not run has no file for its socket. Other files that are missing are not meant. */
const lostMessage =
  /connect ENOENT|Timeout acquiring a connection|Connection terminated|timeout expired|connection ended|not queryable|Unable to acquire/i;
/** The functions of Citus that report a node lost in the middle of a statement, as an internal error: a broken connection has no SQLSTATE. */
const lostNode = /^(ReportResultError|ReportCopyError|MarkRemoteTransactionFailed)$/;

const readOnly = '25006';

/** Whether the server may not be written. One that replays another's log has no unlogged tables, and says that before it sees a write. */
export const isReadOnly = (error: Error): boolean => {
  const { code, routine } = error as { code?: string; routine?: string };
  return code === readOnly || (code === '0A000' && routine === 'get_relation_info');
};

/** The SQLSTATE of an error, if it has one, and whether the connection was lost or could not be made. */
const readCause = (error: Error): { state: string; lost: boolean } => {
  const { code = '', routine = '' } = error as { code?: string; routine?: string };
  return {
    state: isReadOnly(error) ? readOnly : /^[0-9A-Z]{5}$/.test(code) ? code : '',
    lost:
      lostConnection.test(code) ||
      noTls.test(`${code} ${error.message}`) ||
      lostMessage.test(error.message) ||
      (code === 'XX000' && lostNode.test(routine)),
  };
};

/**
 * Errors of a read-only statement that depend on the server: it is gone, starting, full, replays
 * changes that conflict with the read (40001), lacks a table (42) or an unlogged one (0A).
 */
const serversFault = /^(08|0A|25|28|3D|40|42|53|55|57P|58|XX)/;

/** Whether the same statement may succeed on another server. A slow statement or a wrong value would fail there too. */
export const isServersFault = (error: unknown): boolean => {
  if (!(error instanceof Error) || error instanceof Problem) return false;
  const { state, lost } = readCause(error);
  return lost || serversFault.test(state);
};

/** Whether the statement failed because of its values, and changed nothing. */
export const isValuesFault = (error: unknown): boolean =>
  error instanceof Error && /^2[23]/.test(readCause(error).state);

/** Whether PostgreSQL has ended a transaction since it and others waited for each other. The same transaction may succeed after theirs. */
export const isDeadlock = (error: unknown): boolean => {
  const cause = error instanceof Problem ? error.originalError : error;
  return cause instanceof Error && readCause(cause).state === '40P01';
};

/** Whether no connection of the pool became free in time. */
export const isPoolFull = (error: unknown): boolean => error instanceof Error && error.name === 'KnexTimeoutError';

/** There was no connection, so that nothing was sent. */
const neverSent =
  /connect ENOENT|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|Timeout acquiring a connection|timeout expired|Unable to acquire/i;
/** The server ended the session, perhaps after it had stored the change: 57P03 is said to who connects alone. */
const endedSession = /^(08|57P0[125])/;

/** Whether a statement that was sent may have been carried out, since its answer was lost. */
const mayHaveHappened = (error: Error): boolean => {
  const { state, lost } = readCause(error);
  const { code = '' } = error as { code?: string };
  const said = `${code} ${error.message}`;
  return endedSession.test(state) || (lost && !neverSent.test(said) && !noTls.test(said));
};

/**
 * The Problem for an error of the driver; any other error is returned unchanged. The lost answer of a statement that
 * stores a change (`stores`) leaves open whether it did.
 */
export const convertToDatabaseProblem = (error: unknown, { stores = false } = {}): unknown => {
  if (error instanceof Problem || !(error instanceof Error)) return error;
  if (error instanceof ResultTooLarge) return createAnswerTooLargeProblem(limits.request.answerBytes);
  const { state, lost } = readCause(error);
  const known = problemsByState.find(([pattern]) => pattern.test(state));
  const [, problem, detail] = known ?? (lost ? ([null, 'unavailable', 'The database is not available'] as const) : []);
  if (!problem) return error;
  countTimeout(error, state);
  if (stores && problem === 'unavailable' && mayHaveHappened(error)) return createUnknownOutcomeProblem(error);
  return new Problem(problem, detail!, {
    cause: error,
    headers: retriedProblems.has(problem) ? { 'Retry-After': '1' } : {},
  });
};

const timeoutStates: Record<string, string> = {
  '57014': 'statement',
  '55P03': 'lock',
  '40P01': 'lock',
  '25P03': 'statement',
};

const countTimeout = (error: Error, state: string): void => {
  const kind =
    timeoutStates[state] ??
    (error instanceof NoAnswer ? 'no-answer' : /timeout acquiring/i.test(error.message) ? 'no-connection' : undefined);
  if (kind) metrics.statementTimeouts.inc({ kind });
};

const retriedProblems = new Set(['unavailable', 'timeout']);
