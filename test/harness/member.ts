// Members of a space with a role of their own, and their tokens.
import { createAccessToken } from '../../src/gate/token.ts';
import type { TokenScope } from '../../src/permissions.ts';
import type { RoleType } from '../../src/role-type.ts';
import type { Door } from './app.ts';

interface Membership {
  type: RoleType;
  scope?: TokenScope;
  /** The permissions that a custom role names. */
  permissions?: readonly string[] | null;
  space?: number;
}

/** A token of a new member of a space. */
export const createMember = async (
  door: Door,
  { type, scope = 'admin', permissions = null, space = 1 }: Membership,
): Promise<string> => {
  const [{ id }] = await door.sql(
    `with person as (insert into users (mail) values (gen_random_uuid() || '@example.org') returning id),
          role as (insert into roles (group_id, name, type, permissions) values (?, 'A role', ?, ?) returning id),
          member as (insert into members (group_id, user_id, role_id) select ?, p.id, r.id from person p, role r)
     select id from person`,
    [space, type, permissions, space],
  );
  const token = await createAccessToken(door.database, space, id);
  await door.sql('update tokens set scope = ? where user_id = ?', [scope, id]);
  return token;
};
