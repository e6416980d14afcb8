// An uploaded file whose servers are killed in the middle of its import, again and again: nobody is imported twice or missed, and each refused row is told once.
import { expect, it } from 'vitest';
import { findWrongRows } from '../graphql/writing.ts';
import { type Json, openApp } from '../harness/app.ts';
import { spawnServer } from '../harness/serving.ts';
import { isThorough } from '../harness/sizes.ts';
import { waitUntil } from '../harness/waiting.ts';
import { createFileClient } from '../rest/imports-door.ts';

const kills = isThorough ? 20 : 4;
const people = kills * 2000;

it('is continued exactly once', async () => {
  const door = await openApp();
  const files = createFileClient(door);
  // Every hundredth row cannot be read, and every other hundredth one is refused by the database.
  const rows = Array.from({ length: people }, (_, index) => {
    const fault = index % 100;
    return `Killed,P${index},${fault === 7 ? 'no mail' : `killed${index}@example.org`},${fault === 8 ? 'taken' : `k${index}`}`;
  });
  await door.sql(
    `with made as (insert into contacts (group_id, surname, external_id) values (1, 'Other', 'taken') returning id) select refresh_search(1, array(select id from made))`,
  );
  const id = await files.upload(`surname,firstname,mail,external_id\n${rows.join('\n')}\n`);
  expect((await files.post(id, 'begin', { mode: 'create' })).status).toBe(200);
  const read = async (): Promise<Json> => (await files.read(id)).data;
  let killedMidway = 0;
  for (let kill = 0; kill < kills; kill++) {
    const { created: before, state } = await read();
    if (state !== 'running') break;
    const server = await spawnServer({ DATABASE_URL: door.databaseUrl, LOG_LEVEL: 'warn' });
    // A server may end the import before it is seen to have begun: its last rows may be refused ones.
    const isSeen = ({ created, state }: Json): boolean => created > before || state !== 'running';
    await waitUntil('it imports some', async () => isSeen(await read()), 120_000);
    server.child.kill('SIGKILL');
    await server.ended;
    if ((await read()).state === 'running') killedMidway++;
    // The lease of the killed process would end after half a minute.
    await door.sql('delete from job_leases');
  }
  expect(killedMidway).toBeGreaterThan(0);
  await spawnServer({ DATABASE_URL: door.databaseUrl, LOG_LEVEL: 'warn' });
  await waitUntil('it is done', async () => (await read()).state === 'done', 120_000);
  const refused = people / 50;
  expect(await read()).toMatchObject({ created: people - refused, updated: 0, unchanged: 0, refused });
  const found = await door.sql(
    `select count(*)::int as many, count(distinct firstname)::int as each, max(version) as version from contacts where group_id = 1 and surname = 'Killed'`,
  );
  expect(found).toEqual([{ many: people - refused, each: people - refused, version: 1 }]);
  expect(await door.sql('select count(*)::int as many from import_rejects where file_id = ?', [id])).toEqual([
    { many: refused },
  ]);
  expect(await door.sql('select count(*)::int as left from import_file_chunks')).toEqual([{ left: 0 }]);
  expect(await findWrongRows(door)).toEqual([]);
}, 600_000);
