// What an error of the driver means: which Problem it becomes, and whose fault it is.
import { limits } from '../limits.ts';
import { createAnswerTooLargeProblem, Problem } from '../problem.ts';
import { ResultTooLarge } from './connection.ts';

/** SQLSTATE → what it means to the caller. Each 400 among these is a check at the edge that we missed. */
const states: [pattern: RegExp, code: ConstructorParameters<typeof Problem>[0], detail: string][] = [
  [/^23505$/, 'conflict', 'That is already there'],
  [
    /^(23503|23514|23502)$/,
    'unprocessable',
    'The record refers to something that is not there, or breaks a rule of the data',
  ],
  [/^(22|54000)/, 'invalid-request', 'A value cannot be stored'],
  [/^40(001|P01)$/, 'conflict', 'Somebody else changed this at the same moment; try again'],
  [/^(57014|55P03|25P03)$/, 'timeout', 'The database did not finish in time'],
  // 25P02: in a transaction that holds several parts, one failed before in a way that it could not go on from.
  [/^(53|08|57P|25006|25P02|3D000|28)/, 'unavailable', 'The database is not available'],
];
const lostConnection = /ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH/;
const lostMessage =
  /Timeout acquiring a connection|Connection terminated|timeout expired|connection ended|not queryable|Unable to acquire/i;

/** The SQLSTATE of an error, if it has one, and whether the connection was lost, or there was none. */
const causeOf = (error: Error): { state: string; lost: boolean } => {
  const { code = '' } = error as { code?: string };
  return {
    state: /^[0-9A-Z]{5}$/.test(code) ? code : '',
    lost: lostConnection.test(code) || lostMessage.test(error.message),
  };
};

/**
 * What goes wrong with a statement that only reads because of the server that it is asked of: gone, starting, full, replaying
 * what the statement stands in the way of (40001), without a table that is there elsewhere (42), without what is not logged (0A).
 */
const serversFault = /^(08|0A|25|28|3D|40|42|53|55|57P|58|XX)/;

/** Whether the same statement may well succeed on another server. Its own slowness or values it would take along. */
export const isServersFault = (error: unknown): boolean => {
  if (!(error instanceof Error) || error instanceof Problem) return false;
  const { state, lost } = causeOf(error);
  return lost || serversFault.test(state);
};

/** Whether the statement failed, and did nothing, because of values that it was given. */
export const isValuesFault = (error: unknown): boolean => error instanceof Error && /^2[23]/.test(causeOf(error).state);

/** Whether there was no connection of the pool to be had in time. */
export const isPoolFull = (error: unknown): boolean => error instanceof Error && error.name === 'KnexTimeoutError';

/** The Problem behind an error of the driver; any other error comes back as it is. */
export const toDatabaseProblem = (error: unknown): unknown => {
  if (error instanceof Problem || !(error instanceof Error)) return error;
  if (error instanceof ResultTooLarge) return createAnswerTooLargeProblem(limits.request.answerBytes);
  const { state, lost } = causeOf(error);
  const known = states.find(([pattern]) => pattern.test(state));
  const [, problem, detail] = known ?? (lost ? ([null, 'unavailable', 'The database is not available'] as const) : []);
  if (!problem) return error;
  return new Problem(problem, detail!, {
    cause: error,
    headers: problems503.has(problem) ? { 'Retry-After': '1' } : {},
  });
};
const problems503 = new Set(['unavailable', 'timeout']);
