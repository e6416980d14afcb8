// Undoes imports: deletes the contacts that they created, and makes those that they changed what they were before.
import { Problem } from '../problem.ts';
import type { ContactContent } from './contact-content.ts';
import { changeContacts, lockContacts, refreshContacts } from './contact-write.ts';
import { readImport } from './import.ts';
import { type Space, statement } from './space.ts';

/** How many contacts were deleted, how many are as before, how many somebody has changed since, which were left. */
export interface Undone {
  deleted: number;
  restored: number;
  left: number;
}

const traced = statement(
  'import.traced',
  `select contact_id as id, version, before from import_contacts where group_id = :group and import_id = :import order by contact_id desc limit :limit`,
);
const forget = statement(
  'import.forget',
  'delete from import_contacts where group_id = :group and import_id = :import and contact_id = any(:ids)',
);
const bury = statement(
  'import.bury',
  `update contacts set deleted_at = now(), updated_at = now(), lastchange = now(), version = version + 1
    where group_id = :group and id = any(:ids)`,
);
const undone = statement('import.undone', 'update imports set undone_at = now() where group_id = :group and id = :id');

interface Traced {
  id: number;
  version: number;
  before: (Omit<ContactContent, 'answers'> & { answers: (Record<string, never> & { custom: boolean })[] }) | null;
}

/** What makes a contact what it was before. */
const contentOf = ({ answers, ...content }: NonNullable<Traced['before']>): ContactContent => {
  const said = (custom: boolean) => answers.flatMap(({ custom: is, ...answer }) => (is === custom ? [answer] : []));
  return {
    ...content,
    answers: [
      { replaces: 'answers', answers: said(false) as never },
      { replaces: 'custom_fields', answers: said(true) as never },
    ],
  };
};

/**
 * Undoes an import, some contacts at a time: those it created are deleted, those it changed are as they were before. A contact
 * that somebody has changed since is left as it is. Can be taken up where it was cut off. Throws 404 when there is no such import.
 */
export async function* undoImport(space: Space, id: number, by: number | null): AsyncGenerator<Undone> {
  const { undone_at } = await readImport(space, id);
  if (undone_at) throw new Problem('conflict', `The import ${id} was undone already`);
  for (;;) {
    const step = await space.transaction(async (tx) => {
      const rows = await tx.rows<Traced>(traced, { import: id, limit: 500 });
      const living = await lockContacts(
        tx,
        rows.map((row) => row.id),
      );
      const same = rows.filter((row) => living.get(row.id) === row.version);
      const made = same.flatMap(({ id: contact, before }) => (before ? [] : [contact]));
      const changed = same.flatMap(({ id: contact, before }) =>
        before ? [{ id: contact, content: contentOf(before), at: '' }] : [],
      );
      await changeContacts(tx, changed, by);
      if (made.length > 0) {
        await tx.rows(bury, { ids: made });
        await refreshContacts(tx, made);
      }
      await tx.rows(forget, { import: id, ids: rows.map((row) => row.id) });
      if (rows.length === 0) await tx.rows(undone, { id });
      return { rows: rows.length, deleted: made.length, restored: changed.length, left: rows.length - same.length };
    });
    if (step.rows === 0) return;
    yield step;
  }
}

/** The same in one go. */
export const undoWhole = async (space: Space, id: number, by: number): Promise<Undone> => {
  const sum = { deleted: 0, restored: 0, left: 0 };
  for await (const { deleted, restored, left } of undoImport(space, id, by)) {
    sum.deleted += deleted;
    sum.restored += restored;
    sum.left += left;
  }
  return sum;
};
