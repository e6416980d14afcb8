// Every request by an app that may do all that an app can: what needs no person works, and is written as the app.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  getOperationPermission,
  grantablePermissions,
  type PermissionName,
} from '../../src/permissions/permissions.ts';
import { routes } from '../../src/rest/routes/index.ts';
import { type Door, openApp } from '../harness/app.ts';
import { createAppCaller } from '../harness/member.ts';
import { drawSample } from '../harness/sizes.ts';
import { fields, makeDocument, prepareIds, requests, rootFields } from './index.ts';

let door: Door;
let app: { id: number; token: string };
beforeAll(async () => {
  door = await openApp();
  app = await createAppCaller(door, { permissions: grantablePermissions });
});

const isGrantable = (permission: PermissionName): boolean => grantablePermissions.includes(permission);

/** The columns of authors, and how many rows have the app in each. */
const countAuthored = async (): Promise<number> => {
  const columns = await door.sql(`select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public' and column_name in ('user_id', 'owner_id', 'author_id') and table_name not in ('audit_log', 'contact_search')`);
  const counts = columns.map(({ table, column }) => `(select count(*) from ${table} where ${column} = ${app.id})`);
  return Number((await door.sql(`select ${counts.join(' + ')} as count`))[0].count);
};

const mutations = rootFields.filter(({ operation }) => operation === 'mutation');
const allowed = mutations.filter(({ field }) => isGrantable(getOperationPermission(field.name)));

describe('a mutation by an app', () => {
  it.each(
    drawSample(allowed, { small: 12 }).map((root) => [root.field.name, root] as const),
  )('%s has lines of the app', async (name, root) => {
    const ids = await prepareIds(door, 1);
    // Notes are changed by their author.
    await door.sql('update notes set user_id = ? where group_id = 1 and id = ?', [app.id, ids.notes]);
    const args = fields[name]!(ids);
    const [{ last }] = await door.sql('select coalesce(max(id), 0) as last from audit_log');
    const document = `mutation ${makeDocument(root, args).match(/\(.*?\) \{/)?.[0] ?? '{'} ${name}(${Object.keys(args)
      .map((arg) => `${arg}: $${arg}`)
      .join(', ')}) { __typename } }`;
    expect((await door.graphql(document, args, app.token)).body.errors).toBeUndefined();
    const lines = await door.sql('select user_id, operation from audit_log where id > ?', [last]);
    expect(lines.filter(({ user_id, operation }) => user_id !== app.id || operation !== name)).toEqual([]);
  });

  it('leaves the app as the author of records', async () => {
    const { contacts } = await prepareIds(door, 1);
    const before = await countAuthored();
    const note = `createNote(input: { contactId: ${contacts}, content: "By an app" }) { note { id } }`;
    expect((await door.graphql(`mutation { ${note} }`, {}, app.token)).body.errors).toBeUndefined();
    expect(await countAuthored()).toBeGreaterThan(before);
  });

  it.each(
    mutations.filter((root) => !allowed.includes(root)).map(({ field }) => field.name),
  )('%s is refused', async (name) => {
    const args = fields[name]!(await prepareIds(door, 1));
    const root = mutations.find(({ field }) => field.name === name)!;
    const { errors } = (await door.graphql(makeDocument(root, args), args, app.token)).body;
    expect(errors[0].extensions.code).toBe('forbidden');
  });
});

/** Operations that need a person, or a permission that no app has. */
const refused = ['InviteUsers', 'DeleteInvitation', 'UpdateUser'];

describe('a route asked by an app', () => {
  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (_, route) => {
    const { path, body } = requests[route.operation]!(await prepareIds(door, 1));
    const url = route.path.replace(/\{(\w+)#?\}/g, (_match, name) => String(path[name]));
    const { status } = await door.rest(route.method, url, body, app.token);
    if (refused.includes(route.operation)) expect(status).toBe(403);
    else expect(status).toBeLessThan(300);
  });
});
