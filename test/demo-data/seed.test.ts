// The demo data: the same bytes for the same plan, true to every constraint, all or nothing.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDemoPlan, type SeedPlan } from '../../packages/demo-data/index.ts';
import { tables, withId } from '../../packages/demo-data/tables.ts';
import { seedDatabase } from '../../src/commands/seed.ts';
import { createSpace } from '../../src/data/access/space.ts';
import { Database } from '../../src/database/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { buildDatabaseUrl, runStatement } from '../harness/databases.ts';

// Made inside tests, where a hook that drops them can no longer be added.
const made: string[] = [];
const freshDatabase = async (): Promise<string> => {
  const name = `muster_test_${randomUUID().replaceAll('-', '')}`;
  await runStatement(inject('adminUrl'), `create database ${name}`);
  made.push(name);
  const url = buildDatabaseUrl(inject('adminUrl'), name);
  await migrateDatabase(url);
  return url;
};
afterAll(async () => {
  for (const name of made) await runStatement(inject('adminUrl'), `drop database if exists ${name} with (force)`);
});

// biome-ignore lint/suspicious/noExplicitAny: tests read rows of any shape
const query = async (url: string, sql: string, values: unknown[] = []): Promise<any[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set timezone = 'UTC'");
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
};

const checksums = async (url: string): Promise<Record<string, string>> => {
  const sums = tables.map(
    (name) => `select '${name}' as name, md5(string_agg(t::text, '' order by t::text)) from ${name} t`,
  );
  const rows = await query(url, sums.join(' union all '));
  return Object.fromEntries(rows.map(({ name, md5 }) => [name, md5]));
};
const countAll = async (url: string): Promise<number> => {
  const counts = tables.map((name) => `(select count(*) from ${name})`);
  return Number((await query(url, `select ${counts.join(' + ')} as n`))[0].n);
};

const plan = createDemoPlan(500);
let first: string;
let before: Record<string, string>;
beforeAll(async () => {
  first = await freshDatabase();
  await seedDatabase(first, plan);
  before = await checksums(first);
});

test('no space is created while it is loaded, since it could get the id of one of the demo', async () => {
  const url = await freshDatabase();
  const database = new Database(url, { poolSize: 2 });
  const owner = { mail: 'ana@example.org', firstName: 'Ana', lastName: 'Costa' };
  const create = (isFirst: boolean) => createSpace(database, { name: 'Meanwhile', owner }, { isFirst });
  try {
    const attempts: Promise<PromiseSettledResult<unknown>[]>[] = [];
    await seedDatabase(url, plan, () => {
      if (attempts.length === 0) attempts.push(Promise.allSettled([create(true), create(false)]));
    });
    const refusal = { reason: { code: 'conflict', message: expect.stringContaining('Demo data is being loaded') } };
    expect(await attempts[0]).toMatchObject([refusal, refusal]);
    expect((await query(url, 'select id from spaces order by id')).map(({ id }) => Number(id))).toEqual([1, 2]);
    // The ids that were taken for the others are not used again.
    expect((await create(false)).id).toBeGreaterThan(2);
  } finally {
    await database.close();
  }
});

describe('the same data', () => {
  test('comes from the same seed, in every table; other data from another seed', async () => {
    const [again, other] = [await freshDatabase(), await freshDatabase()];
    await seedDatabase(again, plan);
    await seedDatabase(other, createDemoPlan(500, 2));
    expect(await checksums(again)).toEqual(before);
    const differing = await checksums(other);
    expect(tables.filter((table) => differing[table] === before[table])).not.toContain('contacts');
    expect(differing.emails).not.toBe(before.emails);
  });

  test('does not depend on the time zone and date style of the database', async () => {
    const url = await freshDatabase();
    const name = new URL(url).pathname.slice(1);
    await runStatement(
      url,
      `alter database ${name} set timezone = 'Asia/Tokyo'; alter database ${name} set datestyle = 'German, DMY'`,
    );
    await seedDatabase(url, plan);
    await runStatement(url, `alter database ${name} reset datestyle`);
    expect(await checksums(url)).toEqual(before);
  });

  test('of a contact does not depend on how many there are', async () => {
    const ofFirst50 = async (contacts: number): Promise<unknown> => {
      const url = await freshDatabase();
      await seedDatabase(url, { seed: 1, spaces: [{ id: 1, contacts }] });
      const found: Record<string, unknown> = {};
      for (const table of tables) {
        const column = await query(
          url,
          `select 1 from information_schema.columns where table_name = $1 and column_name = 'contact_id'`,
          [table],
        );
        if (column.length === 0 && table !== 'contacts') continue;
        const key = table === 'contacts' ? 'id' : 'contact_id';
        found[table] = await query(url, `select t::text from ${table} t where ${key} <= 50 order by 1`);
      }
      return found;
    };
    expect(await ofFirst50(100)).toEqual(await ofFirst50(50));
  });
});

describe('foreign keys', () => {
  const role = `muster_plain_${process.pid}_${Date.now()}`;
  const urls: string[] = [];
  beforeAll(() => runStatement(inject('adminUrl'), `create role ${role}`));
  afterAll(async () => {
    for (const url of urls) await runStatement(url, `drop owned by ${role}`);
    await runStatement(inject('adminUrl'), `drop role ${role}`);
  });

  test('hold when they are checked, for a role that may not switch them off', async () => {
    const url = await freshDatabase();
    urls.push(url);
    await runStatement(
      url,
      `grant all on all tables in schema public to ${role}; grant all on all sequences in schema public to ${role}`,
    );
    const plain = new URL(url);
    plain.searchParams.set('options', `-c role=${role}`);
    const [may] = await query(plain.href, `select has_parameter_privilege('session_replication_role', 'set') as may`);
    expect(may.may).toBe(false);
    await seedDatabase(plain.href, plan);
    expect(await checksums(url)).toEqual(before);
  });
});

describe('the demo', () => {
  test('fills every table in its first space, whose superadmin is user 1', async () => {
    for (const table of tables.filter((name) => name !== 'spaces' && name !== 'users')) {
      const [{ n }] = await query(first, `select count(*)::int as n from ${table} where group_id = 1`);
      expect(n, table).toBeGreaterThan(0);
    }
    const [{ mail, type }] = await query(
      first,
      `select u.mail, r.type from users u join members m on m.user_id = u.id and m.group_id = 1
         join roles r on r.group_id = m.group_id and r.id = m.role_id where u.id = 1`,
    );
    expect({ mail, type }).toEqual({ mail: 'admin@example.org', type: 'superadmin' });
    const [ids] = await query(
      first,
      'select min(id)::int as low, max(id)::int as high from contacts where group_id = 1',
    );
    expect(ids).toEqual({ low: 1, high: 500 });
    const both = await query(first, 'select user_id from members group by 1 having count(distinct group_id) = 2');
    expect(both).toHaveLength(1);
  });

  test('gives real communes their own postal codes', async () => {
    const file = createRequire(import.meta.url).resolve('@etalab/decoupage-administratif/data/communes.json');
    const communes: { code: string; type: string; nom: string; codesPostaux?: string[] }[] = JSON.parse(
      readFileSync(file, 'utf8'),
    );
    const known = new Map(
      communes.filter(({ type }) => type === 'commune-actuelle').map((commune) => [commune.code, commune]),
    );
    const found = await query(first, 'select city, citycode, postal_code from addresses where citycode is not null');
    expect(found.length).toBeGreaterThan(300);
    for (const { city, citycode, postal_code } of found) {
      expect(known.get(citycode)?.nom).toBe(city);
      expect(known.get(citycode)?.codesPostaux).toContain(postal_code);
    }
  });

  test('names nobody: mail addresses and telephone numbers are those set aside for examples', async () => {
    const mails = await query(
      first,
      `select mail from contacts where mail <> '' union select mail from users union select email from invitations`,
    );
    for (const { mail } of mails) expect(mail).toMatch(/^[\w.-]+@example\.(org|com|net)$/);
    const numbers = await query(
      first,
      `select mobile as n from contacts where mobile <> '' union select phone from contacts where phone <> '' union select phone from users where phone <> ''`,
    );
    for (const { n } of numbers) expect(n).toMatch(/^\+33(63998|19900|26191|35301|46571|53649)\d{4}$/);
  });

  test('tells of nothing later than its reference', async () => {
    const past = [
      'contacts.updated_at',
      'notes.updated_at',
      'emails.clicked_at',
      'emails.created_at',
      'transactions.date',
      'answers.updated_at',
    ];
    for (const column of past) {
      const [table, name] = column.split('.');
      const [{ late }] = await query(
        first,
        `select count(*)::int as late from ${table} where ${name} >= '2026-11-21T00:00:00Z'`,
      );
      expect(late, column).toBe(0);
    }
  });
});

describe('after it', () => {
  test('what is inserted next gets a new id', async () => {
    const url = await freshDatabase();
    await seedDatabase(url, createDemoPlan(60));
    for (const table of withId) {
      const [{ next, last }] = await query(
        url,
        `select nextval(pg_get_serial_sequence('${table}', 'id'))::int as next, (select max(id)::int from ${table}) as last`,
      );
      expect(next, table).toBe(last + 1);
    }
  });

  test('another space goes in beside the ones that are there', async () => {
    const url = await freshDatabase();
    await seedDatabase(url, createDemoPlan(60));
    await seedDatabase(url, { seed: 1, spaces: [{ id: 9, name: 'Neuf', contacts: 40 }] });
    const [{ low, n }] = await query(
      url,
      'select min(id)::int as low, count(*)::int as n from contacts where group_id = 9',
    );
    expect({ low, n }).toEqual({ low: 64, n: 40 });
  });
});

describe('all or nothing', () => {
  test('a space that exists is refused, and nothing written', async () => {
    const rows = await countAll(first);
    const clash: SeedPlan = {
      seed: 3,
      spaces: [
        { id: 7, contacts: 10 },
        { id: 2, contacts: 10 },
      ],
    };
    await expect(seedDatabase(first, clash)).rejects.toThrow('Already in this database: space 2');
    expect(await countAll(first)).toBe(rows);
  });

  test('a seed that breaks off leaves nothing', async () => {
    const url = await freshDatabase();
    const breakOff = (): void => {
      throw new Error('enough');
    };
    await expect(seedDatabase(url, plan, breakOff)).rejects.toThrow('enough');
    expect(await countAll(url)).toBe(0);
    await seedDatabase(url, plan);
    expect(await checksums(url)).toEqual(before);
  });

  test('what a crash between two commits left behind is cleared away', async () => {
    const url = await freshDatabase();
    await runStatement(
      url,
      `set session_replication_role = replica;
       insert into emails (group_id, id, contact_id) values (1, 5, 5);
       insert into contact_tags values (2, 1, 1)`,
    );
    await seedDatabase(url, plan);
    expect(await checksums(url)).toEqual(before);
  });

  test('a plan that makes no sense is refused', async () => {
    const plans: SeedPlan[] = [
      { seed: 1.5, spaces: [{ id: 1, contacts: 1 }] },
      { seed: 1, spaces: [{ id: 0, contacts: 1 }] },
      { seed: 1, spaces: [{ id: 1, contacts: -1 }] },
      { seed: 1, spaces: [{ id: 1, contacts: 1, name: ' ' }] },
      {
        seed: 1,
        spaces: [
          { id: 1, contacts: 1 },
          { id: 1, contacts: 1 },
        ],
      },
    ];
    for (const wrong of plans) await expect(seedDatabase(first, wrong)).rejects.toThrow();
  });
});

test('progress counts contacts up to all of them', async () => {
  const url = await freshDatabase();
  const told: number[] = [];
  const result = await seedDatabase(url, createDemoPlan(100), ({ done, total }) => {
    expect(total).toBe(105);
    told.push(done);
  });
  expect(told.at(-1)).toBe(105);
  const living = await query(
    url,
    'select count(*)::int as count from contacts where group_id = 1 and deleted_at is null',
  );
  expect(living).toEqual([{ count: result.people }]);
  expect(result.rows).toBe(await countAll(url));
});
