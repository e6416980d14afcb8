// A query that was read, in either notation: its groups and conditions, its faults, and its relative dates, which wait for the instant of the request.
import { limits } from '../limits/limits.ts';
import type { Fault } from '../problem.ts';
import { type AttributeName, asksForForm, getAttribute } from './attributes.ts';
import { resolveRelativeDate } from './datetime.ts';
import { isDeferred, type Operand, type ParsedBound, type RelativeOperand, resolveOperand } from './operand.ts';
import type { Operator } from './operators.ts';
import { countPositions, type Origin } from './places.ts';

export interface Condition<Bound = string | number> {
  /** Its place in the query as the client wrote it. */
  location: string;
  attribute: AttributeName;
  operator: Operator;
  operand: Operand<Bound>;
  /** For conditions on answers: the form, and the reference values that must all be answered. */
  formId?: number;
  formRefIds?: number[];
  /** For conditions that are checked against the space: where their parts are. */
  notation?: Notation;
  /** The conditions that one record must satisfy together, where the condition asks for such records. */
  record?: Group<Bound>;
  /** The segment whose query the condition is from, by its name. */
  segment?: string;
}

/** A group of conditions or groups: all of them must hold, or at least one; negated, that must not be so. */
export interface Group<Bound = string | number> {
  location: string;
  every: boolean;
  negated?: boolean;
  parts: (Group<Bound> | Condition<Bound>)[];
}

/** The values that a condition binds in lists. */
export const countValues = ({ operand, formRefIds = [] }: Condition<ParsedBound>): number =>
  operand.values.length + formRefIds.length + countPositions(operand.place);

/** All conditions of a group, of the groups in it, and those that one record must satisfy. */
export const listConditions = <Bound>(part: Group<Bound> | Condition<Bound>): Condition<Bound>[] =>
  'parts' in part
    ? part.parts.flatMap((one) => listConditions(one))
    : [part, ...(part.record ? listConditions(part.record) : [])];

/** Whether a group holds nothing: it finds everybody or nobody, which its author may not have meant. */
export const hasEmptyGroup = <Bound>(part: Group<Bound> | Condition<Bound>): boolean => {
  if ('parts' in part) return part.parts.length === 0 || part.parts.some((one) => hasEmptyGroup(one));
  return part.operator === 'all' && part.record !== undefined && hasEmptyGroup(part.record);
};

/** The places of the parts of a condition, below the condition. */
export interface Notation {
  /** In a condition on answers. */
  formId: string;
  formRefIds: string;
  locateAnswer(operator: Operator, name: 'value' | 'from' | 'to'): string;
  /** A value of a list. */
  locateItem(operator: Operator, index: number): string;
}

/** A query that was read. The group counts only when there are no faults. */
export interface ParsedQuery {
  group: Group<ParsedBound>;
  faults: Fault[];
  /** Relative dates with their places, beside those of answers. */
  relative: (Omit<RelativeOperand, 'name'> & { location: string })[];
}

/** Conditions of a query, and values in all its lists: each value is bound, and each name of a tag is looked up. */
export const { conditions: conditionLimit, values: valueLimit } = limits.search;

/** The query that every contact matches: a query that is not given. */
export const matchEverybody: Group = { location: '', every: true, parts: [] };

/** Reads an id: a number or decimal digits. */
export const readId = (value: unknown): number | undefined => {
  const id = typeof value === 'string' && /^(0|[1-9]\d{0,15})$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : undefined;
};

/** Whether a condition on this attribute names records that the space must have: a form, a segment. */
export const isCheckedLater = (attribute: AttributeName): boolean =>
  asksForForm(attribute) || getAttribute(attribute).source.of === 'segment';

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Collects the findings of reading a query: its faults, its relative dates, and how much there is of it. */
export class Findings {
  readonly faults: Fault[] = [];
  readonly relative: ParsedQuery['relative'] = [];
  #parts = 0;
  #conditions = 0;
  #values = 0;

  // A list of millions may be wrong at each item: nobody reads all the faults.
  readonly fault = (location: string, message: string, value?: unknown): undefined =>
    void (
      this.faults.length < 2 * conditionLimit &&
      this.faults.push({ location, message, ...(value !== undefined && { value }) })
    );

  /** Counts a part; false when it should not be read. Too many conditions are one fault; the faults of each of a million are not looked for. */
  countPart(): boolean {
    return ++this.#parts <= 2 * conditionLimit;
  }

  countCondition(condition: Condition<ParsedBound> | undefined): void {
    this.#conditions++;
    this.#values += condition ? countValues(condition) : 0;
  }

  /** The query with its faults, of which too many conditions or values come first. */
  finish(location: string, group: Group<ParsedBound> | undefined): ParsedQuery {
    const { faults, relative } = this;
    if (this.#conditions > conditionLimit || this.#parts > 2 * conditionLimit)
      faults.unshift({ location, message: `has more than ${conditionLimit} conditions` });
    if (this.#values > conditionLimit + valueLimit)
      faults.unshift({ location, message: `has more than ${valueLimit} values in its lists` });
    return { group: group ?? matchEverybody, faults, relative };
  }
}

/** The relative dates that leave the years 1 to 9999 at this instant. */
export const findDateFaults = ({ relative }: ParsedQuery, now: bigint): Fault[] =>
  relative.flatMap(({ date, ...fault }) => (resolveRelativeDate(date, now) === undefined ? [fault] : []));

const resolveGroup = ({ parts, ...group }: Group<ParsedBound>, now: bigint): Group => ({
  ...group,
  parts: parts.map((part) => {
    if ('parts' in part) return resolveGroup(part, now);
    const { record, ...rest } = part;
    const resolved = isDeferred(rest.operand)
      ? { ...rest, operand: resolveOperand(rest.operand, now) }
      : (rest as Condition);
    return record ? { ...resolved, record: resolveGroup(record, now) } : resolved;
  }),
});

/** The query at the instant of the request, in microseconds: all its relative dates start there. It must have no faults, and no date faults. */
export const resolveQuery = ({ group }: ParsedQuery, now: bigint): Group => resolveGroup(group, now);

/** The first circle that every match is in; of no size where its centre has no coordinates, so that there is no match. */
export const findCommonOrigin = ({ every, negated, parts }: Group): Origin | undefined => {
  if (negated || !(every || parts.length === 1)) return undefined;
  for (const part of parts) {
    if ('parts' in part) {
      const origin = findCommonOrigin(part);
      if (origin) return origin;
    } else if (part.operator === 'inside' && part.operand.place && 'km' in part.operand.place) {
      const { centre, km } = part.operand.place;
      return centre ? { ...centre, km } : { latitude: 0, longitude: 0, km: 0 };
    }
  }
  return undefined;
};
