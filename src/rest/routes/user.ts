// Routes of users, their invitations and their roles (spec §2.5, §2.6, §4.5–§4.8).
import { user } from './output.ts';
import { id, inputId, type Route, slice } from './route.ts';

export const userRoutes: Route[] = [
  {
    method: 'GET',
    path: '/users/invitation',
    operation: 'Invitations',
    variables: {},
    envelope: 'data',
    summary: 'All invitations, pending and accepted',
  },
  {
    method: 'POST',
    path: '/users/invitation',
    operation: 'InviteUsers',
    variables: { 'input.invitations': { body: 'data.invitations' } },
    status: 201,
    envelope: 'data',
    finish: {
      data: ({ invitations }) => ({ msg: 'Invitations sent', invitations }),
      schema: ({ invitations }) => objectOf({ msg: { type: 'string' }, invitations }),
    },
    summary: 'Invite people',
    example: { body: { data: { invitations: [{ email: 'ben@example.org' }] } } },
  },
  {
    method: 'DELETE',
    path: '/users/invitation/{id}',
    operation: 'DeleteInvitation',
    variables: inputId,
    envelope: 'data',
    summary: 'Take an invitation back',
    example: { path: { id: 1 } },
  },
  {
    method: 'GET',
    path: '/users',
    operation: 'Users',
    variables: { ...slice, sort: { query: 'sort' } },
    envelope: 'inner',
    shape: user,
    summary: 'The users of the space',
    example: { query: { limit: 10, sort: true } },
  },
  {
    method: 'GET',
    path: '/users/{id}',
    operation: 'UserById',
    variables: id,
    envelope: 'data',
    shape: user,
    finish: { data: ({ User }) => ({ User, user: User }), schema: ({ User }) => objectOf({ User, user: User }) },
    summary: 'A user',
    example: { path: { id: 1 } },
  },
  {
    method: 'PATCH',
    path: '/users/{id}',
    operation: 'UpdateUser',
    variables: { ...inputId, input: { body: 'data' } },
    envelope: 'data',
    tolerate: tokenFlagBesideData,
    finish: { data: () => 'OK', schema: () => ({ const: 'OK' }) },
    summary: 'Change the given fields of a user',
    example: { path: { id: 1 }, body: { data: { mail: 'ana@example.org', city: 'Lyon' } } },
  },
  {
    method: 'GET',
    path: '/roles',
    operation: 'Roles',
    variables: {},
    envelope: 'data',
    finish: {
      data: ({ roles }) => ({ count: (roles as unknown[]).length, roles }),
      schema: ({ roles }) => objectOf({ count: { type: 'integer' }, roles }),
    },
    summary: 'The roles of the space',
  },
];

/** `UpdateToken` stands inside `data` or beside it (decisions on spec §4.6). */
function tokenFlagBesideData(body: unknown): unknown {
  if (!isRecord(body) || !isRecord(body.data) || !('UpdateToken' in body)) return body;
  return { ...body, data: { UpdateToken: body.UpdateToken, ...body.data } };
}

function objectOf(properties: Record<string, object | undefined>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
