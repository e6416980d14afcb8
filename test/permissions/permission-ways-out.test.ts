// The ways out beside the graph, by everybody: messages of webhooks, exports, the audit log. Each tells no more than the graph would, as the SDL says it.
import { type GraphQLObjectType, getNamedType, isLeafType, Kind, type SelectionSetNode } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { legacySchema, schema } from '../../schema/index.ts';
import { listOperations } from '../../src/data/event/change.ts';
import { nameEvent } from '../../src/data/event/events.ts';
import { publishedTypes } from '../../src/data/event/published.ts';
import { contactTableColumns } from '../../src/import/csv-table.ts';
import { isPermitted, limitRole } from '../../src/permissions/authority.ts';
import {
  familyPermissions,
  grantablePermissions,
  isAtLeast,
  type PermissionName,
  type RoleType,
  type TokenScope,
  tokenScopes,
} from '../../src/permissions/permissions.ts';
import { compileStoredOperations } from '../../src/rest/stored.ts';
import { attributes } from '../../src/search/attributes.ts';
import type { Json } from '../harness/app.ts';
import { createMember, createMemberRole } from '../harness/member.ts';
import { drawSample } from '../harness/sizes.ts';
import { fields, prepareIds } from '../requests/index.ts';
import { openReceiver, type Receiver } from '../webhook/receiver.ts';
import { createQuery, openWebhookDoor } from '../webhook/webhook-door.ts';
import { findTypePermission, permissionOf, readNeeds, rootTypes, writePath } from './permission-paths.ts';

const { door, run, settle, jobs } = await openWebhookDoor();

/** Fixed roles, and custom ones with each permission of a published type alone. */
const readPermissions = [...new Set(publishedTypes.map((type) => permissionOf[type]!))];
const rights: [type: RoleType, named: PermissionName[] | null][] = [
  ...(['superadmin', 'admin', 'manager', 'user', 'custom'] as const).map((type): [RoleType, null] => [type, null]),
  ...readPermissions
    .filter((name) => grantablePermissions.includes(name))
    .map((name): [RoleType, PermissionName[]] => ['custom', [name]]),
];

interface Somebody {
  name: string;
  token: string;
  roleType: RoleType;
  may(permission: PermissionName | undefined): boolean;
}
const describeSomebody = (
  roleType: RoleType,
  scope: TokenScope,
  named: PermissionName[] | null,
  token: string,
): Somebody => ({
  name: `${roleType} ${scope} ${named ?? ''}`,
  token,
  roleType,
  may: (permission) =>
    !permission || isPermitted({ roleType: limitRole(roleType, scope), scope, permissions: named }, permission),
});

/** Values that are a field of no record: parts of one, and ids of users. */
const otherValues: Record<string, string | undefined> = {
  ...Object.fromEntries(['contactId', 'acceptedAt', 'currency', 'counts', 'mergedInto'].map((key) => [key, undefined])),
  membershipPriceGroupId: 'MembershipPriceGroup',
  invitedBy: 'User',
  userId: 'User',
};
/** The permission of a value: that of its field, where `authorId` is of `author`. The feed tells the contact of a record to all who see the record change. */
const permissionOfValue = (type: string, key: string): PermissionName | undefined => {
  const owner = schema.getType(type) as GraphQLObjectType;
  const field = [key, key.replace(/Id$/, '')].find((name) => name in owner.getFields());
  if (field && key !== 'contactId') return findTypePermission(getNamedType(owner.getFields()[field]!.type));
  expect(Object.keys(otherValues), `${type}.${key} is no field of the graph`).toContain(key);
  return permissionOf[otherValues[key] ?? ''];
};

/** A row of a file without who has added it. */
const withoutAuthor = ({ addedById: _, ...file }: Json): Json => file;

/** Somebody whose webhook sends to the receiver. */
type Listener = Somebody & { receiver: Receiver };

const events = publishedTypes.flatMap((type) =>
  listOperations(type).map((operation) => nameEvent(type, operation).replace('.', '_').toUpperCase()),
);
const listeners: Listener[] = [];
/** What would take the ground from the others. */
const disturbing = /Webhook|^(remove|revoke|undo|erase|merge|accept|changeMember|delete(?!Note|Donation|Campaign))/;
/** The texts that the mutations sent. */
const sentTexts = new Set<string>();

/** A webhook of a superadmin who then gets these rights: its creator, or the one who edited it last. */
const listen = async (type: RoleType, named: PermissionName[] | null, by: 'creator' | 'editor'): Promise<Listener> => {
  const { user, role } = await createMemberRole(door, { type: 'superadmin' });
  const token = await door.token(1, user);
  const receiver = await openReceiver();
  const input = { name: 'Listener', url: receiver.url, events, includesValues: true };
  const { createWebhook } = await run(createQuery, { input }, by === 'creator' ? token : undefined);
  receiver.secret = createWebhook.secret;
  if (by === 'editor')
    await run(
      `mutation { updateWebhook(input: { id: "${createWebhook.webhook.id}", name: "Edited" }) { webhook { id } } }`,
      {},
      token,
    );
  await door.sql('update roles set type = ?, permissions = ? where group_id = 1 and id = ?', [type, named, role]);
  return { ...describeSomebody(type, 'admin', named, token), receiver };
};

const readers: Somebody[] = [];
const addReaders = async (): Promise<void> => {
  const families = [...new Set(Object.values(familyPermissions))] as PermissionName[];
  const kinds: [type: RoleType, scope: TokenScope, named: PermissionName[] | null][] = [
    ...rights.flatMap(([type, named]) =>
      tokenScopes.map((scope): [RoleType, TokenScope, PermissionName[] | null] => [type, scope, named]),
    ),
    ['custom', 'admin', ['contacts.export']],
    ['custom', 'admin', ['contacts.read', 'contacts.export']],
    ...families.map((name): [RoleType, TokenScope, PermissionName[]] => [
      ...(['custom', 'admin'] as const),
      ['contacts.read', 'contacts.export', name],
    ]),
  ];
  for (const [type, scope, permissions] of kinds)
    readers.push(describeSomebody(type, scope, permissions, await createMember(door, { type, scope, permissions })));
};

beforeAll(async () => {
  await addReaders();
  for (const [place, [type, named]] of rights.entries())
    listeners.push(await listen(type, named, place % 2 === 0 ? 'creator' : 'editor'));
  // A delivery for requests that need one: otherwise they make a webhook of their own.
  await run('mutation ($id: ID!) { testWebhook(input: { id: $id }) { delivery { id } } }', {
    id: (await run('{ webhooks { nodes { id } } }')).webhooks.nodes[0].id,
  });
  await settle();
  for (const { receiver } of listeners) receiver.received = [];
  await door.sql(`insert into teams (group_id, name, private) values (1, 'A private team', true)`);
  for (const root of Object.values(rootTypes.mutation.getFields())) {
    if (disturbing.test(root.name)) continue;
    const given = fields[root.name]!(await prepareIds(door, 1));
    if (root.name === 'createInteraction') given.input.onlySuperAdmin = true;
    for (const [, text] of JSON.stringify(given).matchAll(/[:[]"([^"]+)"/g)) sentTexts.add(text!);
    const path = { operation: 'mutation' as const, root: root.name, text: `${root.name}ARGS0 { __typename }` };
    await door.graphql(writePath(path, given), given);
  }
  await settle();
}, 300_000);

describe('a message of a webhook', () => {
  it('is about what its owner may read, with the values that they may read', async () => {
    const [all, ...others] = listeners as [Listener, ...Listener[]];
    const full = new Map(all.receiver.received.map((message) => [message.id, message]));
    const ids = [...new Set([...full.values()].map(({ data }): string => data.id))];
    const findReadable = async (token?: string): Promise<Set<string>> => {
      const found = new Set<string>();
      for (let from = 0; from < ids.length; from += 100) {
        const some = { ids: ids.slice(from, from + 100) };
        const { body } = await door.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', some, token);
        for (const node of body.data.nodes) if (node) found.add(node.id);
      }
      return found;
    };
    const present = await findReadable();
    const left = new Set<string>();
    const pick = ({ may, roleType }: Listener, type: string, values: Json): Json =>
      values &&
      Object.fromEntries(
        Object.entries(values)
          .filter(([key]) => {
            // The teams of an invitation may be private ones.
            const isOpen = may(permissionOfValue(type, key)) && (key !== 'teams' || isAtLeast(roleType, 'admin'));
            if (!isOpen) left.add(`${type}.${key}`);
            return isOpen;
          })
          .map(([key, value]) => [
            key,
            key === 'files' && !may(permissionOf.User) ? (value as Json[]).map(withoutAuthor) : value,
          ]),
      );
    for (const listener of others) {
      const { name, may, token, receiver } = listener;
      const readable = await findReadable(token);
      const expected = [...full].flatMap(([id, { type, data }]) => {
        const isReadable = present.has(data.id) ? readable.has(data.id) : may(permissionOf[data.type]);
        // Who enters a segment tells what its conditions read.
        const families: string[] = /entered|left/.test(type) ? data.fields : [];
        const isOpen = isReadable && families.every((family) => may(familyPermissions[family]));
        const [before, after] = isOpen
          ? [data.before, data.after].map((values) => pick(listener, data.type, values))
          : [];
        return isOpen ? [[id, { ...data, before, after }] as const] : [];
      });
      const found = receiver.received.map(({ id, data }) => [id, data] as const);
      expect(Object.fromEntries(found), name).toEqual(Object.fromEntries(expected));
    }
    expect(new Set(ids.map((id) => id.split(':')[0])).size).toBeGreaterThan(18);
    // Ids of users, campaigns and teams in records of other permissions.
    expect(left.size).toBeGreaterThan(5);
    expect(jobs.failures).toEqual([]);
  });
});

describe('an export', () => {
  const { document } = compileStoredOperations(legacySchema).Export!;
  const needs = [...readNeeds(document, legacySchema), 'contacts.export' as const];
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  );
  /** The permissions of all records below a selection, for each of its columns. */
  const readColumns = (type: string, { selections }: SelectionSetNode): [column: string, PermissionName[]][] =>
    selections.flatMap((one) => {
      if (one.kind !== Kind.FIELD) {
        const part = one.kind === Kind.INLINE_FRAGMENT ? one : fragments.get(one.name.value)!;
        return readColumns(type, part.selectionSet);
      }
      const name = one.name.value;
      const owner = legacySchema.getType(type);
      const target = getNamedType((owner as GraphQLObjectType).getFields()[name]!.type);
      const permission = findTypePermission(target);
      const below = one.selectionSet ? readColumns(target.name, one.selectionSet).flatMap(([, each]) => each) : [];
      return [[(one.alias ?? one.name).value, [...(permission ? [permission] : []), ...below]]];
    });
  const columns = new Map(readColumns('Contact', fragments.get('ExportedContact')!.selectionSet));
  const ask = ({ token }: Somebody, search: Json, type = 'application/x-ndjson') =>
    door.rest('POST', '/export', { data: { advanced_search: search } }, token, { Accept: type });

  it.each(['application/x-ndjson', 'text/csv'])('has the columns that everybody may read, as %s', async (type) => {
    const hidden = await door.sql('select id from interactions where group_id = 1 and only_super_admin');
    expect([hidden.length > 0, columns.size > 30]).toEqual([true, true]);
    let exported = 0;
    for (const reader of readers) {
      const { status, text } = await ask(reader, { include_interactions: true }, type);
      expect(status, reader.name).toBe(needs.every(reader.may) ? 200 : 403);
      if (status !== 200) continue;
      exported++;
      const lines = text.split('\n').filter(Boolean);
      const isCsv = type === 'text/csv';
      const contacts: Json[] = isCsv ? [] : lines.map((line) => JSON.parse(line));
      const found = new Set(
        isCsv
          ? lines[0]!.split(',').map((name) => contactTableColumns[name.trim()]![0]!)
          : contacts.flatMap(Object.keys),
      );
      const unreadable = [...found].filter((column) => !columns.get(column)?.every(reader.may));
      expect(unreadable, reader.name).toEqual([]);
      if (isCsv) continue;
      const interactions = contacts.flatMap((one) => one.interactions ?? []).map(({ id }: Json) => id);
      const seen = hidden.filter(({ id }) => interactions.includes(Number(id)));
      expect(seen.length, reader.name).toBe(reader.roleType === 'superadmin' ? hidden.length : 0);
    }
    expect(exported).toBeGreaterThan(4);
  });

  it('is found by conditions on what everybody may read', async () => {
    const operands: Record<string, Json> = {
      year: '2026',
      validity: 'ongoing',
      text: 'x',
      flag: true,
      day: '2026-01-01',
      instant: '2026-01-01T00:00:00Z',
    };
    const exporters = readers.filter(({ may }) => needs.every(may));
    const conditions = Object.entries(attributes).flatMap(([attr, { kind, operators }]) => {
      const permission = familyPermissions[attr.split('.')[0]!];
      const ope = (operators as readonly string[]).find((one) => ['eql', 'lte', 'contains'].includes(one));
      return permission && ope ? [{ attr, permission, condition: { attr, ope, value: operands[kind] ?? 1 } }] : [];
    });
    const hidden = conditions.filter(({ permission }) => !exporters.every(({ may }) => may(permission)));
    expect(hidden.length).toBeGreaterThan(10);
    const shown = conditions.filter((one) => !hidden.includes(one));
    const drawn = [hidden, shown].flatMap((each) => drawSample(each, { small: 16, all: 4 }));
    for (const { attr, permission, condition } of drawn) {
      for (const reader of exporters) {
        const { status, text } = await ask(reader, { query: { $all: [{ $all: [{ $condition: condition }] }] } });
        expect([attr, status, status === 200 ? '' : text], reader.name).toEqual(
          reader.may(permission) ? [attr, 200, ''] : [attr, 403, expect.stringContaining('condition')],
        );
      }
    }
  });

  it('of a person is for those who may read all that it has', async () => {
    const { contacts } = await prepareIds(door, 1);
    for (const { name, may, token } of readers) {
      const { body } = await door.graphql('query ($id: ID!) { personExport(contactId: $id) }', { id: contacts }, token);
      expect(!body.errors, name).toBe(may('person.erase'));
      if (!body.errors) expect(readPermissions.filter((one) => !may(one))).toEqual([]);
    }
  });
});

describe('the audit log', () => {
  it('has no values, and lines of records that their reader may read', async () => {
    const leaves = Object.values((schema.getType('AuditLine') as GraphQLObjectType).getFields())
      .filter(({ type }) => isLeafType(getNamedType(type)))
      .map(({ name }) => name);
    const document = `{ auditLog(last: 1000) { nodes { ${leaves.join(' ')} counts { name count } } } }`;
    const lines = async (token?: string): Promise<Json[]> =>
      (await door.graphql(document, {}, token)).body.data?.auditLog.nodes;
    const all = await lines();
    const values = [...sentTexts].filter((text) => /[ @:#/]/.test(text) && !/^\w+:\d+$/.test(text));
    expect([new Set(all.map(({ type }) => type)).size > 18, values.length > 30]).toEqual([true, true]);
    expect(values.filter((text) => all.some((line) => JSON.stringify(line).includes(text)))).toEqual([]);
    const hidden = await door.sql('select id from interactions where group_id = 1 and only_super_admin');
    const isHidden = ({ type, recordDatabaseId }: Json): boolean =>
      type === 'Interaction' && hidden.some(({ id }) => Number(id) === recordDatabaseId);
    expect(all.filter(isHidden).length).toBeGreaterThan(0);
    for (const { name, may, token, roleType } of readers) {
      const expected = all.filter(
        (line) => may(permissionOf[line.type]) && (roleType === 'superadmin' || !isHidden(line)),
      );
      expect(await lines(token), name).toEqual(may('audit.read') ? expected : undefined);
    }
  });
});
