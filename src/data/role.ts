// Roles of a space: what its users may do.
import type { Space } from '../database/space.ts';
import { defineStatement } from '../database/statement.ts';
import type { RoleType } from '../role-type.ts';

export interface RoleRow {
  id: number;
  name: string;
  type: RoleType;
  position: number;
  color: string | null;
  mobile: boolean;
  web: boolean;
}

/** A role `r` as JSON, for rows of users. */
export const roleJson = `json_build_object('id', r.id, 'name', r.name, 'type', r.type, 'position', r.position, 'color', r.color, 'mobile', r.mobile, 'web', r.web)`;

const list = defineStatement(
  'role.list',
  `select id, name, type, position, color, mobile, web
     from roles where group_id = :group and deleted_at is null order by position, id`,
);

const byIds = defineStatement(
  'role.by_ids',
  `select id, name, type, position, color, mobile, web from roles where group_id = :group and id = any(:ids) and deleted_at is null`,
);

export const readRolesByIds = (space: Space, ids: readonly number[]): Promise<RoleRow[]> => space.rows(byIds, { ids });
export const listRoles = (space: Space): Promise<RoleRow[]> => space.rows(list);
