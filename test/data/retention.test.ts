// Retention deletes for good what has been kept long enough, keeps all else, and leaves a line for it.
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { readConfig, readRetention, settingRows } from '../../src/config/config.ts';
import { assignPositions } from '../../src/data/event/change.ts';
import { makeDeliveries } from '../../src/data/event/make-deliveries.ts';
import { createWebhook } from '../../src/data/event/webhook.ts';
import { sweepExpiredRows } from '../../src/data/upkeep/expired-rows.ts';
import { runRetention } from '../../src/data/upkeep/retention.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { runHere } from '../harness/run-here.ts';
import { waitUntil } from '../harness/waiting.ts';

let door: Door;
beforeEach(async () => {
  door = await openApp();
});

const never = { deleted: null, imports: null, audit: null, changes: null };
const run = (periods: object, options = {}) => runRetention(door.database, { ...never, ...periods }, options);
const count = async (from: string): Promise<number> =>
  (await door.sql(`select count(*) as count from ${from}`))[0].count;

describe('the settings', () => {
  it('keep deleted records, copies of imports for a quarter, and the audit log for two years, unless they say otherwise', () => {
    expect(readRetention(readConfig({}))).toEqual({ deleted: null, imports: 90, audit: 730, changes: 30 });
    const env = { RETENTION_DELETED_DAYS: '30', RETENTION_IMPORT_DAYS: '0', RETENTION_AUDIT_DAYS: 'never' };
    expect(readRetention(readConfig(env))).toEqual({ deleted: 30, imports: null, audit: null, changes: 30 });
    for (const bad of ['-1', 'soon', '1.5', '99999999'])
      expect(() => readConfig({ RETENTION_AUDIT_DAYS: bad })).toThrow('RETENTION_AUDIT_DAYS');
  });

  it('are all in the table of docs/privacy.md', () => {
    const [, table] = readFileSync('docs/privacy.md', 'utf8').split('\n## Retention\n');
    const listed = [...table!.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    expect(listed).toEqual(settingRows.map(({ name }) => name).filter((name) => name.startsWith('RETENTION_')));
  });
});

describe('deleted contacts and records', () => {
  it('go with all of their rows once they are old enough; the living, the young and the merged stay', async () => {
    const [old, young, merged] = (
      await door.sql(
        'select contact_id as id from notes where group_id = 1 and deleted_at is null group by 1 order by 1 limit 3',
      )
    ).map(({ id }) => id);
    const bury = (id: number, age: string) =>
      door.sql(`update contacts set deleted_at = now() - cast(? as interval) where group_id = 1 and id = ?`, [age, id]);
    await bury(old, '31 days');
    await bury(young, '29 days');
    await bury(merged, '99 days');
    await door.sql('update contacts set merged_into = ? where group_id = 1 and id = ?', [young, merged]);
    await door.sql(
      `update contacts set deleted_at = now() - interval '31 days' where group_id = 2 and id = (select min(id) from contacts where group_id = 2)`,
    );
    // One record that is old enough, one that is not, and one to which another still refers.
    const [{ ids }] = await door.sql(
      'select array(select id from notes where group_id = 1 and deleted_at is null and contact_id <> ? order by id limit 2) as ids',
      [old],
    );
    await door.sql(`update notes set deleted_at = now() - interval '31 days' where id = ?`, [ids[0]]);
    await door.sql(`update notes set deleted_at = now() - interval '29 days' where id = ?`, [ids[1]]);
    const [{ id: paid }] = await door.sql(
      'select transaction_id as id from donations where group_id = 1 and transaction_id is not null and contact_id <> ? limit 1',
      [old],
    );
    await door.sql(`update transactions set deleted_at = now() - interval '31 days' where group_id = 1 and id = ?`, [
      paid,
    ]);
    const living = await count('contacts where deleted_at is null');
    const deletedBefore = await count(`contacts where deleted_at < now() - interval '30 days' and merged_into is null`);

    expect(await run({})).toEqual({});
    const planned = await run({ deleted: 30 }, { dryRun: true });
    expect(planned).toMatchObject({ contacts: deletedBefore });
    expect(planned.notes).toBeGreaterThan(0);
    expect(await count(`contacts where deleted_at < now() - interval '30 days' and merged_into is null`)).toBe(
      deletedBefore,
    );

    const done = await run({ deleted: 30 });
    expect(done.contacts).toBe(deletedBefore);
    expect(await count('contacts where deleted_at is null')).toBe(living);
    expect(await count(`contacts where id = ${old}`)).toBe(0);
    expect(await count(`notes where contact_id = ${old}`)).toBe(0);
    expect(await count(`contacts where id in (${young}, ${merged})`)).toBe(2);
    expect(await door.sql('select id from notes where id = any(?) order by id', [ids])).toEqual([{ id: ids[1] }]);
    expect(await count(`transactions where group_id = 1 and id = ${paid}`)).toBe(1);
    const lines = await door.sql(
      `select distinct group_id, user_id, type from audit_log where operation = 'retention' order by 1`,
    );
    expect(lines).toEqual([
      { group_id: 1, user_id: null, type: 'Contact' },
      { group_id: 2, user_id: null, type: 'Contact' },
    ]);
    expect(await run({ deleted: 30 })).toEqual({});
  });

  it('are deleted by one process at a time, batch by batch', async () => {
    await door.sql(
      `update contacts set deleted_at = now() - interval '31 days' where group_id = 1 and id in (select id from contacts where group_id = 1 and deleted_at is null order by id limit 120)`,
    );
    const due = await count(`contacts where deleted_at < now() - interval '30 days' and merged_into is null`);
    const statements = await door.statements(async () => {
      const done = await Promise.all([run({ deleted: 30 }), run({ deleted: 30 })]);
      const sum = done.reduce((total, { contacts = 0 }) => total + contacts, 0);
      expect(sum).toBe(due);
    });
    expect(statements.filter((sql) => sql.includes('delete from contacts')).length).toBeGreaterThanOrEqual(3);
  });
});

it('words of deleted people go with the last of them, so that a run that ends just then leaves none', async () => {
  const query = 'mutation { createContact(input: { lastName: "Onlyone" }) { contact { databaseId } } }';
  const { databaseId } = (await door.graphql(query)).body.data.createContact.contact;
  await door.sql(`update contacts set deleted_at = now() - interval '31 days' where id = ?`, [databaseId]);
  expect(await count(`search_words where group_id = 1 and value ilike 'onlyone'`)).toBe(1);
  let looks = 0;
  const endsAfterFirstBatch = {
    get aborted() {
      return looks++ > 0;
    },
  } as AbortSignal;
  expect(await run({ deleted: 30 }, { signal: endsAfterFirstBatch })).toHaveProperty('contacts');
  expect(await count(`search_words where group_id = 1 and value ilike 'onlyone'`)).toBe(0);
});

describe('copies of imported rows', () => {
  const importNow = async (): Promise<number> => {
    const [{ id: contactId }] = await door.sql(
      'select min(id) as id from contacts where group_id = 1 and deleted_at is null',
    );
    const query = `mutation { importContacts(input: { contacts: [{ id: ${contactId}, lastName: "Imported ${Math.random()}" }] }) { import { id: databaseId } } }`;
    return (await door.graphql(query)).body.data.importContacts.import.id;
  };
  const undo = async (id: number): Promise<Json> =>
    (await door.graphql(`mutation { undoImport(input: { id: ${id} }) { restored } }`)).body;

  it('go after their time, and undoing the import is refused with the reason', async () => {
    const [old, young] = [await importNow(), await importNow()];
    await door.sql(
      `update imports set created_at = now() - interval '91 days', finished_at = now() - interval '91 days' where id = ?`,
      [old],
    );
    expect(await run({ imports: 90 }, { dryRun: true })).toMatchObject({ import_contacts: expect.any(Number) });
    const done = await run({ imports: 90 });
    expect(done.import_contacts).toBeGreaterThan(0);
    expect(await count(`import_contacts where group_id = 1 and import_id = ${old}`)).toBe(0);
    const refused = await undo(old);
    expect(refused.errors[0]).toMatchObject({
      message: expect.stringContaining('RETENTION_IMPORT_DAYS'),
      extensions: { code: 'conflict' },
    });
    expect((await undo(young)).data.undoImport).toEqual({ restored: 1 });
    expect(await run({ imports: 90 })).toEqual({});
  });

  it('go completely, when a killed process has left a part of them', async () => {
    const id = await importNow();
    await door.sql('update imports set purged_at = now() where id = ?', [id]);
    expect(await run({ imports: 90 })).toMatchObject({ import_contacts: 1 });
  });
});

it('lines of the audit log go after their time', async () => {
  await door.sql(
    `insert into audit_log (group_id, operation, type, created_at) select 1 + n % 2, 'old', 'Note', now() - make_interval(days => 729 + n % 4) from generate_series(1, 4000) n`,
  );
  const [{ old }] = await door.sql(
    `select count(*) as old from audit_log where created_at < now() - interval '730 days'`,
  );
  expect(await run({ audit: 730 }, { dryRun: true })).toEqual({ audit_log: old });
  expect(await run({ audit: 730 })).toEqual({ audit_log: old });
  expect(await count(`audit_log where operation = 'old'`)).toBe(4000 - old);
});

it('changes that go before a webhook has had them disable it', async () => {
  const space = door.database.space(1);
  const content = { name: 'Late', url: 'https://example.org/hooks', events: ['contact.updated'] };
  const { row } = await createWebhook(space, content, 1);
  const change = async (firstName: string): Promise<void> => {
    await door.graphql(`mutation { updateContact(input: { id: 1, firstName: "${firstName}" }) { contact { id } } }`);
    await assignPositions(space);
  };
  await change('Lost');
  await door.sql(`update changes set created_at = now() - interval '31 days'`);
  expect(await run({ changes: 30 })).toEqual({ changes: 1 });
  await change('Kept');
  await makeDeliveries(space);
  expect(await door.sql('select disabled_reason from webhooks where id = ?', [row.id])).toEqual([
    { disabled_reason: 'its next changes are no longer kept' },
  ]);
  expect(await count('webhook_deliveries')).toBe(0);
});

it('the sweep of the server runs it, and tells what went', async () => {
  await door.sql(
    `insert into audit_log (group_id, operation, type, created_at) values (1, 'old', 'Note', now() - interval '3 years')`,
  );
  const told: Json[] = [];
  const sweeping = sweepExpiredRows(door.database, {
    shape: { capacity: 100, refill: 10 },
    retention: { ...never, audit: 730 },
    onRetention: (deleted) => told.push(deleted),
    every: 5,
    onFailure: (error) => told.push(error),
  });
  await waitUntil('the sweep tells of retention', () => told.length > 0);
  await sweeping.stop();
  expect(told).toEqual([{ audit_log: 1 }]);
});

it('a run that fails tells what it has deleted, in the log of the server and to the operator', async () => {
  const prepare = () =>
    door.sql(
      `insert into audit_log (group_id, operation, type, created_at) values (1, 'old', 'Note', now() - interval '3 years')`,
    );
  await door.sql('alter function delete_old_changes rename to away');
  await prepare();
  const told: Json[] = [];
  const sweeping = sweepExpiredRows(door.database, {
    shape: { capacity: 100, refill: 10 },
    retention: { ...never, audit: 730, changes: 30 },
    onRetention: (deleted) => told.push(deleted),
    every: 5,
    onFailure: (error) => told.push(error),
  });
  await waitUntil('the sweep fails', () => told.length > 1);
  await sweeping.stop();
  expect(told).toEqual([{ audit_log: 1 }, expect.objectContaining({ code: '42883' })]);
  await prepare();
  expect(await runHere(door.databaseUrl, ['retention', 'run'])).toMatchObject({
    code: 1,
    out: 'deleted rows, by table:\n  audit_log: 1\n',
  });
});
