// Which changes somebody may see: those of types that they may read, without private teams and interactions for superadmins where these are hidden from them.
import { type Authority, isPermitted, listUnreadableFamilies } from '../../permissions/authority.ts';
import { findTypePermission, isAtLeast } from '../../permissions/permissions.ts';
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

/** The condition that a change `s` may be seen. A hidden record that is deleted for good stays hidden. */
export const visibleSql = `s.type = any(cast(:types as text[]))
       and (s.type <> 'Team' or :seesAllTeams or exists (
         select 1 from teams t where t.group_id = :group and t.id = s.record_id
            and (not t.private or cardinality(cast(:userIds as bigint[])) = (
              select count(*) from team_users u where u.group_id = :group and u.team_id = t.id and u.user_id = any(cast(:userIds as bigint[]))))))
       and (s.operation not in ('entered', 'left') or not s.fields && cast(:unreadableFamilies as text[]))
       and (s.type <> 'Interaction' or :seesAllInteractions or exists (
         select 1 from interactions i where i.group_id = :group and i.id = s.record_id and not i.only_super_admin))`;
