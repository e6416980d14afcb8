// Pairs of contacts that somebody has said are two people: no list of duplicates shows them, and no merge joins them.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { type Fault, Problem } from '../../problem.ts';
import { lockContacts } from './write.ts';

const pairsSql = `unnest(cast(:ids as bigint[])) a (id) join unnest(cast(:ids as bigint[])) b (id) on a.id < b.id`;
const keep = defineStatement(
  'kept_apart.keep',
  `insert into kept_apart (group_id, contact_id, other_id, user_id) select :group, a.id, b.id, :by from ${pairsSql}
       on conflict do nothing returning contact_id, other_id`,
);
const release = defineStatement(
  'kept_apart.release',
  `delete from kept_apart k using ${pairsSql} where k.group_id = :group and k.contact_id = a.id and k.other_id = b.id returning k.contact_id, k.other_id`,
);
const among = defineStatement(
  'kept_apart.among',
  'select contact_id, other_id from kept_apart where group_id = :group and contact_id = any(:ids) and other_id = any(:ids) order by contact_id, other_id',
);
/** The survivor is kept apart from everybody who was kept apart from one of the others. */
const follow = defineStatement(
  'kept_apart.follow',
  `insert into kept_apart (group_id, contact_id, other_id, user_id)
   select :group, least(cast(:survivor as bigint), p.id), greatest(cast(:survivor as bigint), p.id), p.user_id from (
     select other_id as id, user_id from kept_apart where group_id = :group and contact_id = any(:others)
     union all select contact_id, user_id from kept_apart where group_id = :group and other_id = any(:others)) p
    where p.id <> :survivor on conflict do nothing`,
);

export interface Pair {
  contact_id: number;
  other_id: number;
}

/** Locks the contacts, in the order of their ids. Throws 422 for one that is missing or named twice. */
const requireContacts = async (tx: Space, ids: readonly number[]): Promise<void> => {
  const living = await lockContacts(tx, [...new Set(ids)]);
  const faults = ids.flatMap((value, index): Fault[] => {
    const isTwice = ids.indexOf(value) < index;
    if (living.has(value) && !isTwice) return [];
    const message = isTwice ? 'is named twice' : 'is not a contact of the space';
    return [{ location: `input.contactIds[${index}]`, message, value }];
  });
  if (faults.length > 0)
    throw new Problem('unprocessable', 'Not all of these are contacts of the space', { errors: faults });
};

/** Keeps each of these contacts apart from each other one. Returns the pairs that are new. Throws 422 for a contact that is missing or named twice. */
export const keepContactsApart = (space: Space, ids: readonly number[], by: number): Promise<Pair[]> =>
  space.transaction(async (tx) => {
    await requireContacts(tx, ids);
    return tx.rows<Pair>(keep, { ids, by });
  });

/** Lets these contacts be one person again. Returns the pairs that were kept apart. Throws 422 as `keepContactsApart`. */
export const releaseContacts = (space: Space, ids: readonly number[]): Promise<Pair[]> =>
  space.transaction(async (tx) => {
    await requireContacts(tx, ids);
    return tx.rows<Pair>(release, { ids });
  });

export const listKeptApart = (space: Space, ids: readonly number[]): Promise<Pair[]> => space.rows(among, { ids });

/** Throws 409 when two of these contacts, which the transaction has locked, are kept apart. */
export const requireMergeable = async (tx: Space, ids: readonly number[]): Promise<void> => {
  const [pair] = await listKeptApart(tx, ids);
  if (pair)
    throw new Problem(
      'conflict',
      `Contacts ${pair.contact_id} and ${pair.other_id} are kept apart: if they are one person, release them first`,
    );
};

/** Keeps the survivor of a merge apart from those that the others were kept apart from. */
export const moveKeptApart = (tx: Space, survivor: number, others: readonly number[]): Promise<unknown> =>
  tx.rows(follow, { survivor, others });
