// The route table: method and path, the stored operation it runs, where its variables come from, how the result is answered.
import type { operations } from './operations.ts';
import { contactAsFound, contactById, contactsAsFound, type Shape, team, user } from './shapes.ts';

/** Where a variable comes from: a part of the path, of the query, or of the body (`data.team`; '' is the whole body). */
export type Source = { path: string } | { query: string } | { body: string };

/** `data`: {status, data: the result}; `inner`: {status, data: its one field}; `list`: {status, data: items, total}; `bare`: its one field. */
export type Envelope = 'data' | 'inner' | 'list' | 'bare';

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `{name}` is one segment, `{name#}` one of digits only. */
  path: string;
  /** Other paths that mean the same. */
  aliases?: string[];
  operation: keyof typeof operations;
  variables: Record<string, Source>;
  /** An object of the body that must be there, though nothing in it need be. */
  within?: string;
  status?: 200 | 201;
  envelope: Envelope;
  /** A value of the path that its type does not have is a missing record, not a fault. */
  unknownIsMissing?: boolean;
  /** Input that real clients send elsewhere than the contract's place. */
  tolerate?: (body: unknown) => unknown;
  shape?: Shape;
  /** The last word on the result, where the reply is not the data of the graph; and on its JSON Schema. */
  finish?: { data: (data: Record<string, unknown>) => unknown; schema: (properties: Record<string, object>) => object };
  summary: string;
}

const slice = { limit: { query: 'limit' }, offset: { query: 'offset' } };
const id = { id: { path: 'id' } };
/** Spec §4.13: what an advanced search says beside what it wants of each contact. */
const search = {
  tree: { body: 'data.advanced_search.query' },
  perPage: { body: 'data.advanced_search.per_page' },
  page: { body: 'data.advanced_search.page' },
  sortBy: { body: 'data.advanced_search.sort_attr' },
  ascending: { body: 'data.advanced_search.sort_asc' },
};

export const routes: Route[] = [
  {
    method: 'POST',
    path: '/v1/contacts/{contactId}/notes',
    aliases: ['/contacts/{contactId}/notes'],
    operation: 'CreateNote',
    variables: { contactId: { path: 'contactId' }, input: { body: '' } },
    status: 201,
    envelope: 'bare',
    summary: 'Write a note on a contact',
  },
  {
    method: 'GET',
    path: '/v1/contacts/{id}',
    operation: 'ContactById',
    variables: { contactId: { path: 'id' } },
    envelope: 'bare',
    shape: contactById,
    summary: 'A contact, unwrapped',
  },
  {
    method: 'GET',
    path: '/contacts/{id}',
    operation: 'ContactAsFound',
    variables: { contactId: { path: 'id' } },
    envelope: 'data',
    shape: contactAsFound,
    summary: 'A contact in the shape of contact search',
  },
  {
    method: 'POST',
    path: '/search',
    aliases: ['/v1/search'],
    operation: 'Search',
    variables: {
      ...search,
      withInteractions: { body: 'data.advanced_search.include_interactions' },
      withTotal: { body: 'data.advanced_search.with_total' },
    },
    within: 'data.advanced_search',
    envelope: 'inner',
    shape: contactsAsFound,
    summary: 'The contacts that an advanced search finds',
  },
  {
    method: 'POST',
    path: '/kpi',
    aliases: ['/v1/kpi'],
    operation: 'Kpi',
    variables: search,
    within: 'data.advanced_search',
    envelope: 'inner',
    summary: 'How many contacts an advanced search finds',
  },
  {
    method: 'POST',
    path: '/teams',
    operation: 'CreateTeam',
    variables: { input: { body: 'data.team' } },
    envelope: 'data',
    shape: team,
    summary: 'Create a team',
  },
  {
    method: 'PATCH',
    path: '/teams',
    operation: 'ReplaceTeam',
    variables: { id: { body: 'data.team.id' }, input: { body: 'data.team' } },
    envelope: 'data',
    shape: team,
    summary: 'Replace a team',
  },
  {
    method: 'GET',
    path: '/teams',
    operation: 'Teams',
    variables: {},
    envelope: 'data',
    shape: team,
    summary: 'All teams',
  },
  {
    method: 'GET',
    path: '/teams/{id}',
    operation: 'TeamById',
    variables: id,
    envelope: 'data',
    shape: team,
    summary: 'A team',
  },
  {
    method: 'DELETE',
    path: '/teams/{id}',
    operation: 'DeleteTeam',
    variables: id,
    envelope: 'inner',
    summary: 'Delete a team',
  },
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
    variables: { invitations: { body: 'data.invitations' } },
    status: 201,
    envelope: 'data',
    finish: {
      data: ({ invitations }) => ({ msg: 'Invitations sent', invitations }),
      schema: ({ invitations }) => objectOf({ msg: { type: 'string' }, invitations }),
    },
    summary: 'Invite people',
  },
  {
    method: 'DELETE',
    path: '/users/invitation/{id}',
    operation: 'DeleteInvitation',
    variables: id,
    envelope: 'inner',
    summary: 'Take an invitation back',
  },
  {
    method: 'GET',
    path: '/users',
    operation: 'Users',
    variables: { ...slice, sort: { query: 'sort' } },
    envelope: 'inner',
    shape: user,
    summary: 'The users of the space',
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
  },
  {
    method: 'PATCH',
    path: '/users/{id}',
    operation: 'UpdateUser',
    variables: { ...id, input: { body: 'data' } },
    envelope: 'data',
    tolerate: tokenFlagBesideData,
    finish: { data: () => 'OK', schema: () => ({ const: 'OK' }) },
    summary: 'Change the given fields of a user',
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
  {
    method: 'GET',
    path: '/forms/{formId#}',
    aliases: ['/v1/forms/{formId#}'],
    operation: 'FormById',
    variables: { id: { path: 'formId' } },
    envelope: 'data',
    summary: 'A form',
  },
  {
    method: 'GET',
    path: '/forms/{type}',
    aliases: ['/v1/forms/{type}', '/v1/forms/type/{type}', '/forms/type/{type}'],
    operation: 'FormsByKind',
    variables: { kind: { path: 'type' } },
    unknownIsMissing: true,
    envelope: 'data',
    summary: 'The forms of one kind',
  },
  {
    method: 'GET',
    path: '/v1/membership_price_groups',
    aliases: ['/membership_price_groups'],
    operation: 'MembershipPriceGroups',
    variables: slice,
    envelope: 'list',
    summary: 'Membership price groups with their prices',
  },
  {
    method: 'GET',
    path: '/v1/donation_prices',
    aliases: ['/donation_prices'],
    operation: 'DonationPrices',
    variables: slice,
    envelope: 'list',
    summary: 'Donation prices',
  },
  {
    method: 'GET',
    path: '/v1/transaction_statuses',
    aliases: ['/transaction_statuses'],
    operation: 'TransactionStatuses',
    variables: slice,
    envelope: 'list',
    summary: 'Transaction statuses',
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
