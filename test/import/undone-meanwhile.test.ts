// An import that is undone while a process still writes it: nothing of it stays, and nothing of it comes later.
import { beforeAll, expect, it } from 'vitest';
import { undoImport, undoWholeImport } from '../../src/data/import/undo.ts';
import { describeCommand } from '../../src/data/noun/audit.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { createFiles, type Files } from './files.ts';

let files: Files;
beforeAll(async () => {
  files = await createFiles();
});

it.each([
  ['contacts', 'mail,phone\nada@example.org,1\nbob@example.org,2\ncleo@example.org,3\n', 'phone'],
  [
    'donations',
    'contact_mail,amount,transaction_date\nada@example.org,1,2024-05-06\nbob@example.org,2,2024-05-06\ncleo@example.org,3,2024-05-06\n',
    'amount',
  ],
])('%s are as before', async (family, content, column) => {
  const { space } = await files.createPeopledSpace();
  const id = Number(space);
  const before = await files.readLivingRows(family, space, column);
  const [holder, watch] = [await openSession(files.door.databaseUrl), await openSession(files.door.databaseUrl)];
  await holder.query('begin');
  await holder.query(`select from contacts where group_id = $1 and mail = 'bob@example.org' for update`, [id]);
  const importing = files.importFile(family, `${family}-undone.csv`, content, '--space', space, '--batch', '1');
  await waitUntil('the second batch waits', async () => (await countWaiting(watch)) === 1, 10_000);
  const [{ import: importId }] = await files.door.sql('select max(id) as import from imports where group_id = ?', [id]);
  const undo = async (): Promise<void> => {
    for await (const _ of undoImport(
      files.door.database.space(id),
      importId,
      null,
      describeCommand('undoImport', null),
    ));
  };
  const undoing = undo();
  await Promise.race([undoing, waitUntil('undoing waits', async () => (await countWaiting(watch)) === 2, 10_000)]);
  await holder.query('rollback');
  await Promise.all([importing, undoing]);
  expect(await files.readLivingRows(family, space, column)).toEqual(before);
  const state = await files.door.sql(
    'select undone_at is not null as undone from imports where group_id = ? and id = ?',
    [id, importId],
  );
  expect(state).toEqual([{ undone: true }]);
});

it.each([
  ['contacts', 'mail\nada@example.org\ndan@example.org\n'],
  ['donations', 'contact_mail,amount,transaction_date\nada@example.org,1,2024-05-06\n'],
])('%s that two undo at once are undone for both', async (family, content) => {
  const { space } = await files.createPeopledSpace();
  const id = Number(space);
  const { out } = await files.importFile(family, `${family}-twice.csv`, content, '--space', space);
  const importId = Number(files.readImportId(out));
  const [holder, watch] = [await openSession(files.door.databaseUrl), await openSession(files.door.databaseUrl)];
  await holder.query('begin');
  await holder.query('select from imports where group_id = $1 and id = $2 for update', [id, importId]);
  const caller = { userId: 1, roleType: 'superadmin', permissions: null, scope: 'admin' } as const;
  const undo = () => undoWholeImport(files.door.database.space(id), importId, caller, describeCommand('undoImport', 1));
  const undoing = [undo(), undo()];
  await waitUntil('both wait', async () => (await countWaiting(watch)) === 2, 10_000);
  await holder.query('rollback');
  const [one, two] = await Promise.all(undoing);
  expect(one).toEqual({ deleted: 1, restored: 0, left: 0 });
  expect(two).toEqual(one);
  await expect(undo()).rejects.toMatchObject({ code: 'conflict' });
});
