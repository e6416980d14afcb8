// The caller, the space that their token acts in, and what the bucket of that space holds (spec §5, §8).
import type { Context } from '../../src/context.ts';
import { readAppsByIds } from '../../src/data/access/app.ts';
import { listReceivedInvitations } from '../../src/data/access/invitation.ts';
import { readSpace, type SpaceRow, spaceSql } from '../../src/data/access/space.ts';
import { readUser, usersById } from '../../src/data/access/user.ts';
import { countTokens } from '../../src/gate/gate.ts';
import { isPermitted } from '../../src/permissions/authority.ts';
import { permissionNames } from '../../src/permissions/permissions.ts';
import { createRelationLoader, takeFirstRelated } from '../../src/plan/loader.ts';
import { createNotFoundProblem } from '../../src/problem.ts';
import { builder } from '../graph/builder.ts';
import { defineNodeFields, Node, registerNode } from '../graph/node.ts';
import { App } from './app.ts';
import { ReceivedInvitation } from './invitation.ts';
import { User } from './user.ts';

const Space = builder.objectRef<SpaceRow>('Space').implement({
  interfaces: [Node],
  description: 'The data of one organisation, and its members. No space sees another.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Space'),
    name: t.exposeString('name', { description: 'Name of the organisation.' }),
    defaultCountry: t.exposeString('default_country', {
      nullable: true,
      description:
        'The country of phones without a calling code where a contact has none, by its two letters of ISO 3166.',
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the space was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the space was last changed.' }),
  }),
});

registerNode(
  Space,
  {
    read: async ({ space }, ids) =>
      ids.includes(space.id) ? [await readSpace(space)].flatMap((row) => row ?? []) : [],
  },
  { hasField: true },
);

/** Read once, however many fields of a document ask for it. */
const ownUser = createRelationLoader(
  async ({ space }: Context, [id]) => [await readUser(space, id!)].flatMap((found) => found ?? []),
  (row) => row.id,
);

const Viewer = builder.objectRef<Context>('Viewer').implement({
  description: 'Who calls, and where.',
  fields: (t) => ({
    space: t.field({
      type: Space,
      description: 'The space that the access token acts in.',
      extensions: { json: { of: 'space', pick: 'one', buildSql: () => spaceSql } },
      resolve: async ({ space, caller }) => {
        const found = await readSpace(space);
        if (!found) throw createNotFoundProblem('space', caller.groupId);
        return found;
      },
    }),
    user: t.field({
      type: User,
      nullable: true,
      description: 'The user that the access token belongs to; null for an app.',
      extensions: { ownRecord: 'always', json: { of: 'user', pick: 'one', buildSql: usersById.buildSql } },
      resolve: async ({ caller }, _, context) => {
        if (caller.isApp) return null;
        const own = await takeFirstRelated(ownUser(context, caller.userId));
        // The caller may have been removed after the gate let them in.
        if (!own) throw createNotFoundProblem('user', caller.userId);
        return own;
      },
    }),
    app: t.field({
      type: App,
      nullable: true,
      description: 'The app that the access token belongs to; null for a user.',
      extensions: { ownRecord: 'always' },
      resolve: async ({ caller, space }) =>
        caller.isApp ? ((await readAppsByIds(space, [caller.userId]))[0] ?? null) : null,
    }),
    permissions: t.stringList({
      description: 'The groups of operations that the caller may use with this access token.',
      resolve: ({ caller }) => permissionNames.filter((name) => isPermitted(caller, name)),
    }),
    invitations: t.field({
      type: [ReceivedInvitation],
      description:
        "Pending invitations to the user's own mail, from any space; none until that mail is confirmed, and none for an app.",
      resolve: ({ caller, space }) => listReceivedInvitations(space, caller.userId),
    }),
  }),
});

const RateLimit = builder.objectRef<Context['bucket']>('RateLimit').implement({
  description:
    'The bucket that all requests of the space share, after this request was paid; for an app its share of the bucket.',
  fields: (t) => ({
    capacity: t.exposeFloat('capacity', { description: 'Points that the bucket can hold.' }),
    refillRate: t.exposeFloat('refill', { description: 'Points that flow in per second.' }),
    cost: t.exposeFloat('cost', { description: 'Points that this request took.' }),
    remaining: t.int({ description: 'Points available now, whole.', resolve: ({ tokens }) => countTokens(tokens) }),
    resetSeconds: t.float({
      description: 'Seconds until the bucket is full again.',
      resolve: ({ tokens, capacity, refill }) => (capacity - tokens) / refill,
    }),
  }),
});

builder.queryFields((t) => ({
  viewer: t.field({ type: Viewer, description: 'Who calls, and where.', resolve: (_, __, context) => context }),
  rateLimit: t.field({
    type: RateLimit,
    description: 'What the bucket of the space holds.',
    resolve: (_, __, { bucket }) => bucket,
  }),
}));
