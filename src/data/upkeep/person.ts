// The contacts that are one person: a contact, and those that were merged into it.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { createNotFoundProblem, Problem } from '../../problem.ts';

const find = defineStatement(
  'person.find',
  `with recursive person as (
     select c.id, c.merged_into from contacts c where c.group_id = :group and c.id = :id
     union
     select c.id, p.merged_into from person p join contacts c on c.group_id = :group and c.merged_into = p.id)
   select id, (select merged_into from contacts where group_id = :group and id = :id) as merged_into from person order by id`,
);
const lock = defineStatement(
  'person.lock',
  'select id from contacts where group_id = :group and id = any(:ids) order by id for update',
);

/** The ids of the contacts that are a person, deleted ones too. Throws 404 for a missing contact, 409 for one that was merged into another. */
export const readPersonIds = async (space: Space, id: number): Promise<number[]> => {
  const found = await space.rows<{ id: number; merged_into: number | null }>(find, { id });
  if (found.length === 0) throw createNotFoundProblem('contact', id);
  const { merged_into: survivor } = found[0]!;
  if (survivor !== null)
    throw new Problem('conflict', `Contact ${id} was merged into contact ${survivor}: name that one`, {
      errors: [{ location: 'contactId', message: `was merged into ${survivor}`, value: id }],
    });
  return found.map((one) => one.id);
};

/** The same, locked until the end of the transaction: nobody adds records to them. */
export const lockPerson = async (tx: Space, id: number): Promise<number[]> => {
  await tx.rows(lock, { ids: await readPersonIds(tx, id) });
  // A contact may have been merged into it while this waited.
  const ids = await readPersonIds(tx, id);
  await tx.rows(lock, { ids });
  return ids;
};
