// All data of a person is found by the foreign keys of the catalog, exported, and erased from every table.
import { beforeAll, describe, expect, it } from 'vitest';
import { findPersonTables, looseTables, readPersonTables } from '../../src/data/upkeep/person-tables.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { fields, prepareIds, rootFields } from '../requests/index.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

/** Tables with texts of a person that cannot be told from those of others: erasing deals with the whole of them in the space. */
const sharedTables: Readonly<Record<string, string>> = {
  idempotency_keys:
    'answers to writes of the last day: all of the space are erased, and none of a request under way is stored; digests of their keys and requests stay, so that no write is done twice',
  search_traversals:
    'positions in searches, which contain names: all of the space are deleted; they live for ten minutes',
  import_files:
    'files that are to be imported: all of the space are deleted, and an import of one that is under way ends; they live for a day',
  import_file_chunks: 'the content of these files, which goes with them',
  import_rejects: 'rows of these files, which go with them',
  search_words: 'words of names and cities: those that no contact has any more are deleted',
  change_queue: 'values of what changed are emptied; ids stay, so that readers of the feed learn of the deletion',
  changes: 'the same',
  webhook_deliveries: 'answers of receivers are emptied; ids stay, and bodies are made from the change',
  audit_log: 'ids without values: its lines stay, and one is added for the erasure',
};

/** Tables without data of contacts, and why. */
const otherTables: Readonly<Record<string, string>> = {
  spaces: 'names of organisations',
  users: 'accounts, which are not contacts: an account that is linked to a contact stays',
  roles: 'settings',
  members: 'accounts',
  tokens: 'accounts',
  apps: 'programs',
  app_buckets: 'counters of programs',
  spending: 'counters of accounts and programs',
  rate_buckets: 'counters of spaces',
  teams: 'teams of accounts',
  team_users: 'accounts',
  team_addresses: 'addresses of teams',
  invitations: 'mail addresses of people who are invited to be users',
  invitation_teams: 'teams of invitations',
  tags: 'settings; contact_tags has those of a contact',
  actions: 'settings; contact_actions has those of a contact',
  forms: 'questions',
  segments: 'searches with a name: a query may contain a name that somebody searched for',
  segment_uses: 'settings',
  segment_evaluations: 'places in the change feed',
  form_refs: 'possible answers',
  membership_price_groups: 'settings',
  membership_prices: 'settings',
  donation_prices: 'settings',
  transaction_statuses: 'settings',
  templates: 'settings',
  campaigns: 'mailings as a whole; emails has those of a contact',
  imports: 'names and digests of files',
  import_batches: 'counts of rows; ids of contacts that a change refused',
  bulk_changes: 'what is changed of many contacts alike, until that is done',
  bulk_change_batches: 'ids alone, of contacts that are still to be changed',
  import_undos: 'counts of rows',
  change_feeds: 'positions of the change feed',
  webhooks: 'settings',
  opt_outs:
    'digests of mails and phones of people who opted out and were deleted: they keep the opt-out until an admin erases it by the mail or the phone, and only a guess of these can be checked against them',
  webhook_secrets: 'secrets of invitations to be users',
  moved_records: 'ids alone: they keep a person who was erased here from being moved in again',
  job_leases: 'ids of spaces and of settings',
  schema_migrations: 'of the installation',
};

const word = 'Zqcanary';
const canary = /zqcanary/i;
/** The person, a contact that was merged into them, and somebody else. */
let person: number;
let merged: number;
let other: number;

const listTables = async (): Promise<string[]> =>
  (
    await door.sql(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
    )
  ).map(({ relname }) => relname);

/** Every row of every table as text, as COPY would write it. */
const dump = async (): Promise<Record<string, string[]>> => {
  const rows: Record<string, string[]> = {};
  for (const table of await listTables())
    rows[table] = (await door.sql(`select t::text as row from ${table} t order by 1`)).map(({ row }) => row);
  return rows;
};

const mutate = async (name: string, input: Json, selection: string, headers = {}): Promise<Json> => {
  const { args } = rootFields.find(({ field }) => field.name === name)!.field;
  const query = `mutation ($input: ${args[0]!.type}) { ${name}(input: $input) { ${selection} } }`;
  const { body } = await door.graphql(query, { input }, undefined, headers);
  expect([name, body.errors]).toEqual([name, undefined]);
  return body.data[name];
};

const createContact = async (lastName: string): Promise<number> =>
  (
    await mutate(
      'createContact',
      {
        firstName: `${lastName} first`,
        lastName,
        email: `${lastName.replace(' ', '-')}@example.org`,
        address: { city: `${lastName} city` },
      },
      'contact { databaseId }',
    )
  ).contact.databaseId;

/** Adds rows to every table that holds data of people, by the writes that there are. */
const writeRecords = async (contactId: number, text: string): Promise<void> => {
  const ids = await prepareIds(door, 1);
  for (const name of ['Note', 'Interaction', 'Transaction', 'Donation', 'Membership', 'Sanction']) {
    const { input } = fields[`create${name}`]!(ids);
    await mutate(`create${name}`, { ...input, contactId }, `__typename`);
  }
  await mutate('recordEmails', { emails: [{ contactId, type: text }] }, 'emails { databaseId }');
  const update = { id: contactId, answers: fields.createContact!(ids).input.answers, actionIds: [ids.actions] };
  await mutate('updateContact', update, '__typename');
  await mutate('tagContacts', { contactIds: [contactId], tags: ['a shared tag'] }, '__typename');
  await mutate(
    'importContacts',
    { contacts: [{ id: contactId, lastName: `${text} imported` }] },
    'import { databaseId }',
  );
  const [{ id: importId }] = await door.sql('select max(id) as id from imports where group_id = 1');
  await door.sql(`insert into import_keys values (1, ?, ?, ?)`, [importId, text, contactId]);
  await door.sql(
    `insert into import_records (group_id, import_id, record_id, contact_id, mark) select 1, ?, max(id), contact_id, 7 from notes where contact_id = ? group by contact_id`,
    [importId, contactId],
  );
  await door.sql('insert into segment_members values (1, ?, ?)', [ids.segments, contactId]);
};

/** Puts the canary into every text of the rows that belong to the person. */
const plantCanaries = async (): Promise<void> => {
  const { owned } = await readPersonTables(door.database.space(1));
  const columns = await door.sql(
    `select table_name, column_name from information_schema.columns where table_schema = 'public' and data_type = 'text' and is_generated = 'NEVER'`,
  );
  for (const { table, condition } of owned) {
    const where = condition.replaceAll(':contacts', `'{${person},${merged}}'`).replaceAll(':group', '1');
    for (const { column_name } of columns.filter(({ table_name }) => table_name === table)) {
      // Columns with a closed list of values refuse it, and need none. A text that must be unique differs.
      const value = column_name === 'external_id' ? `'${word}' || t.id` : `'${word} ' || '${column_name}'`;
      await door
        .sql(`update ${table} t set ${column_name} = ${value} where group_id = 1 and ${where}`)
        .catch((error) => {
          if (error.code !== '23514') throw error;
        });
    }
  }
  await door.sql('select refresh_search(1, array[?::bigint])', [person]);
};

const eraseQuery = `mutation ($id: ID!) { erasePerson(input: { contactId: $id }) { deletedId counts { name count } } }`;

describe('every table', () => {
  it('is known to hold data of people, or not to', async () => {
    const { owned } = await readPersonTables(door.database.space(1));
    const known = [
      ...owned.map(({ table }) => table),
      ...looseTables.map(({ table }) => table),
      ...Object.keys(sharedTables),
      ...Object.keys(otherTables),
    ];
    expect(known.sort()).toEqual(await listTables());
  });

  it('that refers to contacts, directly or through others, is found by its keys', () => {
    const key = (from: string, to: string, options: object = {}) => ({
      from,
      to,
      columns: ['group_id', `${to}_id`],
      targets: ['group_id', 'id'],
      cascades: false,
      nullable: [],
      ...options,
    });
    const { owned, references } = findPersonTables([
      key('letters', 'contacts'),
      key('pages', 'letters', { cascades: true }),
      key('words', 'pages', { nullable: ['pages_id'] }),
      key('contacts', 'contacts', { nullable: ['contacts_id'] }),
      key('letters', 'stamps'),
      key('parcels', 'contacts', { cascades: true }),
      key('parcels', 'letters', { nullable: ['letters_id'] }),
    ]);
    expect(owned.map(({ table }) => table)).toEqual(['words', 'pages', 'parcels', 'letters', 'contacts']);
    expect(owned[0]!.condition).toBe(
      '((t.group_id, t.pages_id) in (select t.group_id, t.id from pages t where t.group_id = :group and ((t.group_id, t.letters_id) in (select t.group_id, t.id from letters t where t.group_id = :group and (t.contacts_id = any(cast(:contacts as bigint[])))))))',
    );
    expect(references).toMatchObject([{ table: 'parcels', columns: ['letters_id'] }]);
  });
});

describe('a person with rows in every table', () => {
  let before: Record<string, string[]>;

  beforeAll(async () => {
    // As while a webhook asks for values.
    await door.sql('insert into change_feeds (group_id, keeps_values) values (1, true)');
    other = await createContact('Stranger');
    await writeRecords(other, 'Stranger');
    const third = await createContact('Third');
    before = await dump();
    person = await createContact(`${word} before`);
    merged = await createContact(`${word} merged`);
    await writeRecords(merged, word);
    await mutate('mergeContacts', { survivorId: person, ids: [merged] }, '__typename');
    await writeRecords(person, word);
    await mutate('updateContact', { id: person, accountId: 2 }, '__typename');
    await mutate('keepContactsApart', { contactIds: [third, person] }, 'count');
    await plantCanaries();
    // Half of the changes are in the feed, the others still in the outbox.
    await door.sql('select number_changes(1)');
    const keyed = { 'Idempotency-Key': 'person' };
    await mutate('updateContact', { id: person, lastName: `${word} last` }, 'contact { id lastName }', keyed);
    const sorted = { data: { advanced_search: { per_page: 2, sort: 'surname' } } };
    await door.rest('POST', '/search', sorted);
    const [{ id: webhook }] = await door.sql(
      `insert into webhooks (group_id, name, url, events, secret, user_id, position)
       values (1, 'Told', 'https://example.org/', '{}', 'x', 1, 0) returning id`,
    );
    for (const [id, response] of [
      [person, `${word} told`],
      [person, null],
      [other, 'Stranger'],
    ])
      await door.sql(
        `insert into webhook_deliveries (group_id, webhook_id, event, contact_id, state, response)
         values (1, ?, 'contact.updated', ?, 'given_up', ?)`,
        [webhook, id, response],
      );
  });

  it('is exported, with those who were merged into them, and without anybody else', async () => {
    const { body } = await door.graphql(`{ personExport(contactId: ${person}) }`);
    const { tables } = JSON.parse(body.data.personExport);
    const { owned } = await readPersonTables(door.database.space(1));
    // The merged contact has given away all that refers to it but its own copies.
    const expected = [...owned, ...looseTables].map(({ table }) => table);
    expect(Object.keys(tables).sort()).toEqual(
      [...expected, 'audit_log', 'change_queue', 'changes', 'idempotency_keys', 'webhook_deliveries'].sort(),
    );
    expect(tables.webhook_deliveries.map(({ response }: Json) => response)).toEqual([`${word} told`]);
    expect(tables.contacts.map(({ id }: Json) => id)).toEqual([person, merged]);
    for (const [table, rows] of Object.entries<Json[]>(tables))
      expect([
        table,
        rows.filter(
          (row) => 'contact_id' in row && ![row.contact_id, row.other_id].some((id) => [person, merged].includes(id)),
        ),
      ]).toEqual([table, []]);
    expect(body.data.personExport).not.toContain('Stranger');
    expect(tables.import_contacts.some(({ before: content }: Json) => canary.test(JSON.stringify(content)))).toBe(true);
    expect(tables.audit_log.map(({ type }: Json) => type)).toEqual(
      expect.arrayContaining(['Contact', 'Note', 'Donation']),
    );
  });

  it('is erased by superadmins of the space alone, by the id of the survivor', async () => {
    const codeOf = ({ body }: Json) => body.errors?.[0].extensions.code;
    const [{ id: admin }] = await door.sql(
      `select m.user_id as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = 'admin' limit 1`,
    );
    expect(codeOf(await door.graphql(eraseQuery, { id: person }, await door.token(1, admin)))).toBe('forbidden');
    const [{ id: stranger }] = await door.sql(
      `select m.user_id as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 2 and r.type = 'superadmin' limit 1`,
    );
    expect(codeOf(await door.graphql(eraseQuery, { id: person }, await door.token(2, stranger)))).toBe('not-found');
    expect(codeOf(await door.graphql(eraseQuery, { id: merged }))).toBe('conflict');
    expect(codeOf(await door.graphql(`{ personExport(contactId: ${merged}) }`))).toBe('conflict');
    const { owned } = await readPersonTables(door.database.space(1));
    for (const { table } of owned)
      expect([
        table,
        (await door.sql(`select count(*) as count from ${table} t where t::text ~* 'zqcanary'`))[0].count > 0 ||
          !/notes|contacts$/.test(table),
      ]).toEqual([table, true]);
  });

  it('is erased from every table, while everybody else stays as they were', async () => {
    const full = await dump();
    expect(canary.test(JSON.stringify(full))).toBe(true);
    const [{ id: paid }] = await door.sql(
      'select max(id) as id from transactions where group_id = 1 and contact_id = ?',
      [person],
    );
    const gift = await door.sql(
      `insert into donations (group_id, contact_id, transaction_id, amount, transaction_date) values (1, ?, ?, 5, now()) returning id`,
      [other, paid],
    );
    const { body } = await door.graphql(eraseQuery, { id: person }, undefined, { 'X-Request-Id': 'erasure' });
    expect(body.errors).toBeUndefined();
    const after = await dump();
    const traces = Object.entries(after).flatMap(([table, rows]) =>
      rows.filter((row) => canary.test(row)).map((row) => `${table}: ${row}`),
    );
    expect(traces.map((row) => row.slice(0, 300))).toEqual([]);
    // A transaction of the person was paid for somebody else: their donation stays.
    expect(await door.sql('select transaction_id, amount from donations where id = ?', [gift[0].id])).toEqual([
      { transaction_id: null, amount: 5 },
    ]);
    await door.sql('delete from donations where id = ?', [gift[0].id]);
    const rest = await dump();
    // Tables that the requests above write for other reasons; lines of the audit log are only added.
    const moved = [
      'apps',
      'audit_log',
      'change_feeds',
      'change_queue',
      'changes',
      'imports',
      'import_batches',
      'import_contacts',
      'bulk_changes',
      'idempotency_keys',
      'search_traversals',
      'rate_buckets',
      'spending',
      'tokens',
      'segments',
      'search_words',
      'teams',
      'spaces',
      'webhooks',
      'webhook_deliveries',
    ];
    for (const table of Object.keys(before))
      if (!moved.includes(table)) expect([table, rest[table]]).toEqual([table, before[table]]);
    expect(rest.search_words!.length).toBeLessThanOrEqual(before.search_words!.length);
    expect(rest.search_words!.some((row) => /stranger/.test(row))).toBe(true);
  });

  it('leaves a receipt without personal data', async () => {
    const lines = await door.sql(
      `select user_id, type, record_id, fields, counts from audit_log where request_id = 'erasure'`,
    );
    expect(lines).toEqual([
      {
        user_id: 1,
        type: 'Contact',
        record_id: person,
        fields: ['contactId'],
        counts: expect.objectContaining({ contacts: 2, notes: expect.any(Number) }),
      },
    ]);
    expect((await door.graphql(eraseQuery, { id: person })).body.errors[0].extensions.code).toBe('not-found');
    expect((await door.graphql(`{ personExport(contactId: ${person}) }`)).body.errors[0].extensions.code).toBe(
      'not-found',
    );
  });
});

it('keeps nothing of writes that come while a person is erased', async () => {
  const id = await createContact('Busy');
  const create = 'mutation ($input: NoteCreateInput!) { createNote(input: $input) { note { databaseId } } }';
  const write = () => door.graphql(create, { input: { contactId: id, content: 'while erased' } });
  const [erased, ...written] = await Promise.all([
    ...[...Array(5)].map(write),
    door.graphql(eraseQuery, { id }),
    ...[...Array(15)].map(write),
  ]);
  for (const { body } of [erased!, ...written])
    expect([undefined, 'not-found']).toContain(body.errors?.[0].extensions.code);
  expect(await door.sql(`select id from contacts where id = ?`, [id])).toEqual([]);
  expect(await door.sql(`select id from notes where content = 'while erased'`)).toEqual([]);
});
