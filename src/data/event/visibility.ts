// Which changes somebody may see, and what a webhook may send: what its creator and its last editor may both read.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import {
  type Authority,
  intersectAuthorities,
  isPermitted,
  listUnreadableFamilies,
} from '../../permissions/authority.ts';
import { findTypePermission, isAtLeast, type RoleType } from '../../permissions/permissions.ts';
import { type Actor, lockReach, requireReach } from '../noun/reach.ts';
import { type PublishedType, publishedTypes } from './published.ts';

/** Values of the condition below. */
export interface Visibility {
  /** Types of the graph. */
  types: readonly string[];
  /** Those who must all be in a private team. */
  userIds: readonly number[];
  seesAllTeams: boolean;
  /** Families of records: who enters or leaves a segment that asks for them is hidden. */
  unreadableFamilies: readonly string[];
  seesAllInteractions: boolean;
}

/** Types whose changes somebody may see, of all or of these. */
const listReadableTypes = (authority: Authority, types?: readonly string[] | null): PublishedType[] =>
  publishedTypes.filter((type) => {
    const permission = findTypePermission(type);
    return (!types || types.includes(type)) && (!permission || isPermitted(authority, permission));
  });

export const buildVisibility = (
  authority: Authority & { userIds: readonly number[] },
  types?: readonly string[] | null,
): Visibility => ({
  types: listReadableTypes(authority, types),
  userIds: authority.userIds,
  seesAllTeams: isAtLeast(authority.roleType, 'admin'),
  unreadableFamilies: listUnreadableFamilies(authority),
  seesAllInteractions: authority.roleType === 'superadmin',
});

const recordSql = `(s.type <> 'Team' or :seesAllTeams or exists (
         select 1 from teams t where t.group_id = :group and t.id = s.record_id
            and (not t.private or cardinality(cast(:userIds as bigint[])) = (
              select count(*) from team_users u where u.group_id = :group and u.team_id = t.id and u.user_id = any(cast(:userIds as bigint[]))))))
       and (s.type <> 'Interaction' or :seesAllInteractions or exists (
         select 1 from interactions i where i.group_id = :group and i.id = s.record_id and not i.only_super_admin))`;
const kindSql = `s.type = any(cast(:types as text[])) and (s.operation not in ('entered', 'left') or not s.fields && cast(:unreadableFamilies as text[]))`;

/** The condition that the record of a change `s` may be read. A hidden record that is deleted for good stays hidden. */
export const readableSql = `${kindSql} and ${recordSql}`;

/** The condition that a change `s` is told. It includes the update that hides a record: a follower would keep its copy otherwise. */
export const visibleSql = `${kindSql} and (s.fields && '{private,only_super_admin}' or ${recordSql})`;

/** The events that a webhook may be sent. */
interface WebhookRights extends Authority {
  /** Those of the creator and the last editor who see only the private teams that they are in. */
  userIds: readonly number[];
}

/** Why a webhook without rights is disabled. */
export const ownerLeft = 'the user who created it, or the one who last changed it, has left the space';

const readOwners = defineStatement(
  'webhook.owners',
  `select w.id, coalesce(w.user_id <> w.editor_id, false) as has_two, m.user_id as "userId", r.type as "roleType", r.permissions
     from webhooks w
     join spaces s on s.id = w.group_id and s.deleted_at is null
     join members m on m.group_id = w.group_id and m.user_id in (w.user_id, w.editor_id)
     join roles r on r.group_id = m.group_id and r.id = m.role_id
     join users u on u.id = m.user_id and u.deleted_at is null
    where w.group_id = :group and w.id = any(:ids)`,
);

type OwnerRow = Omit<Authority, 'scope'> & { id: number; has_two: boolean; userId: number };

const combineOwners = (owners: readonly OwnerRow[]): WebhookRights => ({
  ...owners
    .map(({ roleType, permissions }): Authority => ({ roleType, permissions, scope: 'admin' }))
    .reduce(intersectAuthorities),
  userIds: owners.flatMap(({ userId, roleType }) => (isAtLeast(roleType, 'admin') ? [] : [userId])),
});

/** The rights that these webhooks have now; nothing for those without any, and in a deleted space. */
export const readWebhookRights = async (space: Space, ids: readonly number[]): Promise<Map<number, WebhookRights>> => {
  const rows = await space.rows<OwnerRow>(readOwners, { ids });
  const all = ids.map((id) => [id, rows.filter((row) => row.id === id)] as const);
  return new Map(
    all.flatMap(([id, owners]) =>
      owners.length > 0 && owners.length === (owners[0]!.has_two ? 2 : 1) ? [[id, combineOwners(owners)] as const] : [],
    ),
  );
};

/** Whether the secret of an invitation to this type of role may be sent: to whoever may invite to it themselves. */
export const mayGetSecret = (rights: WebhookRights, roleType: RoleType): boolean =>
  isPermitted(rights, 'members.write') && isAtLeast(rights.roleType, roleType);

/**
 * Locks the space against changes of its roles, and throws 403 for webhooks that reach further than the actor. `deed` says what they want to do:
 * `change`. Anybody may stop one that reaches nowhere.
 */
export const requireReachOver = async (
  tx: Space,
  ids: readonly number[],
  actor: Actor,
  deed: string,
): Promise<void> => {
  const reach = await lockReach(tx, actor);
  for (const [id, { roleType }] of await readWebhookRights(tx, ids))
    requireReach(reach.actor, roleType, `${deed} webhook ${id}, which has the rights of`);
};
