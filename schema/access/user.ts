// Users of a space, and the caller among them (spec §2.5, §4.5, §4.6).

import type { Context } from '../../src/context.ts';
import { changeMemberRole, removeMember } from '../../src/data/access/member.ts';
import {
  buildRoleOfUserSql,
  listUsers,
  readUser,
  readUsersByIds,
  type UserRow,
  updateUser,
  userList,
} from '../../src/data/access/user.ts';
import { describeAudited } from '../../src/data/noun/audit.ts';
import { replaceBlanks } from '../../src/input/blank.ts';
import { convertToColumns } from '../../src/input/snake-case.ts';
import { limits } from '../../src/limits/limits.ts';
import { requirePermission } from '../../src/permissions/authority.ts';
import { isAtLeast } from '../../src/permissions/permissions.ts';
import { takeFirstRelated } from '../../src/plan/loader.ts';
import { createInvalidProblem } from '../../src/problem.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineDeletion, defineMutation } from '../graph/mutation.ts';
import { acceptId, defineNodeFields, legacyId, Node, requireId } from '../graph/node.ts';
import { defineLegacyPage } from '../graph/page.ts';
import { createLoaderByColumn } from '../graph/reference.ts';
import { email, shortText } from '../graph/validators.ts';
import { Role, RoleType } from './role.ts';

/** Address, birthdate and sign-in details are shown to the user, and to admins of a space that is the user's only one. */
const guarded = 'Null unless it is oneself, or an admin asks and the user belongs to this space alone.';
const known = (row: UserRow, { caller }: Context): UserRow | null =>
  row.id === caller.userId || (row.only_here && isAtLeast(caller.roleType, 'admin')) ? row : null;

export const User = builder.objectRef<UserRow>('User').implement({
  interfaces: [Node],
  description: 'A person who signs in, as a member of this space.',
  fields: (t) => {
    const guard = (column: keyof UserRow, description: string, type: 'String' | 'Boolean' | 'Date' = 'String') =>
      t.field({
        type,
        nullable: true,
        description: `${description} ${guarded}`,
        resolve: (row, _, context) => known(row, context)?.[column] as never,
      });
    return {
      ...defineNodeFields(t, 'User'),
      email: t.exposeString('mail', { description: 'Their email address; no two users have the same.' }),
      firstName: t.exposeString('firstname', { nullable: true, description: 'First name.' }),
      lastName: t.exposeString('surname', { nullable: true, description: 'Family name.' }),
      phone: t.exposeString('phone', { nullable: true, description: 'Phone number.' }),
      address: guard('address', 'Street and number.'),
      city: guard('city', 'City.'),
      postalCode: guard('postal', 'Postal code.'),
      location: guard('location', '`latitude,longitude`.'),
      locale: t.exposeString('locale', { nullable: true, description: 'Language, such as `fr`.' }),
      avatar: t.exposeString('avatar', { nullable: true, description: 'Address of a picture.' }),
      birthDate: guard('birthdate', 'Day of birth.', 'Date'),
      status: t.exposeString('status', { nullable: true, description: 'Availability: labels separated by commas.' }),
      twoFactorEnabled: guard('two_factor_enable', 'Whether a second factor is asked for.', 'Boolean'),
      twoFactorMethod: guard('two_factor_method', 'Which second factor.'),
      groupId: t.expose('group_id', { ...legacyId, description: 'The space in which they are seen here.' }),
      role: t.expose('role', {
        type: Role,
        description: 'Their role in this space.',
        extensions: {
          ownRecord: 'with-parent',
          json: { rows: { by: 'id', buildSql: buildRoleOfUserSql }, pick: 'one', comesAlong: true },
        },
      }),
      createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the user was created.' }),
      updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the user was last changed.' }),
    };
  },
});

const userOf = createLoaderByColumn(readUsersByIds, 'id');

/** The user with this number; null without one, for an app, and for a user who has left the space. */
export const findUser = (context: Context, id: number | null) =>
  id === null ? null : takeFirstRelated(userOf(context, id));

/** Columns whose name is not that of their field. */
const columnsByField = {
  email: 'mail',
  firstName: 'firstname',
  lastName: 'surname',
  postalCode: 'postal',
  birthDate: 'birthdate',
};

/** The space that a user selects; null for none, or for the one that they are in. Throws 400 when that is not confirmed. */
const selectedBy = (
  { selectedGroupId: selected, updateToken }: { selectedGroupId?: number | null; updateToken?: boolean | null },
  here: number,
): number | null => {
  if (selected == null || selected === here) return null;
  if (updateToken === true) return selected;
  const message = 'can only be changed together with UpdateToken: true';
  throw createInvalidProblem([{ location: 'input.selectedGroupId', message, value: selected }]);
};

/** Whether a text is empty, or `latitude,longitude`. */
function isLocation(text: string): boolean {
  if (text === '') return true;
  const [latitude = '', longitude = '', ...more] = text.split(',').map((part) => part.trim());
  const within = (part: string, bound: number): boolean =>
    /^-?\d{1,3}(\.\d+)?$/.test(part) && Math.abs(Number(part)) <= bound;
  return more.length === 0 && within(latitude, 90) && within(longitude, 180);
}

/** Whether a text is empty, or an address that browsers fetch and never run, since apps put it into their pages. */
function isPicture(text: string): boolean {
  return text === '' || (/^https:\/\/[^\s/"<>\\][^\s"<>\\]*$/i.test(text) && URL.canParse(text));
}

defineMutation('updateUser', {
  description: 'Changes a user: oneself, or as an admin another one, who must belong to this space alone.',
  about: 'What to change of a user. Fields left out stay; null or a blank text clears, except the email address.',
  blank: 'null',
  input: (t) => ({
    id: t.field(requireId('User')),
    email: t.string({
      required: true,
      validate: email,
      description: 'Their email address. Mandatory, even when it stays the same.',
    }),
    firstName: t.string({ validate: shortText, description: 'First name.' }),
    lastName: t.string({ validate: shortText, description: 'Family name.' }),
    phone: t.string({ validate: shortText, description: 'Phone number.' }),
    address: t.string({ validate: shortText, description: 'Street and number.' }),
    city: t.string({ validate: shortText, description: 'City.' }),
    postalCode: t.string({ validate: shortText, description: 'Postal code.' }),
    location: t.string({
      validate: shortText.refine(isLocation, 'must be latitude,longitude, such as 48.8566,2.3522'),
      description: '`latitude,longitude`.',
    }),
    avatar: t.string({
      validate: shortText.refine(isPicture, 'must be an https: address, such as https://example.org/ada.png, or empty'),
      description: 'Address of a picture, by `https:`.',
    }),
    birthDate: t.field({ type: 'Date', description: 'Day of birth.' }),
    selectedGroupId: t.field({
      ...acceptId('Space'),
      description:
        'The space that all access tokens of this user are to act in from now on, except those of an identity provider; needs `updateToken`.',
    }),
    updateToken: t.boolean({ description: 'Must be true when `selectedGroupId` is given.' }),
  }),
  resolve: async ({ id, selectedGroupId, updateToken, ...fields }, { space, caller, precondition }) => {
    const change = convertToColumns(fields, columnsByField);
    const selected = selectedBy({ selectedGroupId, updateToken }, space.id);
    const content = { change: replaceBlanks(change, 'null'), selected };
    return { user: await updateUser(space, id, content, caller, precondition), selected };
  },
  audit: ({ user, selected }) => (selected === null ? describeAudited('User', user) : { type: 'User', ids: [user.id] }),
  payload: (t) => ({
    user: t.expose('user', {
      type: User,
      description: 'The user, as they are now.',
      // Only admins change another user, and they may read all.
      extensions: { ownRecord: 'always' },
    }),
  }),
});

defineMutation('changeMemberRole', {
  description:
    'Gives a user of the space another role. Neither the present role of the user nor the new one may reach further than that of the caller; callers may give themselves only a role that reaches less far. The last superadmin stays one.',
  input: (t) => ({
    userId: t.field(requireId('User')),
    roleId: t.field(requireId('Role')),
  }),
  resolve: async (input, { space, caller }) => ({ user: await changeMemberRole(space, input, caller) }),
  audit: ({ user }) => ({ type: 'User', ids: user.unchanged ? [] : [user.id] }),
  payload: (t) => ({ user: t.expose('user', { type: User, description: 'The user, as they are now.' }) }),
});

defineDeletion('removeMember', {
  type: 'User',
  idField: 'userId',
  description:
    'Removes a user from the space and its teams, and revokes their access tokens for it. Their account stays, and so does what they wrote. Anybody may leave. An admin may remove users whose role reaches no further than theirs. The last superadmin cannot be removed.',
  remove: ({ space, caller }, id) => removeMember(space, id, caller),
});

defineListConnection({
  field: 'users',
  type: User,
  list: userList,
  enums: { roleType: RoleType },
  node: {
    ownRecord: 'always',
    readOne: ({ space, caller }, id) => {
      if (id !== caller.userId) requirePermission(caller, 'people.read', 'user');
      return readUser(space, id);
    },
  },
});
defineLegacyPage({
  field: 'usersPage',
  type: User,
  noun: 'users',
  usual: limits.list.page,
  sorts: true,
  read: ({ space }, slice) => listUsers(space, slice),
});
