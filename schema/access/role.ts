// Roles: what a user may do in a space.

import { createRole, listRoles, type RoleRow, readRolesByIds, updateRole } from '../../src/data/access/role.ts';
import { replaceBlanks } from '../../src/input/blank.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { limits } from '../../src/limits/limits.ts';
import { grantablePermissions, roleTypes, usualCustomPermissions } from '../../src/permissions/permissions.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { defineRecordMutation, type InputBuilder } from '../graph/mutation.ts';
import { defineNodeFields, Node, registerNode, requireId } from '../graph/node.ts';
import { nonBlank, refuseNullFields, shortText } from '../graph/validators.ts';

export const RoleType = builder.enumType('RoleType', {
  description: 'How far a role reaches, from everything (superadmin) to reading and writing notes (user, custom).',
  values: defineEnumValues(
    Object.fromEntries(roleTypes.map((type) => [type, `A role of type ${type}.`])) as Record<RoleRow['type'], string>,
  ),
});

export const Role = builder.objectRef<RoleRow>('Role').implement({
  interfaces: [Node],
  description: 'What a user may do in a space. A user has one in each.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Role'),
    name: t.exposeString('name', { description: 'Name of the role.' }),
    type: t.expose('type', { type: RoleType, description: 'How far the role reaches.' }),
    position: t.exposeInt('position', { description: 'Place of the role among the roles of the space.' }),
    color: t.exposeString('color', { nullable: true, description: 'Colour to show it in.' }),
    mobile: t.exposeBoolean('mobile', { description: 'Whether it may use the mobile app.' }),
    web: t.exposeBoolean('web', { description: 'Whether it may use the web app.' }),
    permissions: t.exposeStringList('permissions', {
      nullable: true,
      description: `The groups of operations that a custom role may use, perhaps none; null for roles of other types, and for a custom role without a list, which has ${usualCustomPermissions.join(', ')}.`,
    }),
  }),
});

builder.queryField('roles', (t) =>
  t.field({
    type: [Role],
    description: 'The roles of the space, in their order.',
    resolve: (_, __, { space }) => listRoles(space),
  }),
);

const defineRoleFields = <Required extends boolean>(t: InputBuilder, required: Required) => ({
  name: t.string({ required, validate: nonBlank, description: 'Name of the role; not blank.' }),
  type: t.field({
    type: RoleType,
    required,
    description: "How far the role reaches; no further than the caller's own.",
  }),
  position: t.int({ description: 'Place among the roles of the space; without it a new role is the last.' }),
  color: t.string({ validate: shortText, description: 'Colour to show it in.' }),
  mobile: t.boolean({ description: 'Whether it may use the mobile app.' }),
  web: t.boolean({ description: 'Whether it may use the web app.' }),
  permissions: t.stringList({
    validate: limitListLength([0, limits.list.permissions], 'permissions'),
    description: `The permissions of a custom role: ${grantablePermissions.join(', ')}. Without the list, or with null, it has ${usualCustomPermissions.join(', ')}; with an empty one it has none.`,
  }),
});

defineRecordMutation('createRole', {
  type: Role,
  description: 'Creates a role that reaches no further than that of the caller.',
  blank: 'null',
  input: (t) => defineRoleFields(t, true),
  resolve: (input, { space, caller }) => createRole(space, replaceBlanks(input, 'null'), caller),
});

defineRecordMutation('updateRole', {
  type: Role,
  description:
    'Changes a role that reaches no further than that of the caller, and will not. Users who have it are affected at once. The last superadmin stays one.',
  about: 'What to change of a role. Fields left out stay.',
  blank: 'null',
  input: (t) => ({ id: t.field(requireId('Role')), ...defineRoleFields(t, false) }),
  validate: refuseNullFields('name', 'type', 'position', 'mobile', 'web'),
  resolve: ({ id, ...input }, { space, caller }) => updateRole(space, id, replaceBlanks(input, 'null'), caller),
});

registerNode(Role, { read: ({ space }, ids) => readRolesByIds(space, ids) });
