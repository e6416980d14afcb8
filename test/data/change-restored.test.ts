// The change feed after `muster restore`: cursors of before are refused, though their places exist again, and a new one goes on.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { createDatabase, type Door, type Json, openApp } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';
import { runHere } from '../harness/run-here.ts';

const folder = createFolder();

const readLatest = async (door: Door): Promise<string> =>
  (await door.graphql('{ changes(first: 0) { cursor } }')).body.data.changes.cursor;
const read = async (door: Door, after: string): Promise<Json> =>
  (
    await door.graphql('query ($after: String!) { changes(after: $after) { nodes { operation type } hasMore } }', {
      after,
    })
  ).body;
const addAction = (door: Door, name: string) => door.sql('insert into actions (group_id, name) values (1, ?)', [name]);

it('refuses the cursors of before, and goes on from a new one', async () => {
  const door = await openApp();
  const start = await readLatest(door);
  await addAction(door, 'before the backup');
  const kept = await readLatest(door);
  const file = join(folder, 'muster.backup');
  expect((await runHere(door.databaseUrl, ['backup', file])).code).toBe(0);
  await addAction(door, 'lost by the restore');
  const lost = await readLatest(door);
  // They are good where they were given.
  expect((await read(door, start)).data.changes.nodes).toHaveLength(2);
  expect((await read(door, lost)).data.changes.nodes).toEqual([]);

  const url = await createDatabase('empty');
  const { code, err } = await runHere(url, ['restore', file]);
  expect([code, err]).toEqual([0, expect.stringContaining('restored: ')]);
  const database = new Database(url);
  try {
    const restored = await openApp({}, undefined, { ...door, database, databaseUrl: url });
    const fresh = await readLatest(restored);
    // Now the feed is as long as it was: only its epoch tells that these are other changes.
    await addAction(restored, 'after the restore');
    await addAction(restored, 'after the restore, too');
    for (const [which, cursor] of Object.entries({ start, kept, lost })) {
      const { data, errors } = await read(restored, cursor);
      expect([which, data, errors?.[0]]).toMatchObject([
        which,
        null,
        {
          message: expect.stringMatching(/restored since this cursor was given: read the records again/),
          extensions: { code: 'changes-gone', status: 410 },
        },
      ]);
    }
    expect((await read(restored, fresh)).data.changes).toEqual({
      nodes: Array(2).fill({ operation: 'CREATED', type: 'ACTION' }),
      hasMore: false,
    });
  } finally {
    await database.close();
  }
});
