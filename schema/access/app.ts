// Apps: programs that call with permissions, tokens and a share of the bucket of their own; and what each caller spends of it.
import { z } from 'zod';
import type { Context } from '../../src/context.ts';
import {
  type AppRow,
  appColumns,
  buildAppNameSql,
  createApp,
  createAppToken,
  deleteApp,
  listApps,
  readAppNames,
  readAppsByIds,
  readTokensOfApps,
  updateApp,
  usualShare,
} from '../../src/data/access/app.ts';
import { readSpending, type SpendingRow } from '../../src/data/access/spending.ts';
import type { TokenRow } from '../../src/data/access/token.ts';
import { isAppNumber } from '../../src/data/noun/author.ts';
import { replaceBlanks } from '../../src/input/blank.ts';
import { formatGlobalId } from '../../src/input/global-id.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { limits } from '../../src/limits/limits.ts';
import { grantablePermissions } from '../../src/permissions/permissions.ts';
import { mapRelated, takeFirstRelated } from '../../src/plan/loader.ts';
import { builder } from '../graph/builder.ts';
import { defineDeletion, defineMutation, defineRecordMutation, type InputBuilder } from '../graph/mutation.ts';
import { defineNodeFields, Node, registerNode, requireId } from '../graph/node.ts';
import { defineColumnFields } from '../graph/noun.ts';
import { createLoaderByColumn } from '../graph/reference.ts';
import { nonBlank, refuseNullFields, shortText } from '../graph/validators.ts';
import { AccessToken, defineTokenPayload, refuseKeptSecrets, TokenScope } from './token.ts';
import { findUser, User } from './user.ts';

const appOf = createLoaderByColumn(readAppsByIds, 'id');
const nameOf = createLoaderByColumn(readAppNames, 'id');
const tokensOf = createLoaderByColumn(readTokensOfApps, 'app_id');

export const App = builder.objectRef<AppRow>('App').implement({
  interfaces: [Node],
  description:
    'A program that calls as itself, and not as a member: with permissions, access tokens and a share of the bucket of its own.',
  fields: (t) => ({
    ...defineNodeFields(t, 'App'),
    ...defineColumnFields(t, appColumns.columns),
    scope: t.expose('scope', {
      type: TokenScope,
      description: 'What its access tokens may do, within its permissions.',
    }),
    tokens: t.field({
      type: [AccessToken],
      description: `Its access tokens, the newest first, at most ${limits.value.tokensOfUser}; those that ended are kept for a month.`,
      resolve: ({ id }, _, context) => mapRelated(tokensOf(context, id), (rows): TokenRow[] => rows),
    }),
  }),
});
registerNode(App, { read: ({ space }, ids) => readAppsByIds(space, ids) });

builder.objectField(AccessToken, 'app', (t) =>
  t.field({
    type: App,
    nullable: true,
    description: 'The app that it belongs to; null for an access token of a user.',
    // Only admins see tokens of others.
    extensions: { ownRecord: 'always' },
    resolve: ({ app_id: id }, _, context) => (id === null ? null : takeFirstRelated(appOf(context, id))),
  }),
);

/** The options of a field with the name of the app whose number is in a column. The name outlives the app. */
export const nameApp = <Column extends string>(by: Column, description: string) => ({
  type: 'String' as const,
  nullable: true as const,
  description: `${description} Null for a user. The name is known also after the app was deleted.`,
  extensions: { json: { by, buildNameSql: buildAppNameSql } },
  resolve: (source: Record<Column, number | null>, _: unknown, context: Context) => {
    const id = source[by];
    return id !== null && isAppNumber(id) ? mapRelated(nameOf(context, id), ([app]) => app?.name ?? null) : null;
  },
});

/** The options of a field with the id of the app whose number is in a column. */
export const identifyApp = <Column extends string>(by: Column, description: string) => ({
  type: 'ID' as const,
  nullable: true as const,
  description: `${description} Null for a user.`,
  resolve: ({ [by]: id }: Record<Column, number | null>) =>
    id !== null && isAppNumber(id) ? formatGlobalId('App', id) : null,
});

builder.queryField('apps', (t) =>
  t.field({
    type: [App],
    description: 'The apps of the space, in the order in which they were created.',
    resolve: (_, __, { space }) => listApps(space),
  }),
);

const percent = z.int().min(1, 'must be at least 1').max(100, 'must be at most 100');
const permissionsText = `What it may do: ${grantablePermissions.join(', ')}.`;

const defineContentFields = <Required extends boolean>(t: InputBuilder, required: Required) => ({
  name: t.string({ required, validate: nonBlank, description: 'Its name, which no other app of the space has.' }),
  permissions: t.stringList({
    required,
    validate: limitListLength([1, limits.list.permissions], 'permissions'),
    description: permissionsText,
  }),
  scope: t.field({ type: TokenScope, required, description: 'What its access tokens may do, within its permissions.' }),
  share: t.int({
    validate: percent,
    description: `The part of the bucket of the space that it can use, in percent, 1 to 100; ${usualShare} for a new app.`,
  }),
});

const defineTokenFields = (t: InputBuilder) => ({
  label: t.string({ validate: shortText, description: 'What the access token is for.' }),
  expiresAt: t.field({ type: 'DateTime', description: 'When the access token ends; never without it.' }),
});

defineMutation('createApp', {
  description:
    'Creates an app with an access token. It goes on when the caller leaves the space, and can be given no right over apps, tokens, users or roles.',
  input: (t) => ({ ...defineContentFields(t, true), ...defineTokenFields(t) }),
  resolve: ({ share, ...input }, { space, caller, shared }) => {
    if (shared) throw refuseKeptSecrets('createApp');
    return createApp(
      space,
      { ...input, label: replaceBlanks(input, 'null').label, share: share ?? usualShare },
      caller,
    );
  },
  audit: ({ app }) => ({ type: 'App', ids: [app.id] }),
  payload: (t) => ({
    app: t.expose('app', { type: App, description: 'The app.' }),
    ...defineTokenPayload(t as never),
  }),
});

defineMutation('createAppToken', {
  description: `Creates another access token of an app. To renew one, create another, let the program use it, and revoke the old one by \`revokeToken\`.`,
  input: (t) => ({ id: t.field(requireId('App')), ...defineTokenFields(t) }),
  resolve: ({ id, ...input }, { space, caller, shared }) => {
    if (shared) throw refuseKeptSecrets('createAppToken');
    return createAppToken(space, id, replaceBlanks(input, 'null'), caller);
  },
  audit: ({ row }) => ({ type: 'AccessToken', ids: [row.id] }),
  payload: defineTokenPayload,
});

defineRecordMutation('updateApp', {
  type: App,
  description: 'Changes an app. The next request with one of its access tokens has the new rights and the new share.',
  about: 'What to change of an app. Fields left out stay.',
  input: (t) => ({ id: t.field(requireId('App')), ...defineContentFields(t, false) }),
  validate: refuseNullFields('name', 'permissions', 'scope', 'share'),
  resolve: ({ id, ...input }, { space, caller }) => updateApp(space, id, input, caller),
});

defineDeletion('deleteApp', {
  type: 'App',
  description:
    'Deletes an app and revokes its access tokens. What it wrote stays, and the audit log goes on to name it.',
  remove: ({ space, caller }, id) => deleteApp(space, id, caller),
});

const CallerSpending = builder.objectRef<SpendingRow>('CallerSpending').implement({
  description: 'What a user or an app has spent of the bucket of the space.',
  fields: (t) => ({
    user: t.field({
      type: User,
      nullable: true,
      description: 'The user; null for an app, and for a user who has left the space.',
      resolve: ({ caller_id }, _, context) => findUser(context, caller_id),
    }),
    appId: t.field(identifyApp('caller_id', 'The id of the app.')),
    appName: t.field(nameApp('caller_id', 'The name of the app.')),
    lastMinute: t.exposeFloat('last_minute', { description: 'Points since the beginning of the last whole minute.' }),
    lastHour: t.exposeFloat('last_hour', { description: 'Points in the last hour.' }),
    lastDay: t.exposeFloat('last_day', { description: 'Points in the last 24 hours.' }),
  }),
});

builder.queryField('spaceUsage', (t) =>
  t.field({
    type: [CallerSpending],
    description: `The callers who spend the points of the bucket, at most ${limits.list.page}, sorted by the last hour, the largest first. Numbers are some ten seconds old.`,
    resolve: (_, __, { space }) => readSpending(space),
  }),
);
