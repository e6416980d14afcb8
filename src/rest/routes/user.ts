// Routes of users, their invitations and their roles (spec §2.5, §2.6, §4.5–§4.8).
import { isRecord } from '../../input/input-value.ts';
import { user } from './output.ts';
import { defineRestRoute, id, inputId, type Route, slice } from './route.ts';

export const userRoutes: Route[] = [
  defineRestRoute('GET', '/users/invitation', 'Invitations', 'All invitations, pending and accepted', {
    variables: {},
    envelope: 'data',
  }),
  defineRestRoute('POST', '/users/invitation', 'InviteUsers', 'Invite people', {
    variables: { 'input.invitations': { body: 'data.invitations' } },
    status: 201,
    envelope: 'data',
    finish: {
      data: ({ invitations }) => ({ msg: 'Invitations sent', invitations }),
      schema: ({ invitations }) => objectOf({ msg: { type: 'string' }, invitations }),
    },
    example: { body: { data: { invitations: [{ email: 'ben@example.org' }] } } },
  }),
  defineRestRoute('DELETE', '/users/invitation/{id}', 'DeleteInvitation', 'Take an invitation back', {
    variables: inputId,
    envelope: 'data',
    example: { path: { id: 1 } },
  }),
  defineRestRoute('GET', '/users', 'Users', 'The users of the space', {
    variables: { ...slice, sort: { query: 'sort' } },
    envelope: 'inner',
    shape: user,
    example: { query: { limit: 10, sort: true } },
  }),
  defineRestRoute('GET', '/users/{id}', 'UserById', 'A user', {
    variables: id,
    envelope: 'data',
    shape: user,
    finish: { data: ({ User }) => ({ User, user: User }), schema: ({ User }) => objectOf({ User, user: User }) },
    example: { path: { id: 1 } },
  }),
  defineRestRoute('PATCH', '/users/{id}', 'UpdateUser', 'Change the given fields of a user', {
    variables: { ...inputId, input: { body: 'data' } },
    envelope: 'data',
    tolerate: tokenFlagBesideData,
    finish: { data: () => 'OK', schema: () => ({ const: 'OK' }) },
    example: { path: { id: 1 }, body: { data: { mail: 'ana@example.org', city: 'Lyon' } } },
  }),
  defineRestRoute('GET', '/roles', 'Roles', 'The roles of the space', {
    variables: {},
    envelope: 'data',
    finish: {
      data: ({ roles }) => ({ count: (roles as unknown[]).length, roles }),
      schema: ({ roles }) => objectOf({ count: { type: 'integer' }, roles }),
    },
  }),
];

/** `UpdateToken` stands inside `data` or beside it (decisions on spec §4.6). */
function tokenFlagBesideData(body: unknown): unknown {
  if (!isRecord(body) || !isRecord(body.data) || !('UpdateToken' in body)) return body;
  return { ...body, data: { UpdateToken: body.UpdateToken, ...body.data } };
}

function objectOf(properties: Record<string, object | undefined>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}
