// The outbox and the change feed: every table is published, one transaction is one change of a record, and a reader never misses a commit.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { readFieldNames } from '../../schema/event/change.ts';
import { schema } from '../../schema/index.ts';
import { readChanges } from '../../src/data/event/change.ts';
import { getPublishedFields, publishedTypes } from '../../src/data/event/published.ts';
import { buildVisibility } from '../../src/data/event/visibility.ts';
import type { Space } from '../../src/database/space.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { cleanUpAfterFile } from '../harness/cleanup.ts';
import { createMember } from '../harness/member.ts';

let door: Door;
const clients: pg.Client[] = [];
cleanUpAfterFile(() => Promise.all(clients.map((client) => client.end())));
const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: door.databaseUrl });
  await client.connect();
  clients.push(client);
  return client;
};

const readPage = `query ($after: String, $first: Int, $filter: ChangeFilter) {
  changes(after: $after, first: $first, filter: $filter) {
    nodes { cursor type operation recordId contactId fields node { id } } cursor hasMore
  }
}`;
const read = async (after: string | null, variables: Json = {}, token?: string): Promise<Json> => {
  const { body } = await door.graphql(readPage, { after, ...variables }, token);
  expect(body.errors).toBeUndefined();
  return body.data.changes;
};
const latest = async (): Promise<string> => (await read(null, { first: 0 })).cursor;
/** The changes as short texts: `Contact:5 updated email`. */
const brief = (page: Json): string[] =>
  page.nodes.map(({ recordId, operation, fields }: Json) => [recordId, operation.toLowerCase(), ...fields].join(' '));

beforeAll(async () => {
  door = await openApp();
});

describe('the triggers of the outbox', () => {
  /** Tables whose rows are no records of a space, or that derive from others. */
  const unpublished = [
    'app_buckets',
    'apps',
    'audit_log',
    'bulk_change_batches',
    'bulk_changes',
    'change_feeds',
    'change_queue',
    'changes',
    'consent_changes',
    'contact_emails',
    'contact_search',
    'former_mails',
    'idempotency_keys',
    'import_contacts',
    'import_file_chunks',
    'import_files',
    'import_rejects',
    'import_undos',
    'import_keys',
    'import_records',
    'kept_apart',
    'moved_records',
    'opt_outs',
    'rate_buckets',
    'search_traversals',
    'search_words',
    'segment_evaluations',
    'segment_members',
    'segment_uses',
    'spending',
    'tokens',
    'webhook_deliveries',
    'webhook_secrets',
    'webhooks',
  ];

  it('are on every table of a space, for each event', async () => {
    const rows = await door.sql(`
      select c.relname as table, (select count(*) from pg_trigger t where t.tgrelid = c.oid and t.tgname like '%\\_published') as triggers
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'group_id'
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`);
    const wrong = rows.filter(({ table, triggers }) => triggers !== (unpublished.includes(table) ? 0 : 3));
    expect(wrong).toEqual([]);
  });

  it('publish the types that the graph knows', async () => {
    const rows = await door.sql(
      `select distinct encode(tgargs, 'escape') as arguments from pg_trigger where tgname like '%\\_published' and tgfoid = 'publish_rows'::regproc`,
    );
    const types = [...rows.map(({ arguments: text }) => text.split('\\000')[0]), 'User'];
    expect(types.sort()).toEqual([...publishedTypes].sort());
  });

  it('name every column as filters do, and so do the records that it refers to', async () => {
    const rows = await door.sql(
      `select split_part(encode(t.tgargs, 'escape'), '\\000', 1) as type, a.attname as column
         from pg_trigger t join pg_attribute a on a.attrelid = t.tgrelid and a.attnum > 0 and not a.attisdropped
        where t.tgname like '%\\_insert\\_published' and t.tgfoid = 'publish_rows'::regproc
          and a.attname <> all (unpublished_columns() || '{deleted_at}') and (t.tgrelid <> 'contacts'::regclass or a.attname <> 'user_id')`,
    );
    const wrong = rows.filter(({ type, column }) => {
      const [name] = getPublishedFields(type, [column]);
      const field = (schema.getType(type) as Json).getFields()[name!.replace(/Id$/, '')]
        ? name!.replace(/Id$/, '')
        : name!;
      return ![name!, field].every((one) => readFieldNames([one], schema, 'fields')!.includes(column));
    });
    expect(wrong).toEqual([]);
  });
});

describe('the feed', () => {
  it('has one change of a record for each transaction, with the fields of all its statements', async () => {
    const start = await latest();
    const { body } = await door.graphql(
      `mutation { createContact(input: { firstName: "Ada", address: { city: "Lyon" }, tags: [{ name: "feed" }] }) { contact { databaseId } } }`,
    );
    const id = body.data.createContact.contact.databaseId;
    const contact = `Contact:${id}`;
    const run = async (mutation: string): Promise<void> =>
      expect((await door.graphql(`mutation { ${mutation} { __typename } }`)).body.errors).toBeUndefined();
    await run(
      `updateContact(input: { id: "${contact}", email: "ada@example.org", address: { city: "Nice" }, tags: [] })`,
    );
    await run(`updateContact(input: { id: "${contact}", email: "ada@example.org" })`);
    await run(`createNote(input: { contactId: "${contact}", content: "Hello" })`);
    await run(`deleteContact(input: { id: "${contact}" })`);
    await run(`restoreContact(input: { id: "${contact}" })`);
    const page = await read(start, { first: 100 });
    const note = page.nodes.find(({ type }: Json) => type === 'NOTE').recordId;
    expect(brief(page).filter((text) => !text.startsWith('Tag:'))).toEqual([
      `${contact} created`,
      `${contact} updated address email tags`,
      `${note} created`,
      `${contact} deleted`,
      `${contact} restored`,
    ]);
    expect(page.nodes.every(({ contactId, type }: Json) => type === 'TAG' || contactId === contact)).toBe(true);
    expect(page.hasMore).toBe(false);
    // Every cursor continues where it stands, with any filter.
    const [first] = page.nodes;
    expect(
      brief(await read(first.cursor, { filter: { fields: ['email'], types: ['CONTACT'], operations: ['UPDATED'] } })),
    ).toEqual([`${contact} updated address email tags`]);
    expect(brief(await read(start, { filter: { contactIds: ['Contact:1'] } }))).toEqual([]);
    await run(`deleteContact(input: { id: "${contact}" })`);
    const [tombstone] = (await read(page.cursor)).nodes;
    expect(tombstone).toMatchObject({ operation: 'DELETED', recordId: contact, node: null });
  });

  it('misses no transaction that commits after a later one was read', async () => {
    const [early, late] = [await connect(), await connect()];
    const insert = async (client: pg.Client): Promise<string> =>
      `Note:${(await client.query(`insert into notes (group_id, contact_id, content) select 1, min(id), 'x' from contacts where group_id = 1 and deleted_at is null returning id`)).rows[0].id}`;
    let cursor = await latest();
    const seen: string[] = [];
    const follow = async (): Promise<void> => {
      const page = await read(cursor, { filter: { types: ['NOTE'] } });
      seen.push(...page.nodes.map(({ recordId }: Json) => recordId));
      cursor = page.cursor;
    };
    await early.query('begin');
    const [first, second] = [await insert(early), await insert(late)];
    await follow();
    expect(seen).toEqual([second]);
    await early.query('commit');
    await follow();
    await follow();
    expect(seen).toEqual([second, first]);
  });

  it('shows every change exactly once to readers beside many writers', async () => {
    const start = await latest();
    const writers = await Promise.all([1, 2, 3, 4].map(connect));
    const written = 40;
    let isWriting = true;
    const writing = Promise.all(
      writers.map(async (client, index) => {
        for (let count = 0; count < written; count++) {
          await client.query('begin');
          await client.query(`insert into actions (group_id, name) values (1, $1)`, [`${index}/${count}`]);
          if (count % 3 === 0) await client.query('select pg_sleep(0.002)');
          await client.query(count % 10 === 9 ? 'rollback' : 'commit');
        }
      }),
    ).finally(() => {
      isWriting = false;
    });
    const follow = async (): Promise<string[]> => {
      const seen: string[] = [];
      for (let cursor = start, last = false; ; ) {
        const page = await read(cursor, { first: 7, filter: { types: ['ACTION'] } });
        seen.push(...page.nodes.map(({ recordId }: Json) => recordId));
        cursor = page.cursor;
        if (last && !page.hasMore) return seen;
        last = !isWriting;
      }
    };
    const [one, two] = await Promise.all([follow(), follow(), writing]);
    const rows = await door.sql(`select id from actions where group_id = 1 and name ~ '^[0-3]/\\d+$'`);
    expect(one).toHaveLength(4 * written * 0.9);
    expect(new Set(one)).toEqual(new Set(rows.map(({ id }) => `Action:${id}`)));
    expect(two).toEqual(one);
  });

  it('refuses a cursor whose changes are gone, one of before a restore, and what is no cursor', async () => {
    const cursor = await latest();
    const ask = async (after: string): Promise<Json> =>
      (await door.graphql(readPage, { after })).body.errors[0].extensions;
    expect(await ask('nonsense')).toMatchObject({ code: 'invalid-request' });
    await door.sql(`insert into actions (group_id, name) values (1, 'gone')`);
    await latest();
    await door.sql(`select delete_old_changes(1, now() + interval '1 minute', 100000)`);
    expect(await ask(cursor)).toMatchObject({ code: 'changes-gone', status: 410 });
    const next = await latest();
    expect(brief(await read(next))).toEqual([]);
    await door.sql('update change_feeds set epoch = ? where group_id = 1', [randomUUID()]);
    expect(await ask(next)).toMatchObject({ code: 'changes-gone' });
  });

  it('refuses a cursor whose changes are deleted while it is read', async () => {
    await latest();
    const space = door.database.space(1);
    const [{ epoch, position }] = await door.sql('select epoch, position from change_feeds where group_id = 1');
    for (const name of ['one', 'two']) await door.sql('insert into actions (group_id, name) values (1, ?)', [name]);
    const onPrimary: Space['onPrimary'] = async (statement, values) => {
      const rows = await space.onPrimary(statement, values);
      if (statement.name === 'change.feed')
        await door.sql(`select delete_old_changes(1, now() + interval '1 minute', 1)`);
      return rows as never;
    };
    const filter = buildVisibility({ roleType: 'superadmin', scope: 'admin', permissions: null, userIds: [] });
    const reading = readChanges({ id: 1, onPrimary } as Space, { after: { epoch, position }, first: 9, filter });
    await expect(reading).rejects.toMatchObject({ code: 'changes-gone' });
  });

  it('has only what the caller may see, and nothing of another space', async () => {
    const start = await latest();
    const [{ user_id: user }] = await door.sql(
      `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = 'user' limit 1`,
    );
    await door.sql(`insert into teams (group_id, name, private) values (1, 'Open', false), (1, 'Secret', true)`);
    await door.sql(`insert into campaigns (group_id, name) values (1, 'Hidden from users')`);
    await door.sql(
      `insert into interactions (group_id, contact_id, type, only_super_admin) select 1, min(id), 'call', true from contacts where group_id = 1 and deleted_at is null`,
    );
    await door.sql(`insert into actions (group_id, name) values (2, 'of another space')`);
    const types = (page: Json): string[] => page.nodes.map(({ type }: Json) => type).sort();
    expect(types(await read(start))).toEqual(['CAMPAIGN', 'INTERACTION', 'TEAM', 'TEAM']);
    expect(types(await read(start, {}, await door.token(1, user)))).toEqual(['TEAM']);
    // A cursor is one of a space alone.
    const [{ user_id: stranger }] = await door.sql('select user_id from members where group_id = 2 limit 1');
    const { body } = await door.graphql(readPage, { after: start }, await door.token(2, stranger));
    expect(body.errors[0].extensions.code).toBe('changes-gone');
  });

  it('tells who could see a team or an interaction that it is hidden from now on, and then no more', async () => {
    const plain = await createMember(door, { type: 'user' });
    const insert = async (table: string, columns: string, values: string): Promise<number> =>
      (await door.sql(`insert into ${table} (group_id, ${columns}) select 1, ${values} returning id`))[0].id;
    const team = await insert('teams', 'name', `'Soon secret'`);
    const living = '(select min(id) from contacts where group_id = 1 and deleted_at is null)';
    const interaction = await insert('interactions', 'contact_id, type', `${living}, 'call'`);
    const start = await latest();
    await door.sql(`update interactions set only_super_admin = true where id = ?`, [interaction]);
    await door.sql(`update teams set private = true where id = ?`, [team]);
    await door.sql(`update interactions set title = 'unseen' where id = ?`, [interaction]);
    await door.sql(`update teams set name = 'unseen' where id = ?`, [team]);
    const { body } = await door.graphql(
      `query ($start: String) { changes(after: $start) { nodes { recordId fields node { id } } } }`,
      { start },
      plain,
    );
    expect(body.data.changes.nodes).toEqual([
      { recordId: `Interaction:${interaction}`, fields: ['onlySuperAdmin'], node: null },
      { recordId: `Team:${team}`, fields: ['private'], node: null },
    ]);
  });
});
