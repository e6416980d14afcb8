// Makes records of every noun in two spaces, with ties, values that are missing, and the same ids in both; and reads them plainly.
import { formKinds, formTypes } from '../../../src/data/form/form.ts';
import type { Door } from '../../harness/app.ts';
import { type Noun, nouns } from './nouns.ts';
import type { Plain } from './oracle.ts';

/** Records of each noun and space. */
const many = 1000;
const firstId = 5_000_000;
/** Contacts that the records hang on; every seventh is deleted. */
const contacts = 40;

/** A pseudo-random number below `below`, the same in each run. */
const createRandom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
};

const instants = [
  '2024-01-31T23:59:59.999999Z',
  '2024-02-01T00:00:00Z',
  '2024-02-01T00:00:00.000001Z',
  '2024-02-01T00:00:00.1Z',
  '2023-12-31T23:30:00Z',
  '2024-01-01T00:30:00Z',
];
const texts = ['Ana', 'ana', 'ÀNA', 'b%c', 'b_c', 'bxc', '100%', 'Zoé', 'zoe', 'l’été', 'À'];
const codes = ['a', 'A', 'B', 'é', 'card', 'cash'];

type Draw = (nth: number) => unknown;

const createDraws = async (door: Door, space: number, random: (below: number) => number) => {
  const among = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;
  const ids = new Map<string, number[]>();
  for (const table of ['transaction_statuses', 'transactions', 'donation_prices', 'campaigns', 'templates', 'roles'])
    ids.set(
      table,
      (await door.sql(`select id from ${table} where group_id = ? order by id limit 8`, [space])).map(({ id }) => id),
    );
  ids.set(
    'users',
    (await door.sql('select user_id from members where group_id = ? order by user_id limit 8', [space])).map(
      ({ user_id }) => user_id,
    ),
  );
  const kinds: Record<string, Draw> = {
    contact: () => firstId + random(contacts),
    amount: () => among([-500, 0, 1, 1000, 1000, 2500, random(100_000)]),
    currency: () => among(['EUR', 'EUR', 'USD', 'CHF']),
    instant: () =>
      random(3) ? among(instants) : new Date(Date.UTC(2022, 0, 1) + random(1_000_000) * 86_399).toISOString(),
    day: () => `202${random(5)}-0${1 + random(9)}-1${random(3)}`,
    text: () => among(texts),
    unique: (nth) => `${among(texts)}-${nth}`,
    code: () => among(codes),
    flag: () => random(3) === 0,
    rating: () => random(4) * 25,
    formKind: () => among(formKinds),
    formType: () => among(formTypes),
  };
  return (kind: NonNullable<Noun['columns']>[string]): Draw =>
    typeof kind === 'string' ? kinds[kind]! : () => among(ids.get(kind.id)!);
};

/** Inserts users, of whom one half is in each space and a third in both; some are deleted. */
const insertUsers = async (door: Door): Promise<void> => {
  const random = createRandom(3);
  const rows = Array.from({ length: many }, (_, nth) => ({
    id: firstId + nth,
    mail: `${texts[random(texts.length)]}-${nth}@example.org`,
    firstname: random(4) ? texts[random(texts.length)] : null,
    surname: random(4) ? texts[random(texts.length)] : null,
    created_at: instants[random(instants.length)],
    updated_at: instants[random(instants.length)],
    deleted_at: random(10) ? null : '2024-01-01',
    phone: random(2) ? '+33600000000' : null,
    two_factor_enable: false,
  }));
  const names = Object.keys(rows[0]!).join(', ');
  await door.sql(
    `insert into users (${names}) select ${names} from jsonb_populate_recordset(cast(null as users), cast(? as jsonb))`,
    [JSON.stringify(rows)],
  );
  for (const space of [1, 2])
    await door.sql(
      `insert into members (group_id, user_id, role_id) select r.group_id, u.id, r.id from users u join lateral (
         select group_id, id from roles where group_id = ? order by (id + u.id) % 5, id limit 1) r on true
        where u.id >= ? and (u.id % 3 = 0 or u.id % 2 = ?)`,
      [space, firstId, space - 1],
    );
};

/** Inserts the records of all nouns into spaces 1 and 2. */
export const insertRecords = async (door: Door): Promise<void> => {
  await insertUsers(door);
  for (const space of [1, 2]) {
    await door.sql(
      `insert into contacts (group_id, id, deleted_at) select ?, ? + n, case when n % 7 = 3 then now() end from generate_series(0, ?) n`,
      [space, firstId, contacts - 1],
    );
    const random = createRandom(space);
    const draw = await createDraws(door, space, random);
    for (const { table, columns } of Object.values(nouns)) {
      if (!table || !columns) continue;
      const draws = Object.entries(columns).map(([name, kind]) => ({ name, draw: draw(kind) }));
      const fixed = table === 'imports' ? { fingerprint: '\\x00', family: 'notes' } : {};
      const rows = Array.from({ length: many }, (_, nth) => ({
        group_id: space,
        id: firstId + nth,
        ...fixed,
        ...Object.fromEntries(
          draws.map(({ name, draw }) => [
            name.replace('?', ''),
            name.endsWith('?') && random(4) === 0 ? null : draw(nth),
          ]),
        ),
        // Most records live.
        ...('deleted_at?' in columns && { deleted_at: random(10) === 0 ? '2024-01-01' : null }),
      }));
      const names = Object.keys(rows[0]!).join(', ');
      await door.sql(
        `insert into ${table} (${names}) select ${names} from jsonb_populate_recordset(cast(null as ${table}), cast(? as jsonb))`,
        [JSON.stringify(rows)],
      );
    }
  }
};

const convertToCamelCase = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** All records of a noun that should be in its list. */
export const readPlain = async (door: Door, space: number, { list, table, plain }: Noun): Promise<Plain[]> => {
  const rows = await door.sql(plain ?? `select r.* from ${table} r where r.group_id = ?`, [space]);
  const gone = await door.sql('select id from contacts where group_id = ? and deleted_at is not null', [space]);
  const goneContacts = new Set(gone.map(({ id }) => id));
  return rows
    .map(
      (row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [convertToCamelCase(name), value])) as Plain,
    )
    .filter(({ deletedAt }) => deletedAt == null)
    .filter(({ contactId }) => !list.contact || !goneContacts.has(contactId as number));
};
