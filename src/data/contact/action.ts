// Actions, and the contacts that are linked to them.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { createNotFoundProblem } from '../../problem.ts';
import { bumpVersionsShowing } from '../noun/bump-versions.ts';
import { defineRecordsOfSpace } from '../noun/crud.ts';
import { buildLockContactsSql } from '../noun/lock-contacts.ts';
import { defineRecordList } from '../noun/record-list.ts';
import { listReferencesIn, requireKnownReferences } from '../noun/references.ts';

export interface ActionRow {
  id: number;
  group_id: number;
  name: string;
  starts_at: string | null;
  created_at: string;
  updated_at: string;
}

const records = defineRecordsOfSpace<ActionRow>({
  table: 'actions',
  noun: 'action',
  columns: { name: {}, starts_at: {} },
});
const lock = defineStatement(
  'action.lock',
  'select id from actions where group_id = :group and id = :id and deleted_at is null for no key update',
);

export const listActions = {
  ...records,
  /**
   * Soft-deletes an action. Its contacts no longer show it, and are marked as changed; their search rows stay, since searches check whether
   * an action lives.
   */
  remove: (space: Space, userId: number, id: number): Promise<number> =>
    space.transaction(async (tx) => {
      if (!(await tx.row(lock, { id }))) throw createNotFoundProblem('action', id);
      await bumpVersionsShowing(tx, 'action', id);
      return records.remove(tx, userId, id);
    }),
};

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

export const actionList = defineRecordList<ActionRow>()(records, {
  fields: {
    name: { column: 'r.name', type: 'text' },
    startsAt: { column: 'r.starts_at', type: 'instant', nullable: true },
  },
  orders: ['id', 'name', 'startsAt', 'createdAt', 'updatedAt'],
  isShort: true,
});
