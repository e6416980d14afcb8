// A sync whose requests go to different processes continues where it stopped, whoever writes meanwhile.
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createDatabase } from '../harness/app.ts';
import { createToken, type Serving, spawnServer } from '../harness/serving.ts';

vi.setConfig({ testTimeout: 120_000 });

let client: pg.Client;
let databaseUrl: string;
let token: string;
beforeAll(async () => {
  databaseUrl = await createDatabase();
  token = await createToken(databaseUrl);
  client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
});
afterAll(() => client.end());

const sql = async (text: string, ...values: unknown[]) => (await client.query(text, values)).rows;
const everybody = async (): Promise<number[]> =>
  (await sql('select id from contacts where group_id = 1 and deleted_at is null order by id')).map(({ id }) =>
    Number(id),
  );
const refresh = async (ids: number[]): Promise<void> => {
  await sql('select refresh_search(1, $1)', ids);
};

it.each([
  { sort_attr: undefined, sort_asc: true },
  { sort_attr: 'surname', sort_asc: true },
  { sort_attr: 'firstname', sort_asc: false },
])('two processes asked alternately, by $sort_attr: each contact that stays is returned once', async (order) => {
  const servers: Serving[] = await Promise.all([1, 2].map(() => spawnServer({ DATABASE_URL: databaseUrl })));
  const due = new Set(await everybody());
  const drop = async (ids: number[]): Promise<void> => {
    for (const id of ids) due.delete(id);
    await sql('update contacts set deleted_at = now() where group_id = 1 and id = any($1)', ids);
    await refresh(ids);
  };
  const seen: number[] = [];
  let writing = true;
  // Writes continue while pages are read, without a pause.
  const writer = (async () => {
    for (let round = 0; writing; round++) {
      const all = [...due];
      if (all.length > 150) await drop([all[round % all.length]!, all[(round * 7) % all.length]!]);
      // Edits move no contact in the order of ids or of names.
      await sql(
        'update contacts set phone = $1, updated_at = now() where group_id = 1 and id = $2',
        `+33${round}`,
        all[0],
      );
      await refresh([all[0]!]);
      if (round % 3 === 0) {
        const [{ id }] = await sql(
          `insert into contacts (group_id, surname, firstname) values (1, $1, $1) returning id`,
          round % 2 ? 'Aaron' : 'Zyta',
        );
        await refresh([Number(id)]);
      }
    }
  })();
  for (let page = 0; page < 400; page++) {
    const advanced_search = { per_page: 7, page, ...order };
    const { status, body } = await servers[page % 2]!.ask(token, 'POST', '/search', { data: { advanced_search } });
    expect(status).toBe(200);
    if (body.data.contacts.length === 0) break;
    seen.push(...body.data.contacts.map(({ id }: { id: number }) => id));
    if (page === 60) writing = false;
  }
  writing = false;
  await writer;
  expect(due.size).toBeGreaterThan(100);
  expect({
    missed: [...due].filter((id) => !seen.includes(id)),
    twice: seen.filter((id, at) => seen.indexOf(id) !== at),
  }).toEqual({ missed: [], twice: [] });
  for (const { child } of servers) child.kill('SIGTERM');
});
