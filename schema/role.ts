// Roles: what a user may do in a space.
import { listRoles, type RoleRow, readRolesByIds } from '../src/data/role.ts';
import { roleTypes } from '../src/role-type.ts';
import { builder } from './builder.ts';
import { defineEnumValues } from './enum.ts';
import { defineNodeFields, Node, registerNode } from './node.ts';

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
  }),
});

builder.queryField('roles', (t) =>
  t.field({
    type: [Role],
    description: 'The roles of the space, in their order.',
    resolve: (_, __, { space }) => listRoles(space),
  }),
);

registerNode(Role, ({ space }, ids) => readRolesByIds(space, ids));
