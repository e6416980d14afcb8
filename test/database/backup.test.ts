// Backups: a restore yields every row, sequence, index and trigger again, and what is damaged, newer or half done changes nothing.
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { pino } from 'pino';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { readSchema } from '../../codegen/schema-sql.ts';
import { fileTables } from '../../src/data/import/import-file.ts';
import { readTables } from '../../src/database/backup/catalogue.ts';
import { digestText } from '../../src/database/backup/format.ts';
import { changeDatabase, DatabaseNotEmpty } from '../../src/database/backup/restore.ts';
import { useSession } from '../../src/database/backup/session.ts';
import { formatTarEntry, readTarEntries, tarEnd } from '../../src/database/backup/tar.ts';
import { writeBackup } from '../../src/database/backup/write.ts';
import { Database } from '../../src/database/database.ts';
import { createMigrationTable, listMigrations, migrateDatabase, runMigrations } from '../../src/database/migrate.ts';
import { createApp } from '../../src/server/app.ts';
import { createDatabase, type Door, type Json, openApp } from '../harness/app.ts';
import { createAppCaller } from '../harness/member.ts';
import {
  compressPieces,
  connectClient,
  createBackup,
  digestTables,
  leftOut,
  options,
  restoreDatabase,
  signal,
  words,
} from './backups.ts';

let door: Door;
let whole: Buffer;
let appToken: string;
beforeAll(async () => {
  door = await openApp();
  await door.token(1, 1);
  appToken = (await createAppCaller(door, { name: 'Backed up' })).token;
  // Values that a careless text format would change.
  await door.sql(
    `update contacts set surname = E'a\\tb\\\\N\\n"é😀', firstname = '\\N', married_name = '' where group_id = 1 and id % 50 = 1`,
  );
  await door.sql(`update notes set content = repeat('long ', 500000) where id = (select min(id) from notes)`);
  await door.sql(`select refresh_search(1, array(select id from contacts where group_id = 1))`);
  await door.sql(`select setval(pg_get_serial_sequence('contacts', 'id'), 5000000)`);
  await door.sql(`insert into import_files (group_id, id, user_id, name, size) values (1, 1, 1, 'people.csv', 1)`);
  await door.sql(`insert into import_file_chunks values (1, 1, 0, 'x')`);
  whole = await createBackup(door.databaseUrl);
});

describe('a restored database', () => {
  let url: string;
  let client: pg.Client;
  beforeAll(async () => {
    url = await createDatabase('empty');
    await restoreDatabase(url, whole);
    client = await connectClient(url);
  });

  it('has every row of every table, or is one of the few that are derived or forgotten', async () => {
    const original = await connectClient(door.databaseUrl);
    const { kept, emptied, foreign } = await readTables(original, listMigrations(), leftOut);
    expect([emptied, foreign]).toEqual([
      [
        ...leftOut,
        'app_buckets',
        'job_leases',
        'rate_buckets',
        'search_traversals',
        'spending',
        'webhook_secrets',
      ].sort(),
      [],
    ]);
    const names = [...kept.map(({ name }) => name), 'contact_search', 'contact_emails'];
    for (const name of fileTables)
      expect((await client.query(`select count(*)::int as count from ${name}`)).rows).toEqual([{ count: 0 }]);
    const before = await digestTables(original, names);
    expect(await digestTables(client, names)).toEqual(before);
    expect(Object.values(before).filter((digest) => !digest.startsWith('0 ')).length).toBeGreaterThan(25);
    expect((await client.query(words)).rows).toEqual((await original.query(words)).rows);
  });

  it('has the same schema, with all triggers on, foreign keys checked, and statistics', async () => {
    expect(await readSchema(url)).toBe(await readSchema(await createDatabase('migrated')));
    const { rows } = await client.query(
      `select (select count(*)::int from pg_trigger where not tgisinternal and tgenabled <> 'O') as off,
              (select count(*)::int from pg_constraint where not convalidated) as unchecked,
              (select reltuples from pg_class where oid = 'contacts'::regclass) as contacts`,
    );
    expect(rows).toEqual([{ off: 0, unchecked: 0, contacts: expect.any(Number) }]);
    expect(rows[0].contacts).toBeGreaterThan(400);
    // The figures come a moment later.
    const stale = `select relname from pg_stat_user_tables where n_live_tup > 50 and n_mod_since_analyze > n_live_tup / 2`;
    await vi.waitFor(async () => expect((await client.query(stale)).rows).toEqual([]));
  });

  it('goes on: the old tokens work, search finds the same, and a new contact has a new id', async () => {
    const database = new Database(url);
    const config = { BUCKET_CAPACITY: 1000, BUCKET_REFILL: 10, GRAPHIQL: false };
    const app = createApp({ database, config, log: pino({ level: 'silent' }) });
    const own = await door.token(1, 1);
    const ask = async (query: string, token = own): Promise<Json> => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ query });
      const answer = await app.fetch(new Request('http://muster.test/graphql', { method: 'POST', headers, body }));
      return answer.json();
    };
    const search = `{ searchContacts(first: 50, query: { lastName: { startsWith: "a" } }) { totalCount nodes { id firstName lastName } } }`;
    const found = await ask(search);
    expect(found.data.searchContacts.totalCount).toBeGreaterThan(0);
    expect(found).toEqual((await door.graphql(search)).body);
    const made = await ask('mutation { createContact(input: { lastName: "New" }) { contact { databaseId } } }');
    expect(made.data.createContact.contact.databaseId).toBe(5_000_001);
    expect((await ask('{ viewer { app { name } } }', appToken)).data.viewer.app).toEqual({ name: 'Backed up' });
    const input = '{ name: "New", permissions: ["contacts.read"], scope: READ }';
    const { data } = await ask(`mutation { createApp(input: ${input}) { app { databaseId } } }`);
    expect(data.createApp.app.databaseId).toBe(1_000_000_001);
    await database.close();
  });

  it('is refused by a second restore, and stays as it is', async () => {
    const before = await digestTables(client, ['contacts', 'users', 'contact_search']);
    await expect(restoreDatabase(url, whole)).rejects.toThrow(DatabaseNotEmpty);
    expect(await digestTables(client, ['contacts', 'users', 'contact_search'])).toEqual(before);
  });
});

it('is one moment: what is written together is both there, or both missing', async () => {
  const url = await createDatabase();
  const writer = await connectClient(url);
  const writePair = async (name: string): Promise<void> => {
    await writer.query(
      `with one as (insert into actions (group_id, name) values (1, '${name}')) insert into tags (group_id, name) values (1, '${name}')`,
    );
  };
  await writePair('pair 0');
  let written = 0;
  // A pair comes whenever another table is begun: actions are read first, tags late.
  const file = await useSession(url, 'backup', signal, (client) => {
    async function* write(): AsyncGenerator<Buffer> {
      for await (const piece of writeBackup(client, options)) {
        await writePair(`pair ${++written}`);
        yield piece;
      }
    }
    return compressPieces(write());
  });
  expect(written).toBeGreaterThan(20);
  const target = await createDatabase('empty');
  await restoreDatabase(target, file);
  const client = await connectClient(target);
  const pairs = async (table: string) =>
    (await client.query(`select name from ${table} where name like 'pair %' order by name`)).rows;
  expect(await pairs('actions')).toEqual([{ name: 'pair 0' }]);
  expect(await pairs('tags')).toEqual(await pairs('actions'));
});

describe('what cannot be restored', () => {
  let url: string;
  let client: pg.Client;
  beforeAll(async () => {
    url = await createDatabase('empty');
    await migrateDatabase(url);
    client = await connectClient(url);
  });
  /** The refusal, after which the database is as empty as before. */
  const refuse = async (file: Buffer): Promise<string> => {
    const message = await restoreDatabase(url, file).then(
      () => 'it was restored',
      (error: Error) => error.message,
    );
    const { rows } = await client.query(
      'select (select count(*) from spaces) + (select count(*) from contacts) as rows',
    );
    expect([message, rows]).toEqual([message, [{ rows: '0' }]]);
    return message;
  };
  /** The same backup with other entries. */
  const rewrite = async (change: (name: string, body: Buffer) => Buffer | undefined): Promise<Buffer> => {
    const entries: Buffer[] = [];
    for await (const { name, body } of readTarEntries(Readable.from([gunzipSync(whole)]))) {
      const changed = change(name, body);
      if (changed) entries.push(formatTarEntry(name, changed, new Date()));
    }
    return gzipSync(Buffer.concat([...entries, tarEnd]));
  };
  const rewriteManifest = (change: (manifest: Json) => void): Promise<Buffer> => {
    let digest = '';
    return rewrite((name, body) => {
      if (name === 'trailer.json')
        return Buffer.from(JSON.stringify({ ...JSON.parse(String(body)), manifest: digest }));
      if (name !== 'manifest.json') return body;
      const manifest = JSON.parse(String(body));
      change(manifest);
      const changed = Buffer.from(JSON.stringify(manifest));
      digest = digestText(changed);
      return changed;
    });
  };

  it('one bit is wrong, wherever it is', async () => {
    for (const share of [0.02, 0.3, 0.6, 0.9]) {
      const file = Buffer.from(whole);
      file[Math.floor(file.length * share)]! ^= 4;
      expect(await refuse(file)).toMatch(/^The backup cannot be used: /);
    }
    const last = Buffer.from(whole);
    last[last.length - 6]! ^= 1;
    expect(await refuse(last)).toBe('The backup cannot be used: it is damaged');
  });

  it('something follows the end', async () => {
    const more = 'The backup cannot be used: more follows its end, as when two backups are in one file';
    expect(await refuse(Buffer.concat([whole, whole]))).toBe(more);
    expect(await refuse(Buffer.concat([whole, Buffer.from('rest')]))).toBe(more);
    expect(await refuse(Buffer.concat([whole, Buffer.alloc(1000)]))).toBe(more);
    expect(await refuse(gzipSync(Buffer.concat([gunzipSync(whole), Buffer.from('rest')])))).toBe(more);
  });

  it('one bit was wrong before the file was compressed, or a part was taken out', async () => {
    const changed = await rewrite((name, body) => {
      if (name !== 'tables/emails/000001.copy') return body;
      const other = Buffer.from(body);
      // A digit of an id becomes another digit.
      other[2]! ^= 1;
      return other;
    });
    expect(await refuse(changed)).toMatch(
      /^The backup cannot be used: (the rows of emails are not|the database refuses)/,
    );
    const without = await rewrite((name, body) => (name.startsWith('tables/sanctions/') ? undefined : body));
    expect(await refuse(without)).toBe(
      'The backup cannot be used: the rows of sanctions are not those that were written',
    );
    const twoParts = await rewrite((name, body) => (name === 'tables/notes/000001.copy' ? undefined : body));
    expect(await refuse(twoParts)).toMatch(/its entry tables\/notes\/000002.copy is not where it should be/);
    expect(await refuse(await rewrite((name, body) => (name === 'trailer.json' ? undefined : body)))).toBe(
      'The backup cannot be used: it ends too early',
    );
  });

  it('it ends early, or is something else', async () => {
    for (const share of [0, 0.5, 0.999]) {
      const message = await refuse(whole.subarray(0, Math.floor(whole.length * share)));
      expect(message).toMatch(/^The backup cannot be used: it (ends too early|is no backup of Muster)$/);
    }
    for (const file of [Buffer.from('id,surname\n1,x\n'), gzipSync('no tar'), gzipSync(Buffer.alloc(4096))])
      expect(await refuse(file)).toMatch(/^The backup cannot be used: /);
  });

  it('it is of a newer version, or of another one', async () => {
    const newer = await rewriteManifest((manifest) =>
      manifest.migrations.push({ name: '9999_later.sql', checksum: 'x' }),
    );
    expect(await refuse(newer)).toBe(
      'The backup is of a newer version of Muster, with the migration 9999_later.sql: use that version, or a later one',
    );
    const other = await rewriteManifest((manifest) => Object.assign(manifest.migrations[1], { checksum: 'x' }));
    expect(await refuse(other)).toMatch(/^The backup has another migration 0002_\w+\.sql than this version of Muster$/);
    expect(await refuse(await rewriteManifest((manifest) => Object.assign(manifest, { formatVersion: 2 })))).toBe(
      'The backup has format 2, which only a newer version of Muster reads',
    );
    expect(await refuse(await rewriteManifest((manifest) => manifest.tables.pop()))).toMatch(
      /^The backup cannot be used/,
    );
  });

  it('leaves a database into which the whole backup can be restored', async () => {
    expect(await readSchema(url)).toBe(await readSchema(await createDatabase('migrated')));
    await restoreDatabase(url, whole);
    expect((await client.query('select count(*)::int as contacts from contacts')).rows[0].contacts).toBeGreaterThan(
      400,
    );
  });
});

describe('versions of the schema', () => {
  const numbered = listMigrations().filter(({ repeatable }) => !repeatable);

  it('a backup of an older one is restored at that one, and then migrated', async () => {
    const older = await createDatabase('empty');
    const client = await connectClient(older);
    await client.query(createMigrationTable);
    await runMigrations(client, numbered.slice(0, -1));
    await client.query(`insert into spaces (name) values ('Old'); insert into tags (group_id, name) values (1, 'Old')`);
    const file = await createBackup(older);
    const target = await createDatabase('empty');
    const { manifest } = await restoreDatabase(target, file);
    expect(manifest.migrations).toHaveLength(numbered.length - 1);
    expect(await migrateDatabase(target)).toEqual([]);
    expect(await readSchema(target)).toBe(await readSchema(await createDatabase('migrated')));
    expect((await (await connectClient(target)).query('select name from tags')).rows).toEqual([{ name: 'Old' }]);
    // The database of this version is empty, but cannot go back.
    const migrated = await createDatabase('empty');
    await migrateDatabase(migrated);
    await expect(restoreDatabase(migrated, file)).rejects.toThrow(/has a later schema .* restore into a new database/);
    await restoreDatabase(migrated, whole);
  });

  it('a database of a newer one, or of another program, is not backed up; foreign tables are told and left out', async () => {
    const url = await createDatabase();
    const client = await connectClient(url);
    await client.query('create table operators_own (id int); insert into operators_own values (1)');
    let told: string[] = [];
    const file = await createBackup(url, { onForeign: (names) => (told = names) });
    expect(told).toEqual(['operators_own']);
    await restoreDatabase(await createDatabase('empty'), file);
    await client.query(`insert into schema_migrations (name, checksum) values ('9999_later.sql', 'x')`);
    await expect(createBackup(url)).rejects.toThrow(
      'This database is of a newer version of Muster, with the migration 9999_later.sql: use that version, or a later one',
    );
    await expect(createBackup(await createDatabase('empty'))).rejects.toThrow('there is nothing to back up');
  });
});

it('tokens forget which position of the log of the old server they have written at', async () => {
  await door.sql(`update tokens set wrote_at_lsn = 'FFFF/0'`);
  const url = await createDatabase('empty');
  await restoreDatabase(url, await createBackup(door.databaseUrl));
  await door.sql('update tokens set wrote_at_lsn = null');
  const client = await connectClient(url);
  const { rows } = await client.query(
    'select count(*) > 0 as any, count(wrote_at_lsn)::int as positions, count(hash)::int > 0 as kept from tokens',
  );
  expect(rows).toEqual([{ any: true, positions: 0, kept: true }]);
});

it('work that was stopped while the embedded server was still starting is not begun', async () => {
  const reason = new Error('Stopped by SIGINT');
  let hasBegun = false;
  const working = useSession(door.databaseUrl, 'muster restore', AbortSignal.abort(reason), async () => {
    hasBegun = true;
  });
  await expect(working).rejects.toBe(reason);
  expect(hasBegun).toBe(false);
});

it.each([
  ['postgresql://u:p%40ss@localhost:5433/a?sslmode=disable', 'localhost'],
  ['postgresql://u:p%40ss@localhost:5433', 'localhost'],
  ['postgresql:///a?host=/run/postgresql&user=u', '/run/postgresql'],
  ['socket:/run/postgresql?db=a&port=5433&user=u', '/run/postgresql'],
])('a scratch database beside that of %s is on the same server, whatever its name', (url, host) => {
  for (const name of ['a_muster_verify', 'élus@home, 100 %+1 &c:d_muster_verify']) {
    const client = new pg.Client(changeDatabase(url, name));
    expect([client.host, client.database, client.user]).toEqual([host, name, 'u']);
  }
});
