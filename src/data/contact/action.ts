// Actions, and the contacts that are linked to them.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { createNotFoundProblem } from '../../problem.ts';
import { buildLockContactsSql, bumpVersionsShowing } from '../noun/lock-contacts.ts';
import { defineNoun, type NounRow } from '../noun/noun.ts';
import { listReferencesIn, requireFound, requireKnownReferences } from '../noun/references.ts';

export const actions = defineNoun('Action', {
  table: 'actions',
  of: 'space',
  called: 'the action',
  description: 'Something that contacts take part in.',
  columns: {
    name: { kind: 'text', required: true, description: 'Name of the action.', isOrder: true },
    starts_at: { kind: 'instant', description: 'When it begins.', isOrder: true },
  },
});

export type ActionRow = NounRow<typeof actions>;

const lock = defineStatement(
  'action.lock',
  'select id from actions where group_id = :group and id = :id and deleted_at is null for no key update',
);

/**
 * Soft-deletes an action. Its contacts no longer show it, and are marked as changed; their search rows stay, since searches check whether
 * an action lives. Throws 404 when it is missing.
 */
export const deleteAction = (space: Space, userId: number, id: number): Promise<number> =>
  space.transaction(async (tx) => {
    requireFound('action', id, await tx.row(lock, { id }));
    await bumpVersionsShowing(tx, 'action', id);
    return actions.remove(tx, userId, id);
  });

const lockForLinking = defineStatement(
  'action.lock_for_linking',
  `with locked as (
     ${buildLockContactsSql('c.id = any(:contactIds)')})
   select array(select id from locked) as locked,
          exists (select 1 from actions a where a.group_id = :group and a.id = :actionId and a.deleted_at is null) as living`,
);
const defineLinking = (name: string, change: string) =>
  defineStatement(
    name,
    `with changed as (${change} returning contact_id)
   select array(select contact_id from changed order by contact_id) as changed,
          (select count(*) from touch_contacts(:group, array(select contact_id from changed), :userId)) as touched`,
  );
const link = defineLinking(
  'action.link',
  `insert into contact_actions (group_id, contact_id, action_id)
     select :group, unnest(cast(:contactIds as bigint[])), :actionId on conflict do nothing`,
);
const unlink = defineLinking(
  'action.unlink',
  `delete from contact_actions x where x.group_id = :group and x.contact_id = any(:contactIds) and x.action_id = :actionId`,
);

interface Linking {
  actionId: number;
  contactIds: readonly number[];
  userId: number;
}

const run =
  (change: typeof link) =>
  (space: Space, wanted: Linking): Promise<number[]> =>
    space.transaction(async (tx) => {
      const contactIds = [...new Set(wanted.contactIds)];
      const { locked, living } = (await tx.row<{ locked: number[]; living: boolean }>(lockForLinking, {
        ...wanted,
        contactIds,
      }))!;
      if (!living) throw createNotFoundProblem('action', wanted.actionId);
      requireKnownReferences('contact', listReferencesIn('input.contactIds', wanted.contactIds), locked);
      return (await tx.row<{ changed: number[] }>(change, { ...wanted, contactIds }))!.changed;
    });

/** Links contacts to an action; yields those that were not linked yet. Throws 404 for a missing action, 422 for missing contacts. */
export const linkAction = run(link);
/** Unlinks contacts from an action; yields those that were linked. Throws like `linkAction`. */
export const unlinkAction = run(unlink);
