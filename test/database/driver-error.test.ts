// Errors of a cluster that no test can provoke without one: which of them is an outage.
import { expect, it } from 'vitest';
import { convertToDatabaseProblem } from '../../src/database/driver-error.ts';
import { openClient } from '../../src/database/open-client.ts';

const createInternalError = (routine: string): Error =>
  Object.assign(new Error('internal'), { code: 'XX000', routine });

const routines = ['ReportResultError', 'ReportCopyError', 'MarkRemoteTransactionFailed'];
it.each(routines)('a node that is lost within a statement is an outage, as %s reports it', (routine) => {
  const problem = convertToDatabaseProblem(createInternalError(routine));
  expect(problem).toMatchObject({ code: 'unavailable', headers: { 'Retry-After': '1' } });
});

it('any other internal error of the database is returned unchanged', () => {
  const error = createInternalError('elog_finish');
  expect(convertToDatabaseProblem(error)).toBe(error);
});

it.each([
  false,
  true,
])('a server that does not run is an outage over a socket too: nothing was stored (%s)', async (stores) => {
  const error = await openClient('socket:/nonexistent?db=muster', 'test').catch((reason: Error) => reason);
  expect(convertToDatabaseProblem(error, { stores })).toMatchObject({
    code: 'unavailable',
    message: 'The database is not available',
    headers: { 'Retry-After': '1' },
  });
});

it.each([
  Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' }),
  new Error('The server does not support SSL connections'),
])('a server that TLS does not reach is an outage, and nothing was stored: $message', (error) => {
  expect(convertToDatabaseProblem(error, { stores: true })).toMatchObject({
    code: 'unavailable',
    message: 'The database is not available',
  });
});
