// The source of an import: records as the contract shows them, from a server or from a folder of files.
import type { Fault } from '../problem.ts';

/** A JSON object of the source. Nothing is known about its values. */
export type SourceRecord = Record<string, unknown>;

/** The small lists of a source, in the order in which they are read. Contacts refer to the first two. */
export const listNames = ['forms', 'priceGroups', 'donationPrices', 'transactionStatuses', 'users', 'teams'] as const;
export type ListName = (typeof listNames)[number];

/** One page of contacts, or why some of its records cannot be read. */
export interface ContactPage {
  /** The number of its first contact, from 1. An import that was interrupted skips pages that are written. */
  firstRow: number;
  contacts: readonly SourceRecord[];
  unreadable?: readonly { record: unknown; faults: Fault[] }[];
}

export interface Source {
  /** Its name in the database: the address of the server without a path to a page, or the folder. */
  name: string;
  /** The options by which it is read: an import is continued only when they are the same. */
  fingerprint: unknown;
  /** Whether the notes of a contact are all its notes. */
  completeNotes: boolean;
  /** The records of a small list. Undefined when the source does not have the list. */
  readList(name: ListName): Promise<SourceRecord[] | undefined>;
  /** The number of contacts, if the source can tell. */
  countContacts?(): Promise<number | undefined>;
  /** Pages of contacts in the order of their ids, without those whose first row is in `done`. */
  readContacts(done: ReadonlySet<number>): AsyncIterable<ContactPage>;
  /** Pages of the contacts that have changed since an instant; absent for a source that does not change while it is read. */
  readChanged?(since: string): AsyncIterable<ContactPage>;
  /** By how many milliseconds the clock of the source is ahead of ours, as its replies say; absent for a source without a clock. */
  readonly clockOffset?: number;
  /** Which of these contacts the source has. */
  findContacts(ids: readonly number[]): Promise<Set<number>>;
}
