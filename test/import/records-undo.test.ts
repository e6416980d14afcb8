// Undoing imports of records: what is deleted, what is left, and what then becomes of the import of their contacts.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { mergeContacts } from '../../src/data/import/merge.ts';
import { undoImport } from '../../src/data/import/undo.ts';
import { describeCommand } from '../../src/data/noun/audit.ts';
import type { Door } from '../harness/app.ts';
import { createFiles, type Files } from './files.ts';

vi.setConfig({ testTimeout: 120_000 });

let door: Door;
let files: Files;
beforeAll(async () => {
  files = await createFiles();
  door = files.door;
});

const gift = 'contact_mail,amount,transaction_date\n';
const gifts = `${gift}ada@example.org,100,2024-01-01\nada@example.org,200,2024-01-02\nbob@example.org,300,2024-01-03\n`;

describe('undoing an import of records', () => {
  it('deletes those that nobody has changed since, and no other', async () => {
    const { space } = await files.createPeopledSpace();
    await files.importFile('donations', 'before.csv', `${gift}cleo@example.org,1,2024-01-01\n`, '--space', space);
    const id = files.readImportId((await files.importFile('donations', 'gifts.csv', gifts, '--space', space)).out);
    await door.sql('update donations set amount = 201, updated_at = now() where group_id = ? and amount = 200', [
      space,
    ]);
    await door.sql('update donations set deleted_at = now() where group_id = ? and amount = 300', [space]);
    await door.sql('select refresh_search(?, array(select id from contacts where group_id = ?))', [space, space]);
    const { code, out } = await files.undoImport(id, space);
    expect([code, out]).toEqual([
      0,
      `import ${id} undone: 1 donations deleted, 2 kept because they were changed since\n`,
    ]);
    expect(await files.readLivingRows('donations', space, 'amount')).toEqual([{ amount: 1 }, { amount: 201 }]);
    expect(await files.findStaleRows(space)).toEqual([]);
    expect((await files.undoImport(id, space)).err).toContain('was undone already');
    expect((await files.undoImport(id, await files.createSpace())).err).toContain(`There is no import ${id}`);
  });

  it('deletes those of a contact that was merged since', async () => {
    const { space } = await files.createPeopledSpace();
    const gifts = `${gift}bob@example.org,300,2024-01-03\n`;
    const id = files.readImportId((await files.importFile('donations', 'merged.csv', gifts, '--space', space)).out);
    const people = await files.readLivingRows('contacts', space, 'id, surname');
    const [ada, bob] = ['Ada', 'Bob'].map((surname) => people.find((one) => one.surname === surname)!.id);
    const reader = { roleType: 'superadmin', permissions: null, scope: 'admin' } as const;
    const merge = { survivor: ada, others: [bob], dryRun: false, by: 1, reader, parts: [] };
    await mergeContacts(door.database.space(Number(space)), merge);
    expect((await files.undoImport(id, space)).out).toContain('1 donations deleted, 0 kept');
    expect(await files.readLivingRows('donations', space, 'amount')).toEqual([]);
    expect(await files.findStaleRows(space)).toEqual([]);
  });

  it('tells in the end what all of its runs came to, and counts none twice', async () => {
    const { space } = await files.createPeopledSpace();
    const many = Array.from({ length: 2300 }, (_, n) => `ada@example.org,${n + 1},2024-01-01\n`).join('');
    const id = files.readImportId((await files.importFile('donations', 'many.csv', gift + many, '--space', space)).out);
    const [first] = await door.sql('select max(id) as id from donations where group_id = ?', [space]);
    await door.sql('update donations set amount = 5000, updated_at = now() where id = ?', [first.id]);
    const run = undoImport(door.database.space(Number(space)), Number(id), null, describeCommand('undoImport'));
    expect((await run.next()).value).toEqual({ deleted: 999, restored: 0, left: 1 });
    await run.return(undefined);
    expect((await files.undoImport(id, space)).out).toBe(
      `import ${id} undone: 2,299 donations deleted, 1 kept because they were changed since\n`,
    );
  });

  it('tells e-mails of which something became since, and deletes the files of interactions', async () => {
    const { space } = await files.createPeopledSpace();
    const mails = 'contact_mail,opened_at\nada@example.org,2024-01-01\nbob@example.org,2024-01-01\n';
    const emails = files.readImportId((await files.importFile('emails', 'mails.csv', mails, '--space', space)).out);
    await door.sql(
      `update emails e set clicked_at = now() from contacts c where e.group_id = ? and c.group_id = e.group_id and c.id = e.contact_id and c.mail = 'bob@example.org'`,
      [space],
    );
    expect((await files.undoImport(emails, space)).out).toContain('1 emails deleted, 1 kept');
    expect(await files.readLivingRows('emails', space, 'clicked_at is null as left')).toEqual([{ left: false }]);
    const call = '{"contact_mail":"ada@example.org","type":"call","files":[{"name":"a","url":"/a"}]}\n';
    const calls = files.readImportId(
      (await files.importFile('interactions', 'calls.ndjson', call, '--space', space)).out,
    );
    expect(await files.readLivingRows('files', space, 'name')).toEqual([{ name: 'a' }]);
    expect((await files.undoImport(calls, space)).out).toContain('1 interactions deleted, 0 kept');
    expect(await files.readLivingRows('files', space, 'name')).toEqual([]);
    await door.sql('select refresh_emails(?, array(select id from contacts where group_id = ?))', [space, space]);
    expect(await files.findStaleRows(space)).toEqual([]);
  });

  it('counts a note that a later row of the file unpinned as its own', async () => {
    const { space } = await files.createPeopledSpace();
    const notes = 'contact_mail,content,pinned\nada@example.org,a,yes\nada@example.org,b,yes\n';
    const { out } = await files.importFile('notes', 'pins.csv', notes, '--space', space, '--batch', '1');
    expect(await files.readLivingRows('notes', space, 'content, pinned')).toEqual([
      { content: 'a', pinned: false },
      { content: 'b', pinned: true },
    ]);
    expect((await files.undoImport(files.readImportId(out), space)).out).toContain('2 notes deleted, 0 kept');
  });

  it('leaves the import of their contacts to be undone too, in this order', async () => {
    const { space, contacts } = await files.createPeopledSpace();
    // Ada is changed by two batches and by two imports.
    const first = files.readImportId(
      (await files.importFile('donations', 'one.csv', gifts, '--space', space, '--batch', '1')).out,
    );
    const second = files.readImportId(
      (await files.importFile('sanctions', 's.csv', 'contact_mail,status\nada@example.org,x\n', '--space', space)).out,
    );
    await files.undoImport(first, space);
    await files.undoImport(second, space);
    expect((await files.undoImport(contacts, space)).out).toContain('3 contacts deleted, 0 restored, 0 kept');
  });

  it.each([
    ['records of it are still there', async () => {}, '1 contacts deleted, 0 restored, 2 kept'],
    [
      'somebody else has changed it meanwhile',
      async (space: string, id: string) => {
        await door.sql(
          `select touch_contacts(?, array(select id from contacts where group_id = ? and surname = 'Ada'), 1)`,
          [space, space],
        );
        await files.undoImport(id, space);
      },
      '2 contacts deleted, 0 restored, 1 kept',
    ],
  ])('leaves a contact when %s', async (_, meanwhile, said) => {
    const { space, contacts } = await files.createPeopledSpace();
    const id = files.readImportId((await files.importFile('donations', 'kept.csv', gifts, '--space', space)).out);
    await meanwhile(space, id);
    expect((await files.undoImport(contacts, space)).out).toContain(said);
  });

  it('names who did it, and keeps who last edited the contact when nobody is named', async () => {
    const { space } = await files.createPeopledSpace();
    const editors = () => files.readLivingRows('contacts', space, 'user_id');
    await door.sql('update contacts set user_id = 2 where group_id = ?', [space]);
    const { out } = await files.importFile(
      'notes',
      'by.csv',
      'contact_mail,content\nada@example.org,x\n',
      '--space',
      space,
    );
    expect(await editors()).toEqual([{ user_id: 2 }, { user_id: 2 }, { user_id: 2 }]);
    await files.undoImport(files.readImportId(out), space, '--user', '1');
    expect(await editors()).toEqual([{ user_id: 1 }, { user_id: 2 }, { user_id: 2 }]);
  });
});
