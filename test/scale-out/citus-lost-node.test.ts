// What a space can do while a node is away that has other spaces: every operation of both doors is tried.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { routes } from '../../src/rest/routes/index.ts';
import { type Answer, type Door, openApp } from '../harness/app.ts';
import { cleanUpAfterFile } from '../harness/cleanup.ts';
import { fields, type Ids, makeDocument, prepareIds, requests, rootFields } from '../requests/index.ts';
import { missingCitus, startCitusCluster } from './citus-cluster.ts';

vi.setConfig({ testTimeout: 240_000 });

/** They read or write what is on all nodes: people, roles and tokens, the invitations of other spaces, the lock of all words. */
const needAllNodes = [
  'acceptInvitation',
  'changeMemberRole',
  'createApp',
  'createAppToken',
  'createRole',
  'createToken',
  'deleteApp',
  'erasePerson',
  'removeMember',
  'revokeToken',
  'updateApp',
  'updateRole',
  'updateUser',
  'viewer',
  'PATCH /users/{id}',
];

interface Operation {
  name: string;
  ask(ids: Ids): Promise<Answer>;
}

const listOperations = (door: Door): Operation[] => [
  ...rootFields.map((root) => ({
    name: root.field.name,
    ask: (ids: Ids) => {
      const args = fields[root.field.name]!(ids);
      return door.graphql(makeDocument(root, args), args);
    },
  })),
  ...routes.map((route) => ({
    name: `${route.method} ${route.path}`,
    ask: (ids: Ids) => {
      const { path, body } = requests[route.operation]!(ids);
      return door.rest(
        route.method,
        route.path.replace(/\{(\w+)#?\}/g, (_, name) => String(path[name])),
        body,
      );
    },
  })),
];

/** What deletes comes last: the others need the records. */
const rankOperation = ({ name }: Operation): number =>
  /^(delete|remove|erase|merge|undo|revoke|DELETE)/.test(name) ? 2 : /^(update|change|rotate|PATCH)/.test(name) ? 0 : 1;

it.skipIf(missingCitus)(
  `most operations need no other node${missingCitus ? ` (left out: ${missingCitus})` : ''}`,
  async () => {
    const cluster = await startCitusCluster([1, 2, 3, 4]);
    const database = new Database(cluster.url);
    cleanUpAfterFile(() => database.close());
    const door = await openApp({}, undefined, { databaseUrl: cluster.url, database } as Door);
    const operations = listOperations(door).sort((one, other) => rankOperation(one) - rankOperation(other));
    const ids = new Map<string, Ids>();
    for (const { name } of operations) ids.set(name, await prepareIds(door, 1));
    // The token is created now: that is written on all nodes.
    await door.graphql('{ viewer { user { id } } }');
    const [other] = [...cluster.nodes.values()].filter((node) => node !== cluster.nodes.get(1));
    cluster.killNode(other!);
    await sleep(500);
    const failed: string[] = [];
    for (const { name, ask } of operations) {
      const { status, body, text } = await ask(ids.get(name)!);
      const code = body?.errors?.[0].extensions?.status ?? status;
      // Not found, or not valid: an operation before it has deleted the record.
      expect([404, 422, 503].includes(code) || code < 300, text).toBe(true);
      if (code === 503) failed.push(name);
    }
    expect(failed.sort()).toEqual(needAllNodes.sort());
  },
);
