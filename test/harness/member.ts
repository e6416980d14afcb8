// Members of a space with a role of their own, apps, and their tokens.
import { type AppContent, createApp, managingOperator } from '../../src/data/access/app.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import type { RoleType, TokenScope } from '../../src/permissions/permissions.ts';
import type { Door } from './app.ts';

interface Membership {
  type: RoleType;
  scope?: TokenScope;
  /** The permissions that a custom role names. */
  permissions?: readonly string[] | null;
  space?: number;
}

/** A new member of a space: their id, and the id of their role. */
export const createMemberRole = async (
  door: Door,
  { type, permissions = null, space = 1 }: Omit<Membership, 'scope'>,
): Promise<{ user: number; role: number }> => {
  const [made] = await door.sql(
    `with person as (insert into users (mail) values (gen_random_uuid() || '@example.org') returning id),
          role as (insert into roles (group_id, name, type, permissions) values (?, 'A role', ?, ?) returning id),
          member as (insert into members (group_id, user_id, role_id) select ?, p.id, r.id from person p, role r)
     select p.id as user, r.id as role from person p, role r`,
    [space, type, permissions, space],
  );
  return made;
};

/** A token of a new member of a space. */
export const createMember = async (
  door: Door,
  { scope = 'admin', space = 1, ...membership }: Membership,
): Promise<string> => {
  const { user } = await createMemberRole(door, { space, ...membership });
  return createAccessToken(door.database, space, user, null, { scope });
};

let apps = 0;

/** A new app of a space: its number, and a token of it. */
export const createAppCaller = async (
  door: Door,
  { space = 1, ...content }: Partial<AppContent> & { space?: number } = {},
): Promise<{ id: number; name: string; token: string }> => {
  const usual = { name: `App ${++apps}`, permissions: ['contacts.read', 'contacts.write', 'notes.write'], share: 50 };
  const { app, token } = await createApp(
    door.database.space(space),
    { ...usual, scope: 'admin', ...content },
    managingOperator,
  );
  return { id: app.id, name: app.name, token };
};
