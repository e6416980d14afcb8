// Checks of `muster doctor` whose faults a test cannot cause: of the disk, the clock and the PostgreSQL server. Their bounds, or what the server says, are others here.
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkDisk } from '../../src/commands/doctor.ts';
import type { Check, DatabaseGround, Finding } from '../../src/commands/doctor-check.ts';
import { schemaChecks } from '../../src/commands/doctor-content.ts';
import { serverChecks } from '../../src/commands/doctor-server.ts';
import { DiagnosticConnection } from '../../src/database/open-client.ts';
import { createDatabase } from '../harness/app.ts';

let connection: DiagnosticConnection;
beforeAll(async () => {
  connection = await DiagnosticConnection.open(await createDatabase());
});
afterAll(() => connection.close());

/** What a check finds when this is in front of what PostgreSQL has of the same name. */
const runWith = async (check: Check, shadow: string): Promise<Finding | undefined> => {
  await connection.rows(`begin; create schema shadow; set local search_path to shadow, pg_catalog; create ${shadow}`);
  try {
    return await check({ connection } as DatabaseGround);
  } finally {
    await connection.rows('rollback');
  }
};

it.each([
  ['ok', { warn: 0, fail: 0 }],
  ['warn', { warn: Number.POSITIVE_INFINITY, fail: 0 }],
  ['fail', { warn: Number.POSITIVE_INFINITY, fail: Number.POSITIVE_INFINITY }],
])('the disk: %s', async (status, bounds) => {
  const finding = await checkDisk(tmpdir(), bounds);
  expect(finding).toMatchObject({ status, found: expect.stringContaining(`are free on the disk of ${tmpdir()}`) });
  expect(finding.todo ?? '').toMatch(status === 'ok' ? /^$/ : /^Free some space/);
});

it.each([
  ['ok', 1, /differ by (0\.\d|1\.0) s$/],
  ['warn', 10, /differ by (9\.\d|10\.0) s$/],
  ['warn', -10, /differ by (9\.\d|10\.0) s$/],
  ['fail', 3600, /differ by (3599\.\d|3600\.0) s$/],
])('the clock: %s when that of the database is %d s ahead', async (status, seconds, found) => {
  const ahead = `function clock_timestamp() returns timestamptz return pg_catalog.clock_timestamp() + interval '${seconds} s'`;
  const finding = await runWith(serverChecks.clock!, ahead);
  expect(finding).toMatchObject({ status, found: expect.stringMatching(found) });
  expect(finding!.todo ?? '').toMatch(status === 'ok' ? /^$/ : /^Let NTP set/);
});

it.each([
  ['fail', '14.12', 140_012, 'PostgreSQL 14.12 is too old', 'Use PostgreSQL 15 or newer'],
  ['ok', '15.0', 150_000, 'PostgreSQL 15.0', undefined],
  [
    'warn',
    '19.1',
    190_001,
    'PostgreSQL 19.1 is newer than those that Muster is tested with',
    'Use PostgreSQL 18 if something fails',
  ],
])('the version: %s for %s', async (status, full, number, found, todo) => {
  const setting = `function current_setting(name text) returns text return case name when 'server_version_num' then '${number}' else '${full}' end`;
  expect(await runWith(serverChecks.version!, setting)).toEqual({ status, found, ...(todo && { todo }) });
});

it('an extension that is not installed, and one that the server has no files of, are failures', async () => {
  const check = schemaChecks.extensions!;
  const installed = `view pg_extension as select * from pg_catalog.pg_extension where extname <> 'pg_trgm'`;
  expect(await runWith(check, installed)).toEqual({
    status: 'fail',
    found: 'pg_trgm is not installed',
    todo: 'muster migrate',
  });
  const available = `view pg_available_extensions as select * from pg_catalog.pg_available_extensions where name <> 'pg_trgm'`;
  expect(await runWith(check, `${installed}; create ${available}`)).toMatchObject({
    status: 'fail',
    found: 'The server has no files of pg_trgm',
    todo: expect.stringMatching(/^Install the contrib package/),
  });
});
