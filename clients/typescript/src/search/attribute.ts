// The attributes of searches as objects whose methods are the operators that they permit.
import type { ContactQuery } from '../generated/documents.ts';
import { Search } from './search.ts';

/** The id of a record: `Form:3` as results have it, `"3"` or `3`. Results type it as `string`; the server refuses the id of another type. */
export type RecordId<Type extends string> = `${Type}:${number}` | (string & {}) | number;

/** A day of any year, such as `12-15`. */
export type MonthDay = `${number}-${number}`;

/** All operators, for values of one type. An attribute has some of them. */
export interface Operators<Value> {
  /** Equals; texts without regard to case, accents and surrounding space. */
  equals(value: Value): Search;
  /** Does not equal. */
  notEquals(value: Value): Search;
  /** Equals to the letter. */
  equalsExactly(value: Value): Search;
  /** Does not equal to the letter. */
  notEqualsExactly(value: Value): Search;
  /** Has a value, or with `false` has none. */
  exists(isThere?: boolean): Search;
  /** Is one of the list, or has one of it. */
  in(values: readonly Value[]): Search;
  /** Is none of the list, or has none of it. */
  notIn(values: readonly Value[]): Search;
  /** Has all of the list. */
  hasAll(values: readonly Value[]): Search;
  /** Is at least. */
  gte(value: Value): Search;
  /** Is at most; a date alone includes its whole day. */
  lte(value: Value): Search;
  /** Is between these two, both included. */
  between(from: Value, to: Value): Search;
  /** Falls in this part of the year, both ends included, also over New Year. */
  inPeriod(from: MonthDay, to: MonthDay): Search;
  /** Contains the text. */
  contains(value: Value): Search;
  /** Does not contain the text. */
  notContains(value: Value): Search;
  /** Starts with the text. */
  startsWith(value: Value): Search;
  /** Does not start with the text. */
  notStartsWith(value: Value): Search;
}

export type OperatorName = keyof Operators<never>;

/** An attribute with the operators that it permits. */
export type Attribute<Value, Permitted extends OperatorName> = Pick<Operators<Value>, Permitted>;

/** The answers to a form, by its id. */
export interface AnswerAttribute<Value, Permitted extends OperatorName> {
  /** Any answer to the form: conditions on it. */
  (form: RecordId<'Form'>): Attribute<Value, Permitted>;
  /** Answers by options, all of which were chosen: a search itself, and conditions on the text of each. */
  (
    form: RecordId<'Form'>,
    options: readonly RecordId<'FormOption'>[],
  ): Search & Attribute<Value, Exclude<Permitted, 'exists'>>;
}

/** What converts the conditions of an attribute. */
export interface AttributeFacts {
  /** Its name in the contract. */
  name: string;
  /** The kind of its values there. */
  kind: string;
  operators: readonly OperatorName[];
  /** Whether its conditions name a form. */
  hasForm?: boolean;
}

export type AttributeTable = Record<string, AttributeFacts | Record<string, AttributeFacts>>;

export const isAttribute = (entry: AttributeTable[string]): entry is AttributeFacts =>
  typeof entry.name === 'string' && Array.isArray(entry.operators);

type Json = Record<string, unknown>;

const toJson = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

/** The operand of an operator as the graph takes it. */
const readOperand = (operator: OperatorName, given: readonly unknown[]): unknown => {
  const [first, second] = given.map(toJson);
  if (operator === 'exists') return first ?? true;
  if (operator === 'between' || operator === 'inPeriod') return { from: first, to: second };
  return Array.isArray(first) ? first.map(toJson) : first;
};

const createOperators = (operators: readonly OperatorName[], place: (condition: Json) => Json): Json =>
  Object.fromEntries(
    operators.map((operator) => [
      operator,
      (...given: unknown[]) => new Search(place({ [operator]: readOperand(operator, given) }) as ContactQuery),
    ]),
  );

const createAttribute = ({ operators, hasForm }: AttributeFacts, place: (condition: Json) => Json): unknown => {
  if (!hasForm) return createOperators(operators, place);
  return (form: string | number, options?: readonly (string | number)[]): unknown => {
    const answer = { form, ...(options && { options }) };
    const methods = createOperators(operators, (value) => place({ ...answer, value }));
    return options ? Object.assign(new Search(place(answer) as ContactQuery), methods) : methods;
  };
};

/** Builds the attributes of a table; the caller says their type. */
export const createAttributes = (table: AttributeTable): unknown =>
  Object.fromEntries(
    Object.entries(table).map(([field, entry]) => [
      field,
      isAttribute(entry)
        ? createAttribute(entry, (condition) => ({ [field]: condition }))
        : Object.fromEntries(
            Object.entries(entry).map(([inner, facts]) => [
              inner,
              createAttribute(facts, (condition) => ({ [field]: { [inner]: condition } })),
            ]),
          ),
    ]),
  );
