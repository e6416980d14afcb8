// A role, a database or a server with settings of its own: answers, files and stored rows are those of a database without any.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { insertFullContact } from '../contract/full-contact.ts';
import { connectClient, digestTables } from '../database/backups.ts';
import { type Answer, createDatabase, type Door, type Json, openApp } from '../harness/app.ts';
import { runStatement } from '../harness/databases.ts';
import { createFolder } from '../harness/folders.ts';
import { runHere } from '../harness/run-here.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Each is a setting that somebody has, or that a text of ours may depend on. */
const hostile: Record<string, string> = {
  timezone: `'Asia/Kathmandu'`,
  datestyle: `'SQL, DMY'`,
  intervalstyle: `'iso_8601'`,
  extra_float_digits: '-15',
  bytea_output: 'escape',
  array_nulls: 'off',
  standard_conforming_strings: 'off',
  escape_string_warning: 'off',
  backslash_quote: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  gin_fuzzy_search_limit: '1',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  synchronous_commit: 'off',
  exit_on_error: 'on',
  search_path: 'elsewhere, public',
  client_encoding: 'LATIN1',
  xmloption: 'document',
  row_security: 'off',
  check_function_bodies: 'off',
  default_text_search_config: `'pg_catalog.simple'`,
  client_min_messages: 'error',
  statement_timeout: `'300ms'`,
  lock_timeout: `'100ms'`,
  idle_in_transaction_session_timeout: `'100ms'`,
  idle_session_timeout: `'100ms'`,
  plan_cache_mode: 'force_custom_plan',
  enable_indexscan: 'off',
  enable_bitmapscan: 'off',
  enable_nestloop: 'off',
  work_mem: `'64kB'`,
  from_collapse_limit: '1',
};

const makeHostile = async (url: string): Promise<string> => {
  const name = new URL(url).pathname.slice(1);
  const settings = Object.entries(hostile).map(
    ([setting, value]) => `alter database ${name} set ${setting} = ${value}`,
  );
  await runStatement(url, settings.join('; '));
  return url;
};

/** A hostile copy of the template, beside tables of another program that have names of ours. */
const createSpoilt = async (): Promise<string> => {
  const url = await createDatabase();
  await runStatement(
    url,
    'create schema elsewhere; create table elsewhere.contacts (id bigint, surname text); create table elsewhere.tokens ()',
  );
  return makeHostile(url);
};

const openOn = (databaseUrl: string): Promise<Door> => {
  const database = new Database(databaseUrl);
  onTestFinished(() => database.close());
  return openApp({}, undefined, { database, databaseUrl } as Door);
};

/** What comes from the clock or from chance. */
const hideInstants = (text: string): string =>
  text
    .replaceAll(/20(?:2[6-9]|[3-9]\d)-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00)/g, '<now>')
    .replaceAll(/"requestId":"[^"]*"/g, '');

const contactFields = `databaseId firstName lastName birthDate createdAt lastChangedAt version email phone gender
  address { street city postalCode country latitude longitude } tags { name }
  notes { nodes { content createdAt } } donations { nodes { amount { amount currency } transactionDate } }`;

/** Reads, writes, searches and exports by both doors. Resolves to what they answered. */
const travel = async (door: Door): Promise<string[]> => {
  const said: string[] = [];
  const keep = async (answer: Promise<Answer>): Promise<Json> => {
    const { status, text, body } = await answer;
    said.push(hideInstants(`${status} ${text}`));
    return body;
  };
  const rest = (method: string, path: string, body?: unknown) => keep(door.rest(method, path, body));
  const graphql = (query: string, variables?: Json) => keep(door.graphql(query, variables));
  const find = (attr: string, ope: string, value: unknown) => ({
    data: { advanced_search: { query: { $all: [{ $all: [{ $condition: { attr, ope, value } }] }] }, per_page: 20 } },
  });

  const made = await rest('POST', '/contacts', {
    data: {
      contact: {
        surname: "O'Ney\\ll ж",
        firstname: null,
        birthdate: '1980-02-03T00:00:00Z',
        mail: 'oney@example.org',
        phone: '0612345678',
        address: { street: 'Rue', city: 'Lyon', latitude: '45.123456', longitude: '4.654321' },
        tags: [{ name: 'Hostile' }],
      },
    },
  });
  const id = made.data?.contact?.id;
  expect(id).toBeGreaterThan(0);
  await rest('GET', `/contacts/${id}`);
  await rest('PATCH', `/contacts/${id}`, { data: { contact: { id, firstname: 'Pat' } } });
  await rest('POST', `/v1/contacts/${id}/notes`, { content: 'back\\slash', pinned: true });
  for (let number = 0; number < 3; number++)
    await graphql(
      `mutation { upsertContact(input: { lastName: "Twice", email: "twice@example.org", address: { latitude: 45.123456, longitude: -0.5 } }) { contact { ${contactFields} } } }`,
    );
  await graphql(
    `mutation ($contacts: [ContactUpsertInput!]!) { importContacts(input: { name: "list", contacts: $contacts }) { results { outcome contact { ${contactFields} } problem { code } } } }`,
    {
      contacts: [1, 2, 3].map((n) => ({ lastName: `Row ${n}`, birthDate: '1999-12-31', tags: [{ name: 'Hostile' }] })),
    },
  );
  await graphql(`{ contact(id: "Contact:${id}") { ${contactFields} } }`);
  for (const body of [
    find('surname', 'eql', 'twice'),
    find('tags.name', 'any_of', ['Hostile']),
    find('gender', 'eql', 'F'),
    find('birthdate', 'gte', '1980-01-01'),
  ]) {
    await rest('POST', '/search', body);
    await rest('POST', '/kpi', body);
    await rest('POST', '/export', body);
  }
  await graphql(
    `{ searchContacts(first: 50, query: { gender: { equals: F } }) { totalCount nodes { ${contactFields} } } }`,
  );
  await graphql(`{ contacts(first: 30) { totalCount nodes { ${contactFields} } } }`);
  await graphql(
    '{ donations(first: 30) { totalCount nodes { amount { amount currency } transactionDate createdAt updatedAt } } }',
  );
  await graphql('{ changes(first: 40) { nodes { type operation at } } }');
  for (const path of ['/teams', '/users', '/forms/custom_fields', '/v1/donation_prices', '/roles'])
    await rest('GET', path);
  return said;
};

it('both doors answer the same, and keep the same', async () => {
  const doors = await Promise.all([createDatabase(), createSpoilt()].map(async (url) => openOn(await url)));
  const said: string[][] = [];
  for (const door of doors)
    said.push([`200 ${JSON.stringify(await insertFullContact(door))}`, ...(await travel(door))]);
  const [usual, spoilt] = said as [string[], string[]];
  for (const [place, text] of usual.entries()) expect(hideInstants(spoilt[place]!)).toBe(hideInstants(text));
  expect(usual.filter((text) => /^(?!20[0-4] )|"errors"/.test(text)).map((t) => t.slice(0, 600))).toEqual([]);
  // The tour is none when everything is refused.
  expect(usual.filter((text) => text.startsWith('200')).length).toBeGreaterThan(20);
});

it('parallel upserts do not fail each other', async () => {
  const door = await openOn(await createSpoilt());
  const statuses = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      door.rest('POST', '/contacts/upsert', {
        data: { contact: { surname: `Par ${n % 3}`, mail: `par${n % 3}@example.org` } },
      }),
    ),
  );
  expect(statuses.map(({ status }) => status)).toEqual(statuses.map(() => 202));
});

it('commands write the same files, and backups have the same rows', async () => {
  const [usual, spoilt] = [await createDatabase(), await createSpoilt()];
  const folder = createFolder();
  const csv = join(folder, 'people.csv');
  writeFileSync(csv, 'Nom;Né le\nMüller;01/02/1990\nÉlan;31/12/1985\n');
  const run = async (url: string, ...args: string[]): Promise<string> => {
    const { code, out, err } = await runHere(url, args);
    expect([args, code, err]).toEqual([args, 0, expect.any(String)]);
    return out;
  };
  const files = [];
  for (const url of [usual, spoilt]) {
    const map = ['--map', 'Nom=surname, Né le=birthdate', '--days', 'dmy'];
    await run(url, 'import', 'contacts', csv, '--space', '1', ...map);
    files.push(
      hideInstants(await run(url, 'export', '--space', '1')) +
        hideInstants(await run(url, 'export', '--space', '1', '--format', 'csv')),
    );
    expect(await run(url, 'search', 'verify')).not.toMatch(/stale|missing|left over/);
  }
  expect(files[1]).toBe(files[0]);

  const file = join(folder, 'all.backup');
  await run(spoilt, 'backup', file);
  expect(await run(spoilt, 'restore', '--verify', file)).toContain('good: ');
  const target = await makeHostile(await createDatabase('empty'));
  await run(target, 'restore', file);
  const tables = ['contacts', 'addresses', 'answers', 'emails', 'notes', 'donations', 'tokens'];
  const digests = await Promise.all(
    [spoilt, target].map(async (url) => {
      const client = await connectClient(url);
      await client.query(
        'set search_path = public; set extra_float_digits = 1; set statement_timeout = 0; set idle_session_timeout = 0',
      );
      return digestTables(client, tables);
    }),
  );
  expect(digests[1]).toEqual(digests[0]);
  expect(readFileSync(file).length).toBeGreaterThan(1000);
});
