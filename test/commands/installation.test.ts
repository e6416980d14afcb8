// The life of an installation, from an empty PostgreSQL: setup, invitation, three roles, backup, loss, restore, and a person who is erased.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { createApp } from '../../src/server/app.ts';
import { createDatabase, type Json } from '../harness/app.ts';
import { cleanUpAfterFile } from '../harness/cleanup.ts';
import { buildProgram } from '../harness/program.ts';
import { runHere } from '../harness/run-here.ts';

vi.setConfig({ testTimeout: 180_000 });

const databases: Database[] = [];
cleanUpAfterFile(() => Promise.all(databases.splice(0).map((database) => database.close())));

/** Both doors of a server on a database. */
const serve = (url: string) => {
  const database = new Database(url);
  databases.push(database);
  const config = { BUCKET_CAPACITY: 100_000, BUCKET_REFILL: 1000, GRAPHIQL: false };
  const app = createApp({ database, config, log: pino({ level: 'silent' }) });
  const send = async (token: string | null, method: string, path: string, body?: Json) => {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    const response = await app.fetch(
      new Request(`http://muster.test${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }),
    );
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  return {
    rest: send,
    graph: async (token: string, query: string, variables: Json = {}) =>
      (await send(token, 'POST', '/graphql', { query, variables })).body,
  };
};

/** All rows of all tables as text, as a dump has them. */
const dump = async (url: string): Promise<string> => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query(
      `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
    );
    let text = '';
    for (const { name } of rows) {
      const stream: Readable = client.query(copyTo(`copy (select * from ${name}) to stdout`));
      await pipeline(stream, async (pieces) => {
        for await (const piece of pieces) text += piece;
      });
    }
    return text;
  } finally {
    await client.end();
  }
};

it('goes from an empty database to a person who is gone', async () => {
  const { place } = buildProgram();
  const url = await createDatabase('empty');
  const muster = async (to: string, ...args: string[]): Promise<string> => {
    const { code, out, err } = await runHere(to, args);
    expect([code, args.join(' '), code === 0 || err]).toEqual([0, args.join(' '), true]);
    return out.trim();
  };

  // Setup, and a colleague of each role by the secret of an invitation.
  const ana = ['--mail', 'ana@example.org', '--first-name', 'Ana', '--last-name', 'Costa'];
  const superadmin = await muster(url, 'setup', '--name', 'Les Voisins', ...ana, '--quiet');
  const server = serve(url);
  const tokens: Record<string, string> = {};
  for (const role of ['admin', 'manager', 'user']) {
    const secret = await muster(
      url,
      'member',
      'invite',
      '--space',
      '1',
      '--mail',
      `${role}@example.org`,
      '--role',
      role,
    );
    const joined = await server.rest(null, 'POST', '/join', { secret, firstName: 'Some', lastName: role });
    expect(joined.status).toBe(201);
    tokens[role] = joined.body.data.token;
    expect((await server.rest(null, 'POST', '/join', { secret, firstName: 'X', lastName: 'Y' })).status).toBe(404);
  }

  // Three roles try twenty things.
  const create =
    'mutation ($input: ContactCreateInput!) { createContact(input: $input) { contact { id databaseId } } }';
  const created = (
    await server.graph(tokens.manager!, create, {
      input: { lastName: 'Canarybird', email: 'canary@example.org', notes: [{ content: 'canary note' }] },
    })
  ).data.createContact.contact;
  const other = (await server.graph(tokens.manager!, create, { input: { lastName: 'Other' } })).data.createContact
    .contact;
  const { id, databaseId } = other;
  const attempts: [operation: string, least: 'user' | 'manager' | 'admin' | 'superadmin'][] = [
    [`query { contact(id: "${id}") { lastName } }`, 'user'],
    ['query { searchContacts(query: { lastName: { startsWith: "o" } }) { totalCount } }', 'user'],
    ['query { users { totalCount } }', 'user'],
    ['query { teams { totalCount } }', 'user'],
    [
      `mutation { createNote(input: { contactId: "${id}", content: "Called", pinned: false }) { note { id } } }`,
      'user',
    ],
    [`mutation { createInteraction(input: { contactId: "${id}", type: "call" }) { interaction { id } } }`, 'user'],
    ['query { tokens { id } }', 'user'],
    [`mutation { updateContact(input: { id: "${id}", firstName: "Otto" }) { contact { id } } }`, 'manager'],
    [`mutation { tagContacts(input: { contactIds: ["${id}"], tags: ["Met"] }) { contacts { id } } }`, 'manager'],
    ['mutation { createTag(input: { name: "New" }) { tag { id } } }', 'manager'],
    ['mutation { createTeam(input: { name: "North" }) { team { id } } }', 'manager'],
    [
      `mutation { createDonation(input: { contactId: "${id}", amount: 500, transactionDate: "2026-01-01T00:00:00Z" }) { donation { id } } }`,
      'manager',
    ],
    ['query { campaigns { totalCount } }', 'manager'],
    ['query { invitations { totalCount } }', 'manager'],
    [
      'mutation { inviteUsers(input: { invitations: [{ email: "new@example.org" }] }) { invitations { id } } }',
      'admin',
    ],
    [
      'mutation { createForm(input: { kind: CONSENT, label: "News", type: RADIO, options: [{ label: "Yes" }] }) { form { id } } }',
      'admin',
    ],
    ['mutation { importContacts(input: { contacts: [{ lastName: "Imported" }] }) { results { outcome } } }', 'admin'],
    ['query { auditLog { totalCount } }', 'admin'],
    [
      'mutation { createRole(input: { name: "Treasury", type: CUSTOM, permissions: ["contacts.read", "money.read"] }) { role { id } } }',
      'admin',
    ],
    [`query { personExport(contactId: "${id}") }`, 'superadmin'],
  ];
  const order = ['user', 'manager', 'admin'];
  for (const [query, least] of attempts) {
    for (const role of order) {
      const { errors } = await server.graph(tokens[role]!, query);
      const may = least !== 'superadmin' && order.indexOf(role) >= order.indexOf(least);
      const found = errors?.[0].extensions.code ?? 'done';
      // What an earlier role has created is there already.
      expect([role, query, found === 'conflict' ? 'done' : found]).toEqual([role, query, may ? 'done' : 'forbidden']);
    }
  }
  expect(
    (await server.rest(tokens.manager!, 'PATCH', `/contacts/${databaseId}`, { data: { contact: { city: 'Albi' } } }))
      .status,
  ).not.toBe(403);
  expect((await server.rest(tokens.user!, 'DELETE', `/contacts/${databaseId}`)).status).toBe(403);

  // A backup; the database is lost; the restored one answers the same.
  const file = join(place, 'muster.backup');
  await muster(url, 'backup', file);
  expect(existsSync(file)).toBe(true);
  const question =
    '{ contacts(orderBy: { field: ID, direction: ASC }) { totalCount nodes { id lastName notes { nodes { content } } } } users { totalCount } auditLog { totalCount } }';
  const before = (await server.graph(superadmin, question)).data;
  const restored = await createDatabase('empty');
  await muster(restored, 'restore', file);
  await muster(restored, 'search', 'verify');
  await muster(url, 'restore', '--verify', file);
  const again = serve(restored);
  expect((await again.graph(superadmin, question)).data).toEqual(before);

  // A person is exported and erased; nothing of them is left in the database.
  const exported = join(place, 'person.json');
  await muster(restored, 'person', 'export', '--space', '1', String(created.databaseId), exported);
  expect(readFileSync(exported, 'utf8')).toContain('canary note');
  expect(await dump(restored)).toMatch(/canary/i);
  await muster(restored, 'person', 'erase', '--space', '1', '--user', '1', '--yes', String(created.databaseId));
  expect(await dump(restored)).not.toMatch(/canary/i);
  const receipt = '{ auditLog(last: 1) { nodes { operation recordId } } }';
  expect((await again.graph(superadmin, receipt)).data.auditLog.nodes).toEqual([
    { operation: 'erasePerson', recordId: created.id },
  ]);
  expect((await again.graph(superadmin, `{ contact(id: "${created.id}") { id } }`)).data.contact).toBe(null);
});
