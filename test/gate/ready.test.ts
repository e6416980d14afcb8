// /health/ready says 200 exactly when a valid token could be used.
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { createGate } from '../../src/gate/gate.ts';
import { type Door, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});
const isReady = async (): Promise<number> => (await door.rest('GET', '/health/ready', undefined, null)).status;
const useToken = async (): Promise<number> => (await door.rest('GET', '/users/1')).status;

it('a migration is missing', async () => {
  expect([await isReady(), await useToken()]).toEqual([200, 200]);
  await door.sql(`update schema_migrations set name = 'x' where name like '0005%'`);
  expect(await isReady()).toBe(503);
  await door.sql(`update schema_migrations set name = '0005_schema_search.sql' where name = 'x'`);
  // One of a later version does no harm: its instances are being started.
  await door.sql(`insert into schema_migrations (name, checksum) values ('9999_later.sql', 'x')`);
  expect(await isReady()).toBe(200);
});

it.each([
  ['update', 'rate_buckets'],
  ['insert', 'rate_buckets'],
  ['update', 'app_buckets'],
  ['insert', 'app_buckets'],
  ['update', 'tokens'],
  ['select', 'members'],
  ['select', 'schema_migrations'],
])('the role lacks the right to %s %s', async (right, table) => {
  await door.sql(`revoke ${right} on ${table} from current_user`);
  expect(await isReady()).toBe(503);
  await door.sql(`grant ${right} on ${table} to current_user`);
  expect([await isReady(), await useToken()]).toEqual([200, 200]);
});

it('the gate is not there, or the database takes no writes', async () => {
  await door.sql('alter function enter_gate rename to left_gate');
  expect(await isReady()).toBe(503);
  await door.sql('alter function left_gate rename to enter_gate');
  expect(await isReady()).toBe(200);
  const [{ name }] = await door.sql('select current_database() as name');
  await door.sql(`alter database ${name} set default_transaction_read_only = on`);
  // Only new connections read the setting.
  const database = new Database(door.databaseUrl);
  onTestFinished(() => database.close());
  const gate = createGate(database, { capacity: 100, refill: 10 });
  expect(await gate.isReady()).toBe(false);
  await door.sql(`alter database ${name} reset default_transaction_read_only`);
  expect(await gate.isReady()).toBe(true);
});
