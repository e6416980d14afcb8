// The context of resolvers: the caller, the space that they reach, and the state of its bucket; and the types of resolvers and of the steps around them.
import type { FieldNode, GraphQLField, GraphQLFieldResolver } from 'graphql';
import type { JsonPlan } from './data/contact/field-json.ts';
import type { ChangeFollower } from './data/event/follow.ts';
import type { AuditAction } from './data/noun/audit.ts';
import type { Precondition } from './data/noun/precondition.ts';
import type { Space } from './database/space.ts';
import type { Pace } from './limits/pace.ts';
import type { Authority } from './permissions/authority.ts';

/** The caller behind a token: a user in one space, with their role there as far as the scope of the token lets it reach; or an app of the space. */
export interface Caller extends Authority {
  tokenId: number;
  /** The number of the user or of the app, which no other has (`src/data/noun/author.ts`). */
  userId: number;
  groupId: number;
  /** Null for an app. */
  roleId: number | null;
}

/** A field that was sent under two names with different values: its path below the argument, and both values. */
export interface SentTwice {
  path: string[];
  places: [string, string];
  values: [unknown, unknown];
  read: [unknown, unknown];
}

/** All ids that a search found, in order, once it ran; and how many contacts of them were read. */
export interface Whole {
  ids?: Float64Array;
  read: number;
}

/** How invitations are sent, by the settings of the server. */
interface InvitationSettings {
  /** Days until a secret expires. */
  days: number;
  /** The address of a page that accepts invitations, with `{secret}` in place of the secret. */
  url?: string | undefined;
}

/** The stream of a subscription. */
interface EventStream {
  follower: ChangeFollower;
  /** Aborts when it is over. */
  signal: AbortSignal;
  /** The last event that the client got before it connected again. */
  lastEventId: string | null;
  /** The id of the event under way. */
  eventId?: string;
  /** Pays for the next event, which waits while the space has no points. Throws what ends the stream. */
  pay(): Promise<void>;
}

export interface Context {
  caller: Caller;
  /** Set for requests, which may invite. */
  invitations?: InvitationSettings;
  /** The addresses that webhooks may have. */
  webhooks?: { allowsPrivate: boolean };
  space: Space;
  bucket: { tokens: number; cost: number; capacity: number; refill: number };
  /** The instant of the request, which every `now` in it means, in microseconds since 1970. */
  now: bigint;
  /** Set for an export: all that its search found at one moment. */
  whole?: Whole;
  /** Fields of a record's input that were sent under two names. */
  sentTwice?: readonly SentTwice[];
  /** Set for a request that is to find its record of certain versions alone. */
  precondition?: Precondition | undefined;
  /** Identifies the request in the audit log. */
  requestId: string | null;
  /** The mutation under way, for the audit log. */
  action?: AuditAction;
  /** How many mutations of the document have begun. Records that were read before the last of them may be out of date. */
  writes?: number;
  /** Set once a mutation of the document has waited in vain for the database. */
  isDatabaseAway?: boolean;
  /** Set when the mutations of a document share the transaction of `space`: how many of them are done, and the errors of the others. */
  shared?: { done: number; failures: unknown[] };
  /** Set for a subscription. */
  stream?: EventStream;
  /** Set for operations that may yield many records: they are completed piece by piece. */
  pace?: Pace;
  /** For each field that PostgreSQL writes as JSON: how. */
  jsonPlans?: ReadonlyMap<FieldNode, JsonPlan>;
}

export type Field = GraphQLField<unknown, Context>;
export type Resolver = GraphQLFieldResolver<unknown, Context>;

/** A step around the resolver of a field. It makes a resolver that calls the next one, or refuses. */
export type Step = (next: Resolver) => Resolver;
