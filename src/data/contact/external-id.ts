// Assigns external ids to contacts: each belongs to one living contact only.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { type Fault, Problem } from '../../problem.ts';
import type { ColumnValue, ContactContent } from './patch.ts';
import type { StoredContact } from './stored-contact.ts';

const holders = defineStatement(
  'contact.external_holders',
  'select id, external_id from contacts where group_id = :group and external_id = any(cast(:ids as text[])) and deleted_at is null',
);

const holderOfDeleted = defineStatement(
  'contact.external_holder_of_deleted',
  `select o.id from contacts d join contacts o on o.group_id = :group and o.external_id = d.external_id and o.deleted_at is null
    where d.group_id = :group and d.id = :id and d.deleted_at is not null and d.merged_into is null`,
);

/** Throws 409 when the external id of a deleted contact has become that of another one. */
export const requireFreeExternalId = async (tx: Space, id: number): Promise<void> => {
  const holder = await tx.row<{ id: number }>(holderOfDeleted, { id });
  if (!holder) return;
  throw new Problem('conflict', `Its external id is that of contact ${holder.id} now: change or clear it there first`);
};

/** A contact while its records are applied. */
interface Owner {
  id: number | null;
  after: StoredContact;
}

/** Reads the owner of each external id, for as long as the records of a batch are applied in order: a stored contact by its id, or a new one. */
export const readExternalIds = async (tx: Space, contents: readonly ContactContent[]) => {
  const ids = [...new Set(contents.flatMap(({ columns }) => columns.external_id ?? []))];
  const rows = ids.length === 0 ? [] : await tx.rows<{ id: number; external_id: string }>(holders, { ids });
  const owners = new Map<ColumnValue, number | Owner>(rows.map(({ id, external_id }) => [external_id, id]));
  return {
    /** The fault of an id that another contact has, which it names. */
    findFault(owner: Owner, id: ColumnValue | undefined, location: string): Fault | undefined {
      const holder = id === undefined ? undefined : owners.get(id);
      if (holder === undefined || holder === (owner.id ?? owner)) return undefined;
      const message = `is the external id of ${typeof holder === 'number' ? `contact ${holder}` : 'another record'}`;
      return { location, message, value: id };
    },
    /** Assigns an id, which no other contact has, to a contact; undefined for none. */
    assign(owner: Owner, id: ColumnValue | undefined): void {
      if (id === undefined) return;
      owners.delete(owner.after.columns.external_id ?? null);
      if (id !== null) owners.set(id, owner.id ?? owner);
    },
  };
};
export type ExternalIds = Awaited<ReturnType<typeof readExternalIds>>;
