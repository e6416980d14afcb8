// What an attribute of the search language is made of: a kind of value, a source, and the operators that it permits.
import type { Operator } from './operators.ts';

/** What a value is, and so how it is read and compared. */
export type ValueKind =
  | 'text'
  | 'phone'
  | 'instant'
  | 'day'
  | 'cents'
  | 'whole'
  | 'id'
  | 'flag'
  | 'gender'
  | 'ageCategory'
  | 'year'
  | 'validity'
  | 'answer';

/** Records that a contact has any number of. */
export type RecordSource = 'transactions' | 'donations' | 'memberships' | 'emails' | 'sanctions';

/** Where the value is, seen from the search row `s`. */
export type Source =
  /** A column of the search row, or `in` what tells of its last change, never null: `empty` is what it holds when there is no value. */
  | { of: 'row'; column: string; in?: 'm'; empty?: string; filled?: number }
  /** A column of the contact or of its address, too rarely asked for to be on the search row. */
  | { of: 'contact' | 'address'; column: string }
  /** The tags, the actions. */
  | { of: 'tags' | 'actions' }
  /** Any record of a family, by a column of its row `r`. On the search row: how many there are, the least and the greatest. */
  | { of: 'record'; family: RecordSource; column: string; extremes?: { count: string; least: string; most: string } }
  /** When something became of an e-mail, by a column of its row `r`. On the row of e-mails `e`: a bit, and the latest time. */
  | { of: 'event'; column: string; bit: number; latest?: string }
  /** What all e-mails of a campaign `k`, or of its template `t`, have in common. */
  | { of: 'campaign'; column: string }
  /** How many records of which it holds: two or more. */
  | { of: 'several'; family: RecordSource }
  /** The answers to a form. */
  | { of: 'answers'; custom: boolean };

export interface Attribute {
  kind: ValueKind;
  source: Source;
  operators: readonly Operator[];
  doc: string;
}

export const defineRowAttribute = (
  kind: ValueKind,
  column: string,
  operators: readonly Operator[],
  doc: string,
  has: { empty?: string; filled?: number } = {},
): Attribute => ({ kind, source: { of: 'row', column, ...has }, operators, doc });

/** Of when and by whom the contact was last changed. */
export const defineChangeAttribute = (
  kind: ValueKind,
  column: string,
  operators: readonly Operator[],
  doc: string,
  has: { empty?: string } = {},
): Attribute => ({ kind, source: { of: 'row', in: 'm', column, ...has }, operators, doc });

export const defineOwnAttribute = (
  of: 'contact' | 'address',
  kind: ValueKind,
  column: string,
  operators: readonly Operator[],
  doc: string,
): Attribute => ({ kind, source: { of, column }, operators, doc });

export const defineRecordAttribute = (
  family: RecordSource,
  kind: ValueKind,
  column: string,
  operators: readonly Operator[],
  doc: string,
): Attribute => ({ kind, source: { of: 'record', family, column }, operators, doc });

/** The amount of each record of a family. */
export const defineAmountAttributes = (
  family: 'transactions' | 'donations',
  operators: readonly Operator[],
  doc: string,
): Attribute => ({
  kind: 'cents',
  source: {
    of: 'record',
    family,
    column: 'r.amount',
    extremes: { count: `s.${family}_count`, least: `s.${family}_min`, most: `s.${family}_max` },
  },
  operators,
  doc,
});

export const defineEventAttribute = (
  column: string,
  bit: number,
  operators: readonly Operator[],
  doc: string,
  latest?: string,
): Attribute => ({ kind: 'instant', source: { of: 'event', column, bit, ...(latest && { latest }) }, operators, doc });

export const defineCampaignAttribute = (
  kind: ValueKind,
  column: string,
  operators: readonly Operator[],
  doc: string,
): Attribute => ({
  kind,
  source: { of: 'campaign', column },
  operators,
  doc,
});
