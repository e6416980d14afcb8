// The parts of an attribute of the search language: a kind of value, a source, and the operators that it permits.
import type { Operator } from './operators.ts';

/** The kind of a value decides how it is read and compared. */
export type ValueKind =
  | 'text'
  | 'phone'
  | 'instant'
  | 'day'
  | 'cents'
  | 'whole'
  | 'decimal'
  | 'id'
  | 'flag'
  | 'gender'
  | 'ageCategory'
  | 'year'
  | 'validity'
  | 'answer'
  | 'record'
  | 'circle'
  | 'area';

/** Records that a contact has any number of. */
export type RecordSource =
  | 'transactions'
  | 'donations'
  | 'memberships'
  | 'emails'
  | 'sanctions'
  | 'notes'
  | 'interactions';

interface RowTraits {
  empty?: string;
  filled?: number;
  former?: string;
  sums?: RecordSource;
  counts?: RecordSource;
  identifies?: Identity;
}

/** The column of a contact, living or merged, that identifies it. */
export type Identity = 'id' | 'external_id';

interface EmailSummary {
  has: string;
  lacks: string;
  list?: string;
}

/** The source of the value, seen from the search row `s`. */
export type Source =
  /**
   * A column of the search row, or `in` the view of last changes. It is never null: `empty` is what it holds when there is no value, `filled` the bit that is set when
   * there is one. `former` is the table of the values that it had before, by which a contact is found too. `sums` are the records whose amounts in euros it adds up, `counts` those that it counts.
   * `identifies` is the column of contacts that has the value: that of a merged contact means the survivor.
   */
  | ({ of: 'row'; column: string; in?: 'm' } & RowTraits)
  /** A column of the contact or of its address that is searched too rarely to be on the search row. */
  | { of: 'contact' | 'address'; column: string; identifies?: Identity }
  /** The coordinates of the address. */
  | { of: 'place' }
  /** The tags; the actions by their ids, or by their names. */
  | { of: 'tags' | 'actions' | 'actionNames' }
  /**
   * Any record of a family, by a column of its row `r`. The search row has their number, and the least and the greatest amount in euros. The row of e-mails `e`
   * tells whether one has a value, whether one lacks it, and perhaps which values there are.
   */
  | {
      of: 'record';
      family: RecordSource;
      column: string;
      extremes?: { count: string; least: string; most: string };
      summary?: EmailSummary;
    }
  /** The time of an event of an e-mail, by a column of its row `r`. The row of e-mails `e` has a bit for it, and the earliest and the latest time. */
  | { of: 'event'; column: string; bit: number; earliest?: string; latest?: string }
  /** A value of the campaign `k` of an e-mail, or of its template `t`. */
  | { of: 'campaign'; column: string }
  /** All records of a family, or how many there are: those that satisfy the conditions on one record, where there are some. */
  | { of: 'records' | 'count'; family: RecordSource }
  /** Two or more records that satisfy the condition. */
  | { of: 'several'; family: RecordSource }
  /** The answers to a form. */
  | { of: 'answers'; custom: boolean }
  /** When the answers to a form on consent that the contact has were given. */
  | { of: 'consents' }
  /** When the contact, who is opted out, opted out. */
  | { of: 'optOut' }
  /** The contacts of a saved segment. Its query takes the place of the condition before a query is compiled (`inline-segments.ts`). */
  | { of: 'segment' };

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
  has: RowTraits = {},
): Attribute => ({ kind, source: { of: 'row', column, ...has }, operators, doc });

/** An attribute of the last change of the contact. */
export const defineChangeAttribute = (
  kind: ValueKind,
  column: string,
  operators: readonly Operator[],
  doc: string,
  has: { empty?: string } = {},
): Attribute => ({ kind, source: { of: 'row', in: 'm', column, ...has }, operators, doc });

export const defineOwnAttribute = (
  kind: ValueKind,
  column: string,
  operators: readonly Operator[],
  doc: string,
  has: { identifies?: Identity } = {},
): Attribute => ({ kind, source: { of: 'contact', column, ...has }, operators, doc });

/** Whether any of the records of a family, all or none satisfy conditions together. */
export const defineRecordsAttribute = (family: RecordSource): Attribute => ({
  kind: 'record',
  source: { of: 'records', family },
  operators: ['any', 'all', 'none'],
  doc: `${family} of which one satisfies several conditions`,
});

export const defineCountAttribute = (family: RecordSource, operators: readonly Operator[]): Attribute => ({
  kind: 'whole',
  source: { of: 'count', family },
  operators,
  doc: `number of ${family}`,
});

/** A column of an address, or of the records of a family; it has the name of the attribute, where none is given. */
type OwnColumn = readonly [kind: ValueKind, operators: readonly Operator[], doc: string, column?: string];

/** Attributes that begin with the name of a family: `transactions.date`. */
export const defineAttributeFamily = <const Family extends RecordSource | 'address', Name extends string>(
  family: Family,
  rows: Record<Name, Attribute | OwnColumn>,
) =>
  Object.fromEntries(
    Object.entries<Attribute | OwnColumn>(rows).map(([name, row]): [string, Attribute] => {
      if ('kind' in row) return [`${family}.${name}`, row];
      const [kind, operators, doc, column] = row;
      const source: Source =
        family === 'address'
          ? { of: 'address', column: column ?? name }
          : { of: 'record', family, column: column ?? `r.${name}` };
      return [`${family}.${name}`, { kind, source, operators, doc }];
    }),
  ) as Record<`${Family}.${Name}`, Attribute>;

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

/** A value of an e-mail that the row of e-mails summarizes. */
export const defineEmailAttribute = (
  kind: ValueKind,
  column: string,
  operators: readonly Operator[],
  doc: string,
  summary: EmailSummary,
): Attribute => ({ kind, source: { of: 'record', family: 'emails', column, summary }, operators, doc });

export const defineEventAttribute = (
  column: string,
  bit: number,
  doc: string,
  times: { earliest?: string; latest?: string } = {},
): Attribute => ({
  kind: 'instant',
  source: { of: 'event', column, bit, ...times },
  operators: ['ext', 'not_ext', 'lte', 'gte', 'range', 'within'],
  doc,
});

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
