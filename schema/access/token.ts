// Access tokens of the members of the space. No field shows a token, but for the answer that creates it.
import {
  createToken,
  listTokensOfSpace,
  readTokensByIds,
  revokeTokenOfSpace,
  type TokenRow,
  tokenColumns,
} from '../../src/data/access/token.ts';
import { limits } from '../../src/limits/limits.ts';
import { isAtLeast, type TokenScope as Scope } from '../../src/permissions/permissions.ts';
import { Problem } from '../../src/problem.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { defineMutation, type PayloadBuilder } from '../graph/mutation.ts';
import { defineNodeFields, Node, registerNode, requireId } from '../graph/node.ts';
import { defineColumnFields } from '../graph/noun.ts';
import { nonBlank } from '../graph/validators.ts';
import { findUser, User } from './user.ts';

/** 422 for a field that would be stored with the answer under an idempotency key. */
export const refuseKeptSecrets = (field: string): Problem =>
  new Problem(
    'unprocessable',
    `${field} cannot be selected with an Idempotency-Key, whose answers are stored: send the request without the header`,
  );

export const TokenScope = builder.enumType('TokenScope', {
  description: 'What an access token may do, within what the role of its user, or its app, may do.',
  values: defineEnumValues<Scope>({
    read: 'It reads.',
    write: 'It reads and writes records.',
    admin: 'It does everything that the role permits.',
  }),
});

export const AccessToken = builder.objectRef<TokenRow>('AccessToken').implement({
  interfaces: [Node],
  description: 'An access token of a user or of an app that acts in this space.',
  fields: (t) => ({
    ...defineNodeFields(t, 'AccessToken'),
    ...defineColumnFields(t, tokenColumns.columns),
    scope: t.expose('scope', { type: TokenScope, description: 'What it may do.' }),
    user: t.field({
      type: User,
      nullable: true,
      description: 'The user that it belongs to; null for an access token of an app.',
      // Only admins see tokens of others, and they may read all users.
      extensions: { ownRecord: 'always' },
      resolve: ({ user_id }, _, context) => findUser(context, user_id),
    }),
    isCurrent: t.boolean({
      description: 'Whether it is the access token of this request.',
      resolve: ({ id }, _, { caller }) => id === caller.tokenId,
    }),
  }),
});

builder.queryField('tokens', (t) =>
  t.field({
    type: [AccessToken],
    description: `The caller's own access tokens for this space, or those of all its users and apps, the newest first, at most ${limits.list.page}.`,
    args: {
      ofSpace: t.arg.boolean({
        defaultValue: false,
        description: 'Whether to list those of all users and apps; for admins.',
      }),
    },
    resolve: (_, { ofSpace }, { space, caller }) => {
      if (ofSpace && !isAtLeast(caller.roleType, 'admin'))
        throw new Problem('forbidden', `A ${caller.roleType} may list only their own access tokens`);
      return listTokensOfSpace(space, ofSpace ? null : caller.userId);
    },
  }),
);

/** The payload of a mutation that creates an access token. */
export const defineTokenPayload = (t: PayloadBuilder<{ token: string; row: TokenRow }>) => ({
  token: t.exposeString('token', { description: 'The access token itself. It is shown only here.' }),
  accessToken: t.expose('row', { type: AccessToken, description: 'The access token as the lists show it.' }),
});

defineMutation('createToken', {
  description:
    'Creates an access token of the caller that acts in this space. It reaches no further than the one of the request, neither in scope nor in time.',
  input: (t) => ({
    label: t.string({ required: true, validate: nonBlank, description: 'What it is for; not blank.' }),
    scope: t.field({ type: TokenScope, required: true, description: 'What it may do.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it ends. Without it, it ends with the access token of the request, or never.',
    }),
  }),
  resolve: ({ label, scope, expiresAt = null }, { space, caller, shared }) => {
    if (shared) throw refuseKeptSecrets('createToken');
    return createToken(space, { label, scope, expiresAt }, caller);
  },
  audit: ({ row }) => ({ type: 'AccessToken', ids: [row.id] }),
  payload: defineTokenPayload,
});

defineMutation('revokeToken', {
  description:
    "Revokes a valid token of this space: one's own, or, as an admin, that of an app, or of a user whose role reaches no further. The next request with it is refused.",
  input: (t) => ({ id: t.field(requireId('AccessToken')) }),
  resolve: async ({ id }, { space, caller }) => ({ row: await revokeTokenOfSpace(space, id, caller) }),
  audit: ({ row }) => ({ type: 'AccessToken', ids: [row.id] }),
  payload: (t) => ({
    accessToken: t.expose('row', { type: AccessToken, description: 'The access token, as it is now.' }),
  }),
});

registerNode(AccessToken, {
  read: ({ space, caller }, ids) =>
    readTokensByIds(space, ids, isAtLeast(caller.roleType, 'admin') ? null : caller.userId),
});
