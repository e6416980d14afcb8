// When tokens were last used: written apart from the requests that use them.
import { expect, it } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';

const door = await openApp();
const lastUses = async () =>
  (await door.sql('select id, last_used_at from tokens order by id')) as { last_used_at: Date | null }[];
const usedSince = async (start: Date) => (await lastUses()).filter(({ last_used_at: at }) => at && at >= start).length;
/** The statements by which an app writes when tokens were last used. */
const writeUses = async ({ app, statements }: Door): Promise<string[]> =>
  (await statements(() => app.writeTokenUses())).filter((sql) => sql.includes('last_used_at'));
const now = async (): Promise<Date> => (await door.sql('select clock_timestamp() as now'))[0]!.now;

it('is written once for many uses, and not by the requests', async () => {
  await door.token(1, 1);
  await door.token(2, 4);
  const start = await now();
  const statements = await door.statements(async () => {
    for (const token of [await door.token(1, 1), await door.token(2, 4)])
      for (let uses = 0; uses < 3; uses++)
        expect((await door.rest('GET', '/teams', undefined, token)).status).toBe(200);
  });
  expect(statements.join()).not.toMatch(/last_used_at/);
  expect(await usedSince(start)).toBe(0);
  expect(await writeUses(door)).toHaveLength(1);
  expect(await usedSince(start)).toBe(2);
  // Within a minute of the last.
  await door.rest('GET', '/teams');
  expect(await writeUses(door)).toEqual([]);
});

it('is not written for a token that is refused', async () => {
  await door.sql('update tokens set revoked_at = now() where id = (select max(id) from tokens where group_id = 2)');
  const other = await openApp({}, undefined, door);
  expect((await other.rest('GET', '/teams', undefined, await door.token(2, 4))).status).toBe(401);
  expect(await other.statements(() => other.app.writeTokenUses())).toEqual([]);
});

it('waits for a database that cannot write, and skips a token that somebody has locked', async () => {
  const other = await openApp({}, undefined, door);
  const start = await now();
  expect((await other.rest('GET', '/teams')).status).toBe(200);
  await door.sql('alter table tokens rename column last_used_at to elsewhere');
  await other.app.writeTokenUses();
  await door.sql('alter table tokens rename column elsewhere to last_used_at');
  expect(await usedSince(start)).toBe(0);
  await other.app.writeTokenUses();
  expect(await usedSince(start)).toBe(1);

  const third = await openApp({}, undefined, door);
  expect((await third.rest('GET', '/teams')).status).toBe(200);
  const holder = await door.database.readers.knex.transaction();
  await holder.raw('select 1 from tokens for update');
  await third.app.writeTokenUses();
  await holder.rollback();
  expect(await usedSince(start)).toBe(1);
});
