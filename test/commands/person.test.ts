// `muster person`, `muster audit` and `muster retention` as an operator meets them.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createDatabase, type Door, type Json, openApp } from '../harness/app.ts';
import { runStatement } from '../harness/databases.ts';
import { createFolder } from '../harness/folders.ts';
import { runHere } from '../harness/run-here.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';

vi.setConfig({ testTimeout: 120_000 });

let door: Door;
let contact: number;
const folder = createFolder();
const muster = (line: string) => runHere(door.databaseUrl, line.split(' '));

beforeAll(async () => {
  door = await openApp();
  const query =
    'mutation { createContact(input: { lastName: "Erasable", notes: [{ content: "a note" }] }) { contact { databaseId } } }';
  contact = (await door.graphql(query, {}, undefined, { 'X-Request-Id': 'made-here' })).body.data.createContact.contact
    .databaseId;
});

describe('a person', () => {
  it('is exported to a file that its owner alone can read', async () => {
    const file = join(folder, 'person.json');
    expect(await muster(`person export --space 1 ${contact} ${file}`)).toEqual({ code: 0, out: '', err: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { tables } = JSON.parse(readFileSync(file, 'utf8'));
    expect(tables.contacts).toMatchObject([{ id: contact, surname: 'Erasable' }]);
    expect(tables.notes).toMatchObject([{ content: 'a note' }]);
  });

  it('is not erased where nobody can be asked, and is with --yes', async () => {
    const asked = await muster(`person erase --space 1 ${contact}`);
    expect(asked.code).toBe(1);
    expect(asked.err).toMatch(/contacts: 1\n[\s\S]*add --yes/);
    expect(await door.sql('select id from contacts where id = ?', [contact])).toHaveLength(1);
    const done = await muster(`person erase --space 1 --user 1 --yes ${contact}`);
    expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/^contact \d+ erased:\n[\s\S]*notes: 1\n/) });
    expect(await door.sql('select id from contacts where id = ?', [contact])).toEqual([]);
  });

  it('of a deleted space is exported and erased, too', async () => {
    await door.sql('update spaces set deleted_at = now() where id = 2');
    const [{ id }] = await door.sql(`insert into contacts (group_id, surname) values (2, 'Left') returning id`);
    expect((await muster(`person export --space 2 ${id}`)).out).toContain('"surname": "Left"');
    expect(await muster(`person erase --space 2 --yes ${id}`)).toMatchObject({ code: 0 });
    expect(await door.sql('select id from contacts where group_id = 2 and id = ?', [id])).toEqual([]);
    await door.sql('update spaces set deleted_at = null where id = 2');
  });

  it('has lines in the audit log, which is printed as text and as JSON', async () => {
    const { out } = await muster(`audit --space 1 --since 1d --type Contact --record ${contact} --json`);
    const lines = out
      .trim()
      .split('\n')
      .map((line): Json => JSON.parse(line));
    expect(lines).toMatchObject([
      { operation: 'erasePerson', user_id: 1, token_id: null, counts: { contacts: 1, notes: 1 } },
      { operation: 'createContact', user_id: 1, request_id: 'made-here', fields: ['lastName', 'notes.content'] },
    ]);
    const text = await muster(`audit --space 1 --operation createContact --limit 1`);
    expect(text).toMatchObject({ code: 0, err: '' });
    expect(text.out).toMatch(
      new RegExp(`user 1  token \\d+  createContact  Contact:${contact}  lastName,notes\\.content`),
    );
    expect(await muster('audit --space 1 --since yesterday')).toMatchObject({
      code: 2,
      err: expect.stringContaining('7d'),
    });
  });
});

it('a person is found in a schema of another name, and doctor checks it', async () => {
  const url = await createDatabase();
  const run = (line: string) => runHere(url, line.split(' '));
  const erase = 'person erase --space 1 --dry-run 1';
  const before = await run(erase);
  expect(before.err).toMatch(/contact_search: 1\n[\s\S]*addresses: 1\n/);
  const own = '"Own-Place"';
  await runStatement(
    url,
    `alter schema public rename to ${own}; alter database ${new URL(url).pathname.slice(1)} set search_path = ${own}`,
  );
  expect(await run(erase)).toEqual(before);
  expect((await run('doctor')).out).not.toContain('could not be checked');
});

it('retention is run once, and dry before', async () => {
  await door.sql(
    `insert into audit_log (group_id, operation, type, created_at) values (1, 'old', 'Note', now() - interval '3 years')`,
  );
  const dry = await muster('retention run --dry-run');
  expect(dry).toMatchObject({ code: 0, out: expect.stringMatching(/^dry run[\s\S]*audit_log: 1\n/) });
  expect(await muster('retention run')).toMatchObject({ code: 0, out: 'deleted rows, by table:\n  audit_log: 1\n' });
});

it('retention that finds another process at work says so, and not that nothing was to be deleted', async () => {
  await door.sql(
    `insert into audit_log (group_id, operation, type, created_at) values (1, 'older', 'Note', now() - interval '3 years')`,
  );
  const other = new pg.Client(door.databaseUrl);
  await other.connect();
  try {
    await other.query('select pg_advisory_lock(7063842113)');
    expect(await muster('retention run')).toEqual({
      code: 1,
      out: '',
      err: 'muster: another process deletes at this moment, so this run has ended early; run it again\n',
    });
  } finally {
    await other.end();
  }
  expect(await muster('retention run')).toMatchObject({ code: 0, out: 'deleted rows, by table:\n  audit_log: 1\n' });
});

it('retention that a signal stops is not done: the exit code says so, as with other commands', async () => {
  const [other, watch] = [await openSession(door.databaseUrl), await openSession(door.databaseUrl)];
  await other.query('begin; lock table audit_log in access exclusive mode');
  const run = muster('retention run');
  await waitUntil('it is in the middle', async () => (await countWaiting(watch)) > 0);
  process.emit('SIGHUP', 'SIGHUP');
  await other.query('rollback');
  expect(await run).toEqual({
    code: 129,
    out: '',
    err: 'muster: finished batches are kept\nmuster: Stopped by SIGHUP\n',
  });
});
