// Ids of the graph: every record is read by its global id, arguments take three spellings, and nothing of another space is read.
import { isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { listNodeTypes } from '../../schema/graph/node.ts';
import { schema } from '../../schema/index.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createRoleToken } from './writing.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const nodeTypes = Object.values(schema.getTypeMap()).filter(
  (type) => isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node'),
);

/** The table of each type, where it is not the plural of its name. */
const tables: Record<string, string> = {
  AccessToken: 'tokens',
  AuditLine: 'audit_log',
  FormOption: 'form_refs',
  Suppression: 'opt_outs',
  TransactionStatus: 'transaction_statuses',
  WebhookDelivery: 'webhook_deliveries',
};
const tableOf = (type: string): string =>
  tables[type] ?? `${type.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()}s`;

/** The id of a record of this type in a space. */
const idIn = async (type: string, space: number): Promise<number> => {
  if (type === 'Space') return space;
  if (type === 'User')
    return (
      await door.sql(
        'select min(user_id) as id from members where group_id = ? and user_id not in (select user_id from members where group_id <> ?)',
        [space, space],
      )
    )[0].id;
  if (type === 'ContactChange')
    return (await door.sql('select max(import_id) as id from bulk_changes where group_id = ?', [space]))[0].id;
  const living = [
    'AccessToken',
    'AuditLine',
    'Answer',
    'ConsentChange',
    'FormOption',
    'Tag',
    'Import',
    'Segment',
    'Suppression',
    'Webhook',
    'WebhookDelivery',
  ].includes(type)
    ? ''
    : 'and deleted_at is null';
  const key = type === 'Suppression' ? 'number' : 'id';
  return (await door.sql(`select max(${key}) as id from ${tableOf(type)} where group_id = ? ${living}`, [space]))[0].id;
};

const readNode = async (id: string, token?: string): Promise<Json> => {
  const { body } = await door.graphql('query ($id: ID!) { node(id: $id) { __typename id } }', { id }, token);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data.node;
};

describe('node', () => {
  it('reads every type that implements Node', () => {
    expect(listNodeTypes().sort()).toEqual(nodeTypes.map(({ name }) => name).sort());
  });

  it.each(nodeTypes.map(({ name }) => name))('reads a record of type %s, and none of another space', async (type) => {
    if (type === 'AccessToken')
      await Promise.all([door.token(1, await idIn('User', 1)), door.token(2, await idIn('User', 2))]);
    if (type === 'App')
      await door.sql(
        `insert into apps (group_id, name, permissions, scope, share) select id, 'An app', '{contacts.read}', 'read', 50 from spaces where id < 3`,
      );
    if (type === 'AuditLine')
      await door.sql(
        `insert into audit_log (group_id, operation, type) values (1, 'a write', 'Note'), (2, 'a write', 'Note')`,
      );
    if (type === 'ConsentChange')
      await door.sql(
        `insert into consent_changes (group_id, contact_id, after, operation)
         select group_id, min(id), 'true', 'a write' from contacts where deleted_at is null group by group_id`,
      );
    if (type === 'Suppression')
      await door.sql(
        `insert into opt_outs (group_id, digest) select g, sha256(cast(g as text)::bytea) from unnest(array[1, 2]) g`,
      );
    if (type === 'Segment')
      await door.sql(
        `insert into segments (group_id, name, query) select g, 'x', '{"gender": {"equals": "F"}}' from unnest(array[1, 2]) g`,
      );
    if (type === 'WebhookDelivery' || type === 'Webhook')
      await door.sql(
        `with hook as (
           insert into webhooks (group_id, name, url, events, secret, user_id, position)
           select group_id, 'x', 'https://example.org/', '{contact.updated}', 'whsec_AAAA', min(user_id), 0 from members where group_id in (1, 2) group by group_id
           returning group_id, id)
         insert into webhook_deliveries (group_id, webhook_id, event, state) select group_id, id, 'webhook.tested', 'delivered' from hook`,
      );
    if (type === 'Import')
      await door.sql(
        `insert into imports (group_id, name, fingerprint) select g, 'x', decode(lpad(to_hex(g), 64, '0'), 'hex') from unnest(array[1, 2]) g`,
      );
    if (type === 'ContactChange')
      await door.sql(
        `with made as (
           insert into imports (group_id, family, name, fingerprint) select g, 'contact_changes', 'x', '' from unnest(array[1, 2]) g returning group_id, id)
         insert into bulk_changes (group_id, import_id, change, total) select group_id, id, '{}', 0 from made`,
      );
    if (type === 'Sanction')
      await door.sql(
        'insert into sanctions (group_id, contact_id) select group_id, min(id) from contacts where deleted_at is null group by group_id',
      );
    const [own, foreign] = [await idIn(type, 1), await idIn(type, 2)];
    expect([type, own]).toEqual([type, expect.any(Number)]);
    expect(await readNode(`${type}:${own}`)).toEqual({ __typename: type, id: `${type}:${own}` });
    expect(foreign).not.toBe(own);
    expect(await readNode(`${type}:${foreign}`)).toBeNull();
    expect(await readNode(`${type}:987654321`)).toBeNull();
  });

  it.each([
    ['42', 'must be a global id such as Contact:42'],
    ['', 'must be a global id such as Contact:42'],
    ['Contact:', 'must be a global id such as Contact:42'],
    ['Contact:1e3', 'must be a global id such as Contact:42'],
    ['Contact:99999999999999999999', 'must be a global id such as Contact:42'],
    ['Money:1', 'Money is not a type of Node'],
    ['__proto__:1', 'must be a global id such as Contact:42'],
    ['constructor:1', 'constructor is not a type of Node'],
  ])('refuses %j', async (id, message) => {
    const { body } = await door.graphql('query ($id: ID!) { node(id: $id) { id } }', { id });
    expect(body.errors[0].extensions.errors).toEqual([{ location: 'id', message, value: id }]);
  });

  it('hides what a role may not list, and interactions for superadmins with their files', async () => {
    const [campaign] = await door.sql('select max(id) as id from campaigns where group_id = 1 and deleted_at is null');
    const [secret] = await door.sql(
      `with made as (
         insert into interactions (group_id, contact_id, type, only_super_admin)
         select 1, min(id), 'call', true from contacts where group_id = 1 and deleted_at is null returning id)
       insert into files (group_id, interaction_id, name, url) select 1, id, 'x', '/x' from made returning id, interaction_id`,
    );
    const [user, manager] = [await createRoleToken(door, 'user'), await createRoleToken(door, 'manager')];
    const hidden = [`Interaction:${secret.interaction_id}`, `File:${secret.id}`];
    expect(await readNode(`Campaign:${campaign.id}`, user)).toBeNull();
    expect(await readNode(`Campaign:${campaign.id}`, manager)).not.toBeNull();
    for (const id of hidden)
      expect([await readNode(id, manager), await readNode(id)]).toEqual([null, expect.anything()]);
  });
});

describe('records that many requests ask for at once', () => {
  it.each([
    ['Note', '{ id ... on Note { content contact { id } } }'],
    ['Contact', '{ id ... on Contact { firstName notes(first: 1) { nodes { id } } } }'],
  ])('of type %s share statements, and each request gets its own', async (type, fields) => {
    const table = type === 'Note' ? 'notes' : 'contacts';
    const rows = await door.sql(
      `select id from ${table} where group_id = 1 and deleted_at is null order by id limit 30`,
    );
    const ids = [...rows.map(({ id }) => `${type}:${id}`), `${type}:987654321`, `${type}:${await idIn(type, 2)}`];
    const read = async (id: string): Promise<Json> =>
      (await door.graphql(`query ($id: ID!) { node(id: $id) ${fields} }`, { id })).body.data.node;
    const alone: Json[] = [];
    for (const id of ids) alone.push(await read(id));
    expect(alone.map((record) => record?.id)).toEqual([...ids.slice(0, -2), undefined, undefined]);
    const statements = await door.statements(async () => {
      expect(await Promise.all(ids.map(read))).toEqual(alone);
    });
    expect(statements.filter((sql) => /^select/i.test(sql) && !/enter_gate/.test(sql)).length).toBeLessThan(12);
  });
});

describe('nodes', () => {
  it('are at the index of their ids, whatever their types; one statement reads those of a type, and one the survivors of missing contacts', async () => {
    const ids = ['Contact:2', 'Tag:1', 'Contact:987654321', 'Contact:1', 'Contact:2'];
    const statements = await door.statements(async () => {
      const { body } = await door.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
      expect(body.data.nodes).toEqual([{ id: ids[0] }, { id: ids[1] }, null, { id: ids[3] }, { id: ids[4] }]);
    });
    expect(statements.filter((sql) => /^select/i.test(sql) && !/enter_gate/.test(sql)).length).toBe(3);
  });

  it('are at most 100, and each fault has its place', async () => {
    const ask = async (ids: string[]): Promise<Json> =>
      (await door.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })).body;
    const many = (count: number): string[] => Array.from({ length: count }, () => 'Contact:1');
    expect((await ask(many(100))).data.nodes).toHaveLength(100);
    expect((await ask(many(101))).errors[0].extensions.errors[0].message).toBe('must be 1 to 100 ids');
    expect(
      (await ask(['Contact:1', 'x', '7'])).errors[0].extensions.errors.map(({ location }: Json) => location),
    ).toEqual(['ids[1]', 'ids[2]']);
  });
});

describe('an argument for an id', () => {
  const query = 'query ($id: ID!) { contact(id: $id) { id databaseId } }';

  it.each(['Contact:2', '2', 2])('takes %j', async (id) => {
    expect((await door.graphql(query, { id })).body.data.contact).toEqual({ id: 'Contact:2', databaseId: 2 });
  });

  it.each([
    ['Note:2', 'must be the id of a Contact, not of a Note'],
    ['contact:2', 'must be the id of a Contact, not of a contact'],
    ['-1', 'must be an id such as Contact:42, or a whole number from 0 to 9007199254740991'],
    ['9007199254740992', 'must be an id such as Contact:42, or a whole number from 0 to 9007199254740991'],
    ['Contact:02', 'must be an id such as Contact:42, or a whole number from 0 to 9007199254740991'],
    ['', 'must be an id such as Contact:42, or a whole number from 0 to 9007199254740991'],
  ])('refuses %j', async (id, message) => {
    const { body } = await door.graphql(query, { id });
    expect(body.errors[0].extensions).toMatchObject({
      code: 'invalid-request',
      errors: [{ location: 'id', message, value: id }],
    });
  });

  it('is checked in inputs and lists too, at its place, together with other faults', async () => {
    const { body } = await door.graphql(
      `mutation ($input: ContactUpdateInput!) { updateContact(input: $input) { contact { id } } }`,
      { input: { id: 'Contact:1', actionIds: ['Action:1', 'Tag:1'], accountId: 'Contact:1', ageCategory: 9 } },
    );
    expect(
      body.errors[0].extensions.errors.map(({ location, message }: Json) => `${location} ${message}`).sort(),
    ).toEqual([
      'input.accountId must be the id of a User, not of a Contact',
      'input.actionIds[1] must be the id of an Action, not of a Tag',
      'input.ageCategory must be from 0 to 6',
    ]);
  });

  it('is never a global id for legacy clients', async () => {
    expect((await door.rest('GET', '/contacts/Contact:1')).status).toBe(400);
    const { status, body } = await door.rest('PATCH', '/contacts/1', {
      data: { contact: { action_ids: ['Action:1'] } },
    });
    expect([status, body.errors[0].message]).toEqual([
      400,
      'must be a whole number from 0 to 9007199254740991, not "Action:1"',
    ]);
  });
});
