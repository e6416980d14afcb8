// Roles of a space: what a user may do there.
import { type Space, statement } from '../database/space.ts';

export const roleTypes = ['superadmin', 'admin', 'manager', 'user', 'custom'] as const;
export type RoleType = (typeof roleTypes)[number];

/** How far a type of role reaches; a custom role reaches as far as a user's. */
const reach: Record<RoleType, number> = { superadmin: 4, admin: 3, manager: 2, user: 1, custom: 1 };

/** Whether a role of type `held` may do what `needed` may do. */
export const reaches = (held: RoleType, needed: RoleType): boolean => reach[held] >= reach[needed];

/** The types that reach no further than `held`. */
export const typesWithin = (held: RoleType): RoleType[] => roleTypes.filter((type) => reaches(held, type));

export interface RoleRow {
  id: number;
  name: string;
  type: RoleType;
  position: number;
  color: string | null;
  mobile: boolean;
  web: boolean;
}

/** A role `r` as JSON, for the rows of those who have it. */
export const roleJson = `json_build_object('id', r.id, 'name', r.name, 'type', r.type, 'position', r.position, 'color', r.color, 'mobile', r.mobile, 'web', r.web)`;

const list = statement(
  'role.list',
  `select id, name, type, position, color, mobile, web
     from roles where group_id = :group and deleted_at is null order by position, id`,
);

export const roles = (space: Space): Promise<RoleRow[]> => space.rows(list);
