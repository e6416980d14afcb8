// Who may undo an import over the graph: whoever may undo imports, and write the records that it wrote.
import { beforeAll, expect, it, vi } from 'vitest';
import type { PermissionName, RoleType } from '../../src/permissions/permissions.ts';
import type { Answer } from '../harness/app.ts';
import { createMember } from '../harness/member.ts';
import { createFiles, type Files } from './files.ts';

vi.setConfig({ testTimeout: 120_000 });

let files: Files;
let space: string;
beforeAll(async () => {
  files = await createFiles();
  ({ space } = await files.createPeopledSpace());
});

const undoAs = async (id: string, who: { type: RoleType; permissions?: PermissionName[] }): Promise<Answer> => {
  const token = await createMember(files.door, { ...who, space: Number(space) });
  return files.door.graphql(
    'mutation ($id: ID!) { undoImport(input: { id: $id }) { deleted } }',
    { id: Number(id) },
    token,
  );
};

it.each<[family: string, needed: PermissionName, text: string]>([
  ['notes', 'notes.write', 'contact_mail,content\nada@example.org,Called\n'],
  ['interactions', 'notes.write', 'contact_mail,type\nada@example.org,call\n'],
  ['transactions', 'money.write', 'contact_mail,amount,date\nada@example.org,100,2024-01-01\n'],
  ['donations', 'money.write', 'contact_mail,amount,transaction_date\nada@example.org,100,2024-01-01\n'],
  ['memberships', 'money.write', 'contact_mail,amount,start_date\nada@example.org,100,2024-01-01\n'],
  ['sanctions', 'sanctions.write', 'contact_mail,status,start_date\nada@example.org,warning,2024-01-01\n'],
  ['emails', 'campaigns.write', 'contact_mail,opened_at\nada@example.org,2024-01-01\n'],
])('undoing an import of %s needs %s too', async (family, needed, text) => {
  const id = files.readImportId((await files.importFile(family, `${family}.csv`, text, '--space', space)).out);
  const others = (
    ['notes.write', 'money.write', 'sanctions.write', 'campaigns.write', 'contacts.write'] as const
  ).filter((name) => name !== needed);
  const refused = await undoAs(id, { type: 'custom', permissions: ['imports.write', ...others] });
  expect(refused.body.errors).toMatchObject([
    { message: expect.stringContaining(needed), extensions: { code: 'forbidden' } },
  ]);
  const living = family === 'emails' ? 'contact_id' : 'id';
  expect(await files.readLivingRows(family, space, living)).toHaveLength(1);
  const done = await undoAs(id, { type: 'custom', permissions: ['imports.write', needed] });
  expect(done.body).toEqual({ data: { undoImport: { deleted: 1 } } });
  expect(await files.readLivingRows(family, space, living)).toEqual([]);
});

it('only a superadmin may undo an import of interactions that admins do not see', async () => {
  const text = 'contact_mail,type,only_super_admin\nada@example.org,call,true\n';
  const id = files.readImportId((await files.importFile('interactions', 'hidden.csv', text, '--space', space)).out);
  expect((await undoAs(id, { type: 'admin' })).body.errors[0].extensions.code).toBe('forbidden');
  expect(await files.readLivingRows('interactions', space, 'id')).toHaveLength(1);
  expect((await undoAs(id, { type: 'superadmin' })).body.data.undoImport.deleted).toBe(1);
});
