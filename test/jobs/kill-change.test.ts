// A change of many contacts whose servers are killed in the middle of it, again and again: nobody is changed twice or missed.
import { expect, it } from 'vitest';
import { findWrongRows } from '../graphql/writing.ts';
import { type Json, openApp } from '../harness/app.ts';
import { spawnServer } from '../harness/serving.ts';
import { isThorough } from '../harness/sizes.ts';
import { waitUntil } from '../harness/waiting.ts';

const kills = isThorough ? 20 : 4;
const peoplePerKill = 2000;
const people = kills * peoplePerKill;

it('is continued exactly once', async () => {
  const door = await openApp();
  for (let kill = 0; kill < kills; kill++)
    await door.sql(
      `with made as (insert into contacts (group_id, surname) select 1, 'Killed' from generate_series(1, ?) returning id)
       select refresh_search(1, array(select id from made))`,
      [peoplePerKill],
    );
  const { body } = await door.graphql(
    `mutation { changeContacts(input: { of: { query: { lastName: { equals: "Killed" } } }, change: { addTags: ["done"], set: { nationality: "FR" } } }) { job { databaseId total } } }`,
  );
  const { databaseId: id, total } = body.data.changeContacts.job;
  expect(total).toBe(people);
  const count = async (): Promise<Json> =>
    (
      await door.sql(
        `select coalesce(sum(b.updated), 0)::int as changed, (select finished_at from imports where group_id = 1 and id = ?) as finished
           from import_batches b where b.group_id = 1 and b.import_id = ?`,
        [id, id],
      )
    )[0];
  let killedMidway = 0;
  for (let kill = 0; kill < kills; kill++) {
    const { changed: before } = await count();
    const server = await spawnServer({ DATABASE_URL: door.databaseUrl, LOG_LEVEL: 'warn' });
    const isSeen = ({ changed, finished }: Json): boolean => changed > before || finished !== null;
    await waitUntil('it changes some', async () => isSeen(await count()), 60_000);
    server.child.kill('SIGKILL');
    await server.ended;
    if ((await count()).finished === null) killedMidway++;
    // The lease of the killed process would end after half a minute.
    await door.sql('delete from job_leases');
  }
  // A fast change may end before the last kills.
  expect(killedMidway).toBeGreaterThan(1);
  await spawnServer({ DATABASE_URL: door.databaseUrl, LOG_LEVEL: 'warn' });
  await waitUntil('it is done', async () => (await count()).finished !== null, 120_000);
  expect((await count()).changed).toBe(people);
  const versions = await door.sql(
    `select version, nationality, count(*)::int as many from contacts where group_id = 1 and surname = 'Killed' group by version, nationality`,
  );
  expect(versions).toEqual([{ version: 2, nationality: 'FR', many: people }]);
  const traces = await door.sql(
    `select count(*)::int as many, (select count(*)::int from bulk_change_batches) as left from import_contacts where group_id = 1 and import_id = ?`,
    [id],
  );
  expect(traces).toEqual([{ many: people, left: 0 }]);
  expect(await findWrongRows(door)).toEqual([]);
}, 600_000);
