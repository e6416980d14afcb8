// Users, as members of one space. A user who is not a member of the space is missing in it.

import { convertToOffsetPage, type OffsetPage } from '../../database/offset-page.ts';
import type { Space } from '../../database/space.ts';
import { composeStatement, defineStatement, type Query, queryBuilder, type Values } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import {
  beginWithRoleType,
  isAtLeast,
  listTypesWithin,
  nameRoleType,
  type RoleType,
} from '../../permissions/permissions.ts';
import { createNotFoundProblem, Problem } from '../../problem.ts';
import { defineReadByIds } from '../noun/crud.ts';
import { defineList } from '../noun/define-list.ts';
import type { RecordSource } from '../noun/json-sql.ts';
import type { Precondition } from '../noun/precondition.ts';
import { type RoleRow, roleJson } from './role.ts';

export interface UserRow {
  id: number;
  mail: string;
  firstname: string | null;
  surname: string | null;
  phone: string | null;
  address: string | null;
  city: string | null;
  postal: string | null;
  location: string | null;
  locale: string | null;
  avatar: string | null;
  birthdate: string | null;
  status: string | null;
  two_factor_enable: boolean;
  two_factor_method: string | null;
  created_at: string;
  updated_at: string;
  group_id: number;
  role: RoleRow;
  /** Whether they are a member of this space only. */
  only_here: boolean;
}

/** Whether member `m` belongs to this space only. No other statement of a space looks into other spaces. A function for it would double the time of reading a team of a thousand. */
const onlyHere = `not exists (
    select 1 from members other join spaces s on s.id = other.group_id and s.deleted_at is null
     where other.user_id = m.user_id and other.group_id <> m.group_id)`;
/** The columns of a user `u`, member `m` with role `r`. */
export const userColumns = `u.id, u.mail, u.firstname, u.surname, u.phone, u.address, u.city, u.postal, u.location, u.locale,
  u.avatar, u.birthdate, u.status, u.two_factor_enable, u.two_factor_method, u.created_at, u.updated_at, m.group_id,
  ${roleJson} as role, ${onlyHere} as only_here`;
export const userJoins = `join users u on u.id = m.user_id and u.deleted_at is null
  join roles r on r.group_id = m.group_id and r.id = m.role_id`;

const from = `from members m ${userJoins} where m.group_id = :group`;
const byId = defineStatement('user.by_id', `select ${userColumns} ${from} and m.user_id = :id`);
const buildUserSql = (id: string): string => `select ${userColumns} ${from} and m.user_id = ${id}`;
/** The members among these users. */
export const readUsersByIds = defineReadByIds<UserRow>('user.by_ids', buildUserSql('any(:ids)'));
/** The contacts that are linked to each of these users, the oldest if there are many. */
export const readContactsOfUsers = defineReadByIds<{ user_id: number; id: number }>(
  'user.contacts',
  `select u.id as user_id, c.id from unnest(cast(:ids as bigint[])) u (id) cross join lateral (
     select id from contacts where group_id = :group and user_contact_id = u.id and deleted_at is null
      order by id limit ${limits.list.contactsOfUser}) c`,
);
/** Locked before another user's profile is written, so that a concurrent join of another space is seen. */
const hold = defineStatement(
  'user.hold',
  `select u.id from users u join members m on m.user_id = u.id and m.group_id = :group
    where u.id = :id and u.deleted_at is null for no key update of u`,
);
const profile = (alias: string): string =>
  ['mail', 'firstname', 'surname', 'phone', 'address', 'city', 'postal', 'location', 'avatar', 'birthdate']
    .map((column) => `${alias}.${column}`)
    .join(', ');
/** A profile belongs to its user. Admins may write it too, for users of this space only, whose role is not above their own. */
const patch = defineStatement(
  'user.patch',
  `update users u set (mail, firstname, surname, phone, address, city, postal, location, avatar, birthdate, updated_at, mail_confirmed) =
          (select ${profile('p')},
                  case when row(${profile('p')}) is distinct from row(${profile('u')}) then now() else u.updated_at end,
                  u.mail_confirmed and lower(p.mail) = lower(u.mail)
             from jsonb_populate_record(u, cast(:patch as jsonb)) p)
     from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
    where m.group_id = :group and m.user_id = u.id and u.id = :id and u.deleted_at is null
      and (u.id = :by or (r.type = any(:within) and ${onlyHere}))
    returning u.id`,
);
const select = defineStatement(
  'user.select_space',
  `update tokens t set group_id = m.group_id from members m, members here
    where here.group_id = :group and here.user_id = :id and t.user_id = :id and t.issuer is null
      and m.group_id = :selected and m.user_id = :id returning t.id`,
);
const memberOf = defineStatement(
  'user.member_of',
  `select m.group_id from members m join members here on here.user_id = m.user_id join spaces s on s.id = m.group_id and s.deleted_at is null
    where here.group_id = :group and here.user_id = :id and m.group_id = :selected`,
);

export const readUser = (space: Space, id: number): Promise<UserRow | undefined> => space.row(byId, { id });

export const usersById: RecordSource<UserRow> = { read: readUsersByIds, buildSql: buildUserSql };
/** SQL of the role of a user. */
export const buildRoleOfUserSql = (user: string): string =>
  `select r.id, r.name, r.type, r.position, r.color, r.mobile, r.web, r.permissions from members m
     join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = :group and m.user_id = ${user}`;

/** A page of the users by id, or by name when it is sorted, and how many there are in all. */
export const listUsers = async (
  space: Space,
  { limit, offset, sort }: { limit: number; offset: number; sort: boolean },
): Promise<OffsetPage<UserRow>> => {
  const members = (): Query =>
    queryBuilder.from(queryBuilder.raw(`members m ${userJoins}`)).whereRaw('m.group_id = :group') as Query;
  const total = members().count('* as total');
  const page = members().select(queryBuilder.raw(userColumns));
  if (sort) page.orderByRaw('lower(u.surname), lower(u.firstname)');
  page.orderBy('u.id').limit(limit).offset(offset);
  const query = queryBuilder.select('counted.total', 'page.*').from(total.as('counted')) as Query;
  // An offset past the end yields no record, but the total.
  query.joinRaw('left join lateral (?) page on true', [page as never]);
  return convertToOffsetPage(await space.rows(...composeStatement('user.list', query, true)));
};

/**
 * Updates the given fields that differ, and, when `selected` is given, the space in which the user's tokens act. Throws 404 for a missing
 * member, 403 for a profile that the caller may not change, 409 for a mail that another user has, 422 for a space the user is not in. All
 * or nothing.
 */
export const updateUser = async (
  space: Space,
  id: number,
  { change, selected }: { change: Values; selected: number | null },
  caller: { userId: number; roleType: RoleType },
  expected?: Precondition,
): Promise<UserRow> => {
  const own = id === caller.userId;
  if (!own && selected !== null) throw new Problem('forbidden', 'A user selects their space themselves');
  if (!own && !isAtLeast(caller.roleType, 'admin'))
    throw new Problem('forbidden', `A ${caller.roleType} may only change themselves`);
  return space.transaction(async (tx) => {
    if (!own) await tx.rows(hold, { id });
    const values = { id, patch: JSON.stringify(change), by: caller.userId, within: listTypesWithin(caller.roleType) };
    const changed = await tx.row(patch, values).catch((error) => {
      throw error instanceof Problem && error.code === 'conflict' ? createMailTakenProblem(change.mail) : error;
    });
    const found = await readUser(tx, id);
    if (!changed || !found)
      throw found ? createProfileProblem(found, caller.roleType) : createNotFoundProblem('user', id);
    expected?.check('user', null);
    if (selected !== null && selected !== space.id) {
      if (!(await tx.row(memberOf, { id, selected }))) throw createNoMemberProblem(selected);
      await tx.rows(select, { id, selected });
    }
    return found;
  });
};

/** Why an admin may not write this profile. */
const createProfileProblem = ({ role }: UserRow, callerRole: RoleType): Problem =>
  new Problem(
    'forbidden',
    isAtLeast(callerRole, role.type)
      ? 'This user belongs to another space too: only they themselves may change their profile'
      : `${beginWithRoleType(callerRole)} may not change ${nameRoleType(role.type)}`,
  );

const createMailTakenProblem = (mail: unknown): Problem =>
  new Problem('conflict', 'This mail belongs to another user', {
    errors: [{ location: 'input.email', message: 'belongs to another user', value: mail }],
  });

const createNoMemberProblem = (selected: number): Problem =>
  new Problem('unprocessable', `The user is not a member of space ${selected}`, {
    errors: [{ location: 'input.selectedGroupId', message: 'the user is not a member of this space', value: selected }],
  });

/** Fields that only some callers may see are missing: a filter or an order would tell their values. */
export const userList = defineList<UserRow>()({
  noun: 'user',
  from: `members m ${userJoins}`,
  scoped: ['m'],
  columns: userColumns,
  fields: {
    id: { column: 'u.id', type: 'id' },
    email: { column: 'u.mail', type: 'text' },
    firstName: { column: 'u.firstname', type: 'text', nullable: true },
    lastName: { column: 'u.surname', type: 'text', nullable: true },
    roleId: { column: 'm.role_id', type: 'id' },
    roleType: { column: 'r.type', type: 'code' },
    createdAt: { column: 'u.created_at', type: 'instant' },
    updatedAt: { column: 'u.updated_at', type: 'instant' },
  },
  orders: ['id', 'email', 'firstName', 'lastName', 'createdAt', 'updatedAt'],
  isShort: true,
  groups: ['roleId', 'roleType'],
});
