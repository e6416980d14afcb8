// What every resolver is given: who calls, the rows they may reach, and what their bucket holds.
import type { FieldNode } from 'graphql';
import type { ContactJsonQuery } from './data/contact/json.ts';
import type { Space } from './database/space.ts';
import type { Pace } from './pace.ts';
import type { RoleType } from './role-type.ts';

/** A token resolved: a user in one space, with the one role they have there. */
export interface Caller {
  tokenId: number;
  userId: number;
  groupId: number;
  roleId: number;
  roleType: RoleType;
}

/** A value of an input that was sent under two names, and not alike: its path below the argument, and both as they were read. */
export interface SentTwice {
  path: string[];
  places: [string, string];
  values: [unknown, unknown];
  read: [unknown, unknown];
}

/** All that a search found, as ids in its order, once that is known; how many of them were read. */
export interface Whole {
  ids?: Float64Array;
  read: number;
}

export interface Context {
  caller: Caller;
  space: Space;
  bucket: { tokens: number; cost: number; capacity: number; refill: number };
  /** The one instant of the request, in microseconds since 1970: every `now` in it. */
  now: bigint;
  /** Set where all pages of one search are read: what it found, at one moment. */
  whole?: Whole;
  /** What the input of a record has under two names. */
  sentTwice?: readonly SentTwice[];
  /** How many mutations of the document have begun. What was read before the last of them may be otherwise now. */
  writes?: number;
  /** When the mutations of a document share the transaction of `space`: how many of them are done. */
  shared?: { done: number };
  /** Set where many records may be yielded: they are completed piece by piece. */
  pace?: Pace;
  /** Of fields whose records are wanted as text: what is shown of them. */
  jsonQueries?: ReadonlyMap<FieldNode, ContactJsonQuery>;
}
