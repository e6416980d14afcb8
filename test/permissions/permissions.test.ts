// Who may do what: every operation by roles and scopes of tokens, and that nothing is done for those who may not.
import { beforeAll, describe, expect, it } from 'vitest';
import { listNodeTypes } from '../../schema/graph/node.ts';
import { schema } from '../../schema/index.ts';
import { isPermitted, limitRole } from '../../src/permissions/authority.ts';
import {
  getOperationPermission,
  grantablePermissions,
  permissionNames,
  permissions,
  type RoleType,
  roleTypes,
  type TokenScope,
  tokenScopes,
} from '../../src/permissions/permissions.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createMember } from '../harness/member.ts';
import { drawSample } from '../harness/sizes.ts';
import { buildSelection, fields, type Ids, prepareIds, rootFields } from '../requests/index.ts';

let door: Door;
let ids: Ids;

const createToken = (type: RoleType, scope: TokenScope, permissions: string[] | null = null): Promise<string> =>
  createMember(door, { type, scope, permissions });

beforeAll(async () => {
  door = await openApp();
  ids = await prepareIds(door, 1);
});

/** The statements of a request beside those of the gate, and its errors. */
const run = async (query: string, variables: Json, token: string) => {
  let errors: Json[] = [];
  const statements = await door.statements(async () => {
    errors = (await door.graphql(query, variables, token)).body.errors ?? [];
  });
  return { errors, work: statements.filter((sql) => !sql.includes('enter_gate')) };
};

/** A document with one root field and nothing below it, whose variables are named like its arguments. */
const writeDocument = ({ operation, field }: (typeof rootFields)[number], given: Json): string => {
  const args = field.args.filter(({ name }) => name in given);
  const declared = args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = args.map(({ name }) => `${name}: $${name}`).join(', ');
  const selection = buildSelection(field.type, 1) ? '{ __typename }' : '';
  return `${operation} ${declared && `(${declared})`} { ${field.name}${passed && `(${passed})`} ${selection} }`;
};

const treasury = ['contacts.read', 'money.read', 'money.write'];
const authorities: [name: string, type: RoleType, scope: TokenScope, named: string[] | null][] = [
  ...roleTypes.map((type): [string, RoleType, TokenScope, null] => [type, type, 'admin', null]),
  ...tokenScopes.map((scope): [string, RoleType, TokenScope, null] => [
    `superadmin, scope ${scope}`,
    'superadmin',
    scope,
    null,
  ]),
  ['user, scope read', 'user', 'read', null],
  ['treasury', 'custom', 'admin', treasury],
  ['treasury, scope read', 'custom', 'read', treasury],
];

describe.each(drawSample(authorities, { small: 4 }))('%s', (_, type, scope, named) => {
  it('may use the operations of their permissions, and no statement runs for any other', async () => {
    const token = await createToken(type, scope, named);
    const authority = { roleType: limitRole(type, scope), scope, permissions: named };
    const wrong: string[] = [];
    let refused = 0;
    for (const root of rootFields) {
      const { name } = root.field;
      const permission = getOperationPermission(name);
      // What the caller owns is checked by the operations themselves.
      if (permissions[permission].own) continue;
      const given = fields[name]!(ids);
      const { errors, work } = await run(writeDocument(root, given), given, token);
      // Not by what a record adds, such as its author or the rights of its webhook.
      const isForbidden = errors.some(
        ({ extensions, message }) =>
          extensions.code === 'forbidden' && / needs (the|an) (permission|role|scope|access token)/.test(message),
      );
      if (isPermitted(authority, permission)) {
        if (isForbidden) wrong.push(`${name}: ${errors[0].message}`);
      } else if (!isForbidden || work.length > 0) wrong.push(`${name} is not refused, or too late: ${work}`);
      else refused++;
    }
    expect(wrong).toEqual([]);
    if (!['admin', 'superadmin'].includes(type) || scope !== 'admin') expect(refused).toBeGreaterThan(5);
  });
});

describe('the table', () => {
  it('has each operation and each type once', () => {
    const operations = permissionNames.flatMap((name) => permissions[name].operations);
    expect(operations.length).toBe(new Set(operations).size);
    expect(rootFields.map(({ field }) => field.name).filter((name) => !operations.includes(name))).toEqual([]);
    const types = permissionNames.flatMap((name) => permissions[name].types);
    expect(listNodeTypes().toSorted()).toEqual(types.toSorted());
  });

  it('says of each permission whether its operations write, which a token that only reads may not', () => {
    const mutations = Object.keys(schema.getMutationType()!.getFields());
    for (const name of permissionNames.filter((one) => permissions[one].operations.length > 0)) {
      const { operations, writes } = permissions[name];
      expect([name, operations.some((one) => mutations.includes(one))]).toEqual([name, writes]);
    }
  });

  it.each<[role: RoleType, scope: TokenScope, may: string[], mayNot: string[]]>([
    [
      'user',
      'admin',
      ['contact', 'searchContacts', 'createNote', 'createInteraction', 'updateUser'],
      ['deleteContact', 'upsertContacts', 'createTeam', 'importContacts', 'inviteUsers', 'createForm', 'campaigns'],
    ],
    [
      'manager',
      'admin',
      ['upsertContacts', 'deleteContact', 'createTeam'],
      ['createForm', 'importContacts', 'inviteUsers'],
    ],
    ['admin', 'admin', ['createForm', 'importContacts', 'inviteUsers'], []],
    ['admin', 'write', ['upsertContacts', 'createNote'], ['createForm', 'importContacts', 'imports']],
    ['superadmin', 'read', ['contact', 'donations'], ['createNote', 'updateUser', 'imports']],
    ['custom', 'admin', ['contact', 'viewer'], ['createNote', 'donations', 'users', 'createContact']],
  ])('a %s with the scope %s', (role, scope, may, mayNot) => {
    const authority = { roleType: limitRole(role, scope), scope, permissions: null };
    const can = (name: string) => isPermitted(authority, getOperationPermission(name));
    expect(may.filter((name) => !can(name))).toEqual([]);
    expect(mayNot.filter(can)).toEqual([]);
  });

  it('lets no app manage apps, tokens, users or permissions, whatever it names', () => {
    const all = { roleType: 'custom' as const, scope: 'admin' as const, permissions: permissionNames, isApp: true };
    const may = permissionNames.filter((name) => isPermitted(all, name));
    expect(may).toEqual(['self.read', ...grantablePermissions]);
    expect(may.flatMap((name) => permissions[name].operations).join()).not.toMatch(
      /(create|update|delete|revoke|change|invite)\w*(App|Token|Role|User|Member|Invitation)s?\b/,
    );
  });

  it('lets no custom role give itself more, whatever it names', () => {
    const all = { roleType: 'custom' as const, scope: 'admin' as const, permissions: permissionNames };
    expect(permissionNames.filter((name) => isPermitted(all, name) && !permissions[name].own)).toEqual(
      grantablePermissions,
    );
    expect(grantablePermissions).not.toContain('members.write');
  });
});

describe('a custom role', () => {
  let reader: string;
  let treasurer: string;
  let contact: number;
  let note: number;
  beforeAll(async () => {
    reader = await createToken('custom', 'admin');
    treasurer = await createToken('custom', 'admin', treasury);
    [{ contact, note }] = await door.sql(
      `select (select min(id) from contacts where group_id = 1 and deleted_at is null) as contact,
              (select min(n.id) from notes n join contacts c on c.group_id = 1 and c.id = n.contact_id and c.deleted_at is null
                where n.group_id = 1 and n.deleted_at is null) as note`,
    );
  });
  const ask = async (query: string, token: string, variables: Json = {}) => {
    const { errors, work } = await run(query, variables, token);
    return errors.length > 0 ? { code: errors[0].extensions.code, message: errors[0].message, work } : 'answered';
  };
  const refused = (what: string, permission: string) => ({
    code: 'forbidden',
    message: `${what} needs the permission ${permission}, which the role of the caller does not have`,
    work: [],
  });

  it.each([
    ['{ contact(id: "Contact:1") { donations { totalCount } } }', 'contact.donations'],
    [
      '{ contact(id: "Contact:1") { ...Money } } fragment Money on Contact { donations { nodes { id } } }',
      'contact.donations',
    ],
    [
      '{ contacts { nodes { ... on Contact { memberships { totals(groupBy: YEAR, of: START_DATE) { count } } } } } }',
      'contacts.nodes.memberships',
    ],
    [
      'query A { ...F } fragment F on Query { contact(id: "Contact:1") { id transactions { totalCount } } }',
      'contact.transactions',
    ],
  ])('reads no money below contacts unless it may: %s', async (query, place) => {
    expect(await ask(query, reader)).toEqual(refused(place, 'money.read'));
    expect(await ask(query, treasurer)).toBe('answered');
  });

  it('is not refused what @include and @skip leave out', async () => {
    const query = (directive: string) =>
      `query ($money: Boolean!) { contact(id: "Contact:1") { id donations ${directive} { totalCount } } }`;
    const place = refused('contact.donations', 'money.read');
    expect(await ask(query('@include(if: $money)'), reader, { money: true })).toEqual(place);
    expect(await ask(query('@include(if: $money)'), reader, { money: false })).toBe('answered');
    expect(await ask(query('@skip(if: $money)'), reader, { money: false })).toEqual(place);
    expect(await ask(query('@skip(if: $money)'), reader, { money: true })).toBe('answered');
  });

  it('is refused in one operation of a document what another operation does not select', async () => {
    const query = `query Plain { ...F } query Money { ...F contact(id: "Contact:1") { donations { totalCount } } }
      fragment F on Query { contact(id: "Contact:1") { id } }`;
    for (const [operationName, status] of [
      ['Plain', 'answered'],
      ['Money', 'forbidden'],
      ['Plain', 'answered'],
    ]) {
      const { body } = await door.rest('POST', '/graphql', { query, operationName }, reader);
      expect(body.errors?.[0].extensions.code ?? 'answered').toBe(status);
    }
  });

  it('gets null from node for records that it may not see', async () => {
    const [{ id }] = await door.sql('select min(id) as id from donations where group_id = 1 and deleted_at is null');
    const query = `{ nodes(ids: ["Contact:${contact}", "Donation:${id}"]) { id ... on Donation { amount { amount } } } }`;
    expect((await door.graphql(query, {}, reader)).body.data.nodes).toEqual([{ id: `Contact:${contact}` }, null]);
    expect((await door.graphql(query, {}, treasurer)).body.data.nodes[1]).toMatchObject({ id: `Donation:${id}` });
  });

  it('does not search by records that it may not see, by either notation and either door', async () => {
    const condition = { transactions: { total: { gte: 100 } } };
    const query = 'query ($q: ContactQuery) { searchContacts(query: $q) { totalCount } }';
    const nested = { or: [{ lastName: { startsWith: 'a' } }, { not: condition }] };
    for (const q of [condition, nested]) {
      expect(await ask(query, reader, { q })).toMatchObject({ code: 'forbidden', work: [] });
      expect(await ask(query, treasurer, { q })).toBe('answered');
    }
    const explain = 'query ($q: ContactQuery) { explainSearch(query: $q, exact: false) { __typename } }';
    expect(await ask(explain, reader, { q: condition })).toMatchObject({ code: 'forbidden' });
    const tree = { $all: [{ $all: [{ $condition: { attr: 'donations.amount', ope: 'gte', value: '1' } }] }] };
    for (const path of ['/search', '/kpi']) {
      const body = { data: { advanced_search: { query: tree, per_page: 5, page: 0 } } };
      expect((await door.rest('POST', path, body, reader)).body.detail).toContain('A condition on donations.amount');
      expect((await door.rest('POST', path, body, treasurer)).status).toBe(200);
    }
  });

  it('sees itself, and of others only what it may', async () => {
    expect(
      await ask('{ viewer { user { email role { name } } space { name } } rateLimit { remaining } }', reader),
    ).toBe('answered');
    expect(await ask('{ viewer { user { contacts { id } } } }', treasurer)).toBe('answered');
    expect(await ask(`{ note(id: "Note:${note}") { author { firstName } } }`, reader)).toEqual(
      refused('note.author', 'people.read'),
    );
  });
});

describe('legacy clients', () => {
  it('are told which token they need', async () => {
    const token = await createToken('user', 'admin');
    const { status, body } = await door.rest('PATCH', '/contacts/1', { data: { contact: { firstname: 'X' } } }, token);
    expect([status, body.detail]).toEqual([
      403,
      'updateContact needs the role manager; the caller is a user. Clients that write contacts need the token of a manager',
    ]);
  });

  it('export with the token of an admin, and with a scope that reaches so far', async () => {
    for (const options of [{}, { excel: 'fr' }, { columns: ['mail'] }]) {
      const body = { data: { advanced_search: { query: { $all: [] }, ...options } } };
      const send = async (type: RoleType, scope: TokenScope) =>
        (await door.rest('POST', '/export', body, await createToken(type, scope))).status;
      expect([await send('manager', 'admin'), await send('admin', 'write'), await send('admin', 'admin')]).toEqual([
        403, 403, 200,
      ]);
    }
  });

  it('say in the refusal that a scope is too small', async () => {
    const token = await createToken('admin', 'read');
    const { status, body } = await door.rest('POST', '/v1/contacts/1/notes', { content: 'x' }, token);
    expect([status, body.detail]).toEqual([
      403,
      'createNote needs an access token with the scope write; this one has the scope read',
    ]);
  });
});
