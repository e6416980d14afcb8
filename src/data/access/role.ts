// Roles of a space: what its users may do.
import { isDeepStrictEqual } from 'node:util';
import { buildLockOnNodeSql } from '../../database/lock-on-node.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { grantablePermissions, isAtLeast, type RoleType } from '../../permissions/permissions.ts';
import { createInvalidProblem, Problem } from '../../problem.ts';
import { defineReadByIds } from '../noun/crud.ts';
import { type Actor, lockReach, requireReach } from '../noun/reach.ts';
import { requireFound } from '../noun/references.ts';

export interface RoleRow {
  id: number;
  name: string;
  type: RoleType;
  position: number;
  color: string | null;
  mobile: boolean;
  web: boolean;
  /** The permissions of a custom role; null for the other types, which say what they may do. */
  permissions: string[] | null;
  /** Missing in the rows of users. */
  updated_at?: string;
}

/** The fields of a role that a caller can set. Undefined fields stay. Null clears `color` and `permissions`; it leaves the others. */
type RoleContent = { [Field in Exclude<keyof RoleRow, 'id' | 'updated_at'>]?: RoleRow[Field] | null | undefined };

/** A role `r` as JSON, for rows of users. */
export const roleJson = `json_build_object('id', r.id, 'name', r.name, 'type', r.type, 'position', r.position, 'color', r.color, 'mobile', r.mobile, 'web', r.web,
  'permissions', r.permissions)`;

/** As texts: what clients send is looked up among them. */
const names: readonly string[] = grantablePermissions;

const columns = 'id, name, type, position, color, mobile, web, permissions, updated_at';
const list = defineStatement(
  'role.list',
  `select ${columns} from roles where group_id = :group and deleted_at is null order by position, id`,
);
/** SQL of a role by its id, deleted or not. */
export const buildRoleSql = (id: string): string =>
  `select ${columns} from roles where group_id = :group and id = ${id}`;
export const readRolesByIds = defineReadByIds<RoleRow>(
  'role.by_ids',
  `select ${columns} from roles where group_id = :group and id = any(:ids) and deleted_at is null`,
);
const lock = defineStatement(
  'role.lock',
  buildLockOnNodeSql(
    `select ${columns} from roles where group_id = :group and id = :id and deleted_at is null for no key update`,
  ),
);
/** Without a position it comes last. */
const create = defineStatement(
  'role.create',
  `insert into roles (group_id, name, type, position, color, mobile, web, permissions)
   select :group, :name, :type,
           coalesce(cast(:position as int), (select coalesce(max(position) + 1, 0) from roles where group_id = :group and deleted_at is null)),
           :color, coalesce(cast(:mobile as boolean), true), coalesce(cast(:web as boolean), true), cast(:permissions as text[])
   returning ${columns}`,
);
const update = defineStatement(
  'role.update',
  `update roles set name = :name, type = :type, position = :position, color = :color, mobile = :mobile, web = :web,
          permissions = cast(:permissions as text[]), updated_at = now()
    where group_id = :group and id = :id returning ${columns}`,
);
/** Secrets were given to people who may invite to the role as it was: whoever has one must not get more by it. */
const endSecrets = defineStatement(
  'role.end_secrets',
  `update invitations set secret_hash = null, expires_at = null, updated_at = now()
    where group_id = :group and role_id = :id and secret_hash is not null and deleted_at is null`,
);
const hasSuperadmin = defineStatement(
  'role.has_superadmin',
  `select 1 from members m join users u on u.id = m.user_id and u.deleted_at is null
     join roles r on r.group_id = m.group_id and r.id = m.role_id and r.type = 'superadmin'
    where m.group_id = :group limit 1`,
);

export const listRoles = (space: Space): Promise<RoleRow[]> => space.rows(list);

/** Throws 400 for permissions of a role that is not custom, and for names of no group. */
const checkPermissions = (type: RoleType, permissions: readonly string[] | null | undefined): void => {
  if (!permissions) return;
  if (type !== 'custom')
    throw createInvalidProblem([
      {
        location: 'input.permissions',
        message: `must be left out: the type ${type} says what the role may do`,
        value: permissions,
      },
    ]);
  checkPermissionNames(permissions, 'a role');
};

/** Throws 400 for names of no permission that `holder` can name. */
export const checkPermissionNames = (permissions: readonly string[], holder: 'a role' | 'an app'): void => {
  const faults = permissions.flatMap((value, index) =>
    names.includes(value)
      ? []
      : [
          {
            location: `input.permissions[${index}]`,
            message: `is no permission that ${holder} can name; there are ${names.join(', ')}`,
            value,
          },
        ],
  );
  if (faults.length > 0) throw createInvalidProblem(faults);
};

const requireAdmin = (actor: RoleType): void => {
  if (!isAtLeast(actor, 'admin')) throw new Problem('forbidden', `A ${actor} may not change roles`);
};

/** Creates a role. Throws 403 for one that reaches further than the actor, 400 for permissions that do not suit it. */
export const createRole = (
  space: Space,
  content: RoleContent & { name: string; type: RoleType },
  actor: Actor,
): Promise<RoleRow> => {
  const { name, type, position = null, color = null, mobile = null, web = null } = content;
  const permissions = sortPermissions(content.permissions);
  checkPermissions(type, content.permissions);
  return space.transaction(async (tx) => {
    const reach = await lockReach(tx, actor);
    requireAdmin(reach.actor);
    requireReach(reach.actor, type, 'make the role of');
    return (await tx.row<RoleRow>(create, { name, type, position, color, mobile, web, permissions }))!;
  });
};

/** Each name once, in the order of the groups: equal permissions are stored equally. */
export const sortPermissions = (permissions: readonly string[] | null | undefined): string[] | null =>
  permissions ? [...new Set(permissions)].sort((one, other) => names.indexOf(one) - names.indexOf(other)) : null;

/** The role with the given fields. A role that is no longer custom loses its permissions. */
const applyContent = (before: RoleRow, { color, permissions, ...content }: RoleContent): RoleRow => {
  const type = content.type ?? before.type;
  const stored = type === 'custom' ? before.permissions : null;
  return {
    ...before,
    name: content.name ?? before.name,
    type,
    position: content.position ?? before.position,
    color: color === undefined ? before.color : color,
    mobile: content.mobile ?? before.mobile,
    web: content.web ?? before.web,
    permissions: permissions === undefined ? stored : sortPermissions(permissions),
  };
};

/**
 * Updates the given fields of a role. A type that reaches further ends the secrets of invitations to the role. Throws 404 when it is missing, 403 when it reaches further than the actor, or would, 400 for
 * permissions that do not suit it, 409 when no superadmin would be left in the space.
 */
export const updateRole = (space: Space, id: number, content: RoleContent, actor: Actor): Promise<RoleRow> =>
  space.transaction(async (tx) => {
    const reach = await lockReach(tx, actor);
    requireAdmin(reach.actor);
    const before = requireFound('role', id, await tx.row<RoleRow>(lock, { id }));
    requireReach(reach.actor, before.type, 'change the role of');
    const after = applyContent(before, content);
    checkPermissions(after.type, content.permissions);
    requireReach(reach.actor, after.type, 'make the role of');
    if (isDeepStrictEqual(after, before)) return before;
    const changed = (await tx.row<RoleRow>(update, { ...after }))!;
    if (!isAtLeast(before.type, after.type)) await tx.rows(endSecrets, { id });
    if (before.type === 'superadmin' && after.type !== 'superadmin' && !(await tx.row(hasSuperadmin)))
      throw new Problem(
        'conflict',
        'No superadmin would be left in the space: first make somebody else one, with another role',
      );
    return changed;
  });
