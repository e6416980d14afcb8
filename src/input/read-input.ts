// Reads untyped JSON by an input type, and finds all faults of types and rules at once, each placed where the client wrote the value.
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { SentTwice } from '../context.ts';
import { getOrMake } from '../limits/cache-key.ts';
import { Pace } from '../limits/pace.ts';
import { type Fault, faultsSought } from '../problem.ts';
import { type Blank, isBlankText } from './blank.ts';
import {
  graphNotation,
  type InputNotation,
  isRecord,
  isSingleMember,
  listFieldNames,
  parseLeafValue,
  refuseUnknownFields,
} from './input-value.ts';
import { getListBound } from './list-length.ts';
import { findIssues, listRules, type Ruled } from './rules.ts';

export type Input = GraphQLArgument | GraphQLInputField;
/** A field, an index, or a field by one of its spellings. */
type Step = string | number | { field: string; spelling: string };

/** The value that a client sent for an argument, and its place. */
export interface Sent {
  argument: Input;
  location: string;
  value: unknown;
}

interface ReadField {
  field: GraphQLInputField;
  spellings: readonly string[];
  isRequired: boolean;
  isLeaf: boolean;
  convert?: ((value: unknown) => unknown) | undefined;
}

/** The spelling under which a field, or this value of it, was sent; the expected one when it was not. */
const spellingIn = (sent: Record<string, unknown>, names: readonly string[], value?: unknown): string => {
  const present = names.filter((name) => Object.hasOwn(sent, name));
  // Clients send numbers as texts, and texts as numbers.
  const isMeant = (raw: unknown): boolean => ['string', 'number'].includes(typeof raw) && String(raw) === String(value);
  const meant = typeof value === 'object' ? undefined : present.find((name) => isMeant(sent[name]));
  return meant ?? present[0] ?? names[0]!;
};

interface ReadOptions {
  parsed?: boolean;
  isComplete?: boolean;
  twice?: SentTwice[];
}
/** A reading that can stop after each item of a list; it returns the value. */
type Pieces = Generator<void, unknown, void>;

/** State while the values of one argument are read. */
interface Reading {
  /** The meaning of an empty text here: null, or not sent. */
  blank: Blank | undefined;
  /** Whether to return values as resolvers get them. */
  parsed: boolean;
}

/** Reads input in one notation. Its methods are bound, and can be passed on. */
export class InputReader {
  readonly #wire: InputNotation;
  readonly #fields = new WeakMap<GraphQLInputObjectType, readonly ReadField[]>();

  constructor(wire: InputNotation) {
    this.#wire = wire;
  }

  /**
   * Reads the value of one argument by its type and its rules, and adds every fault; the value counts only when there is none. It
   * is a variable of an operation or, when `parsed`, the resolver's argument. When a field was sent under two names, the first
   * counts, and both are added to `twice` if they differ. A value is `isComplete` when it is coerced and no faulty id is missing in it:
   * the rules of queries presume that.
   */
  readonly read = (sent: Sent, faults: Fault[], options?: ReadOptions): unknown => {
    const pieces = this.#readPieces(sent, faults, options);
    for (;;) {
      const { done, value } = pieces.next();
      if (done) return value;
    }
  };

  /** Reads as `read` does, and lets other requests run between the items of lists. */
  readonly readInPieces = async (sent: Sent, faults: Fault[], options?: ReadOptions): Promise<unknown> => {
    const pace = new Pace();
    await pace.turn();
    const pieces = this.#readPieces(sent, faults, options);
    for (;;) {
      const { done, value } = pieces.next();
      if (done) return value;
      await pace.breathe();
    }
  };

  /** Reads, and yields after each item of a list. */
  *#readPieces(
    sent: Sent,
    faults: Fault[],
    { parsed = false, isComplete = false, twice = [] }: ReadOptions = {},
  ): Pieces {
    const own: { steps: Step[]; message: string }[] = [];
    /** Places of faults and all places above them, for fast lookups among many faults. */
    const known = new Set<string>();
    const add = (steps: Step[], message: string): void => {
      if (own.length >= faultsSought) return;
      own.push({ steps, message });
      for (let length = 0; length <= steps.length; length++) known.add(keyOf(steps.slice(0, length)));
    };
    const rules = (input: Ruled, value: unknown, steps: Step[]): void => {
      for (const rule of listRules(input))
        for (const issue of findIssues(rule, value) ?? []) {
          const at = [...steps, ...(issue.steps as Step[])];
          // A rule presumes valid types, so its message is dropped where a fault is known at or below its place.
          if (!known.has(keyOf(at))) add(at, issue.message);
        }
    };
    const wire = this.#wire;
    const { isGraphql, isCoerced } = wire;
    const [readId, fieldsOf, locate] = [this.#readId, this.#fieldsOf, this.#locate];
    /** Reads a leaf, or a value that is missing. */
    const readLeaf = (input: Input, type: GraphQLInputType, value: unknown, steps: Step[], as: Reading): unknown => {
      const fault = (message: string): undefined => void add(steps, message);
      const bare = getNullableType(type);
      const isMissing = value === undefined || value === null;
      if (isMissing || isBlank(bare, value, as)) {
        if (type === bare) return isMissing ? value : null;
        return value === undefined && input.defaultValue !== undefined ? undefined : fault('is required');
      }
      const before = own.length;
      const { idOf } = input.extensions;
      const leaf = isCoerced ? value : idOf ? readId(value, idOf, fault) : parseLeafValue(bare, value, fault);
      // Coerced values can be parsed again, except an enum's.
      const given = isEnumType(bare) && !as.parsed ? value : leaf;
      if (own.length === before) rules(input, given, steps);
      return given;
    };
    function* walk(input: Input, type: GraphQLInputType, value: unknown, steps: Step[], as: Reading): Pieces {
      // A small body can have so many faults that placing each of them would delay other requests.
      if (own.length >= faultsSought) return undefined;
      const bare = getNullableType(type);
      // A list or an object, too, may be an empty text on the wire.
      if (!isGraphql && type === bare && as.blank === 'null' && !isLeafType(bare) && isBlankText(value)) value = null;
      if (value === undefined || value === null || isLeafType(bare)) return readLeaf(input, type, value, steps, as);
      const before = own.length;
      if (isInputObjectType(bare)) {
        const object = yield* walkObject(bare, value, steps, { ...as, blank: bare.extensions.blank ?? as.blank });
        if (isComplete && own.length === before) rules(input, object, steps);
        return object;
      }
      if (!Array.isArray(value)) {
        if (!isGraphql) return void add(steps, 'must be an array');
        value = [value];
      }
      const items = value as unknown[];
      const { most, message } = getListBound(input.extensions);
      if (items.length > most) return void add(steps, message);
      const list: unknown[] = [];
      const ofItem = { ...input, extensions: { idOf: input.extensions.idOf } };
      const { name } = getNamedType(bare);
      for (const [index, item] of items.entries()) {
        if ((as.blank === 'absent' && isBlankText(item)) || wire.isThere?.(name, item)) continue;
        list.push(yield* walk(ofItem, bare.ofType, item ?? null, [...steps, index], as));
        yield;
      }
      if (own.length === before) rules(input, list, steps);
      return list;
    }
    function* walkObject(type: GraphQLInputObjectType, value: unknown, steps: Step[], as: Reading): Pieces {
      const text = typeof value === 'string' ? wire.textOf?.(type.name) : undefined;
      const record = text === undefined ? value : { [text]: value };
      if (!isRecord(record)) return void add(steps, 'must be an object');
      const object: Record<string, unknown> = {};
      /** Values that were sent but cannot be read. Rules see them, so that they do not count as missing. */
      let unread: Record<string, unknown> | undefined;
      const untilNow = own.length;
      const isItem = steps.some((step) => typeof step === 'number');
      for (const { field, spellings, isRequired, isLeaf, convert } of fieldsOf(type)) {
        // Items of a list cannot be compared with stored ones: only names with a value count, if there is one.
        const filled =
          isItem && spellings.length > 1 ? spellings.filter((name) => !isBlankText(record[name] ?? '')) : [];
        const names = filled.length > 0 ? filled : spellings;
        const findGiven = (name: string): unknown => {
          const raw = record[name];
          if (raw === undefined || (as.blank === 'absent' && isBlankText(raw))) return undefined;
          return convert ? convert(raw) : raw;
        };
        let first = names[0]!;
        let raw: unknown;
        for (const name of names) {
          raw = findGiven(name);
          if (raw === undefined) continue;
          first = name;
          break;
        }
        if (raw === undefined && !isRequired) continue;
        // A leaf is not read by a generator: most fields are leaves, and a file has millions of them.
        const at = [...steps, stepOf(field.name, first, spellings)];
        const before = own.length;
        const inner = isLeaf ? readLeaf(field, field.type, raw, at, as) : yield* walk(field, field.type, raw, at, as);
        if (inner !== undefined) object[field.name] = inner;
        else if (raw !== undefined && isLeaf) unread = { ...unread, [field.name]: raw };
        if (names.length === 1) continue;
        const second = names.find((name) => {
          const other = name === first ? undefined : findGiven(name);
          return other !== undefined && !isAlike(other, raw);
        });
        if (second === undefined) continue;
        const readParsed = (name: string): Pieces =>
          walk(field, field.type, findGiven(name), [...steps, stepOf(field.name, name, spellings)], {
            ...as,
            parsed: true,
          });
        const parsedSecond = yield* readParsed(second);
        if (own.length > before) continue;
        const read: [unknown, unknown] = [yield* readParsed(first), parsedSecond];
        if (isAlike(...read)) continue;
        const [place, other] = [first, second].map(
          (name) => locate(sent, [...steps, { field: field.name, spelling: name }]).location,
        ) as [string, string];
        if (isItem)
          add(
            [...steps, stepOf(field.name, first, spellings)],
            `and ${other} mean one value, but differ: send one of them`,
          );
        else
          twice.push({
            path: [...steps, field.name] as string[],
            places: [place, other],
            values: [record[first], record[second]],
            read,
          });
      }
      if (isGraphql) refuseUnknownFields(type, record, (name, message) => add([...steps, name], message));
      // A coerced value may lack its one member, because the id in it is faulty.
      if (type.isOneOf && !isCoerced && !isSingleMember(record))
        add(steps, `must have exactly one of ${listFieldNames(type)}`);
      try {
        rules(type, unread ? { ...object, ...unread } : object, steps);
      } catch (error) {
        // A rule may presume the value that is faulty.
        if (own.length === untilNow) throw error;
      }
      return object;
    }
    const value = yield* walk(sent.argument, sent.argument.type, sent.value, [], { blank: undefined, parsed });
    for (const { steps, message } of own) {
      const found = locate(sent, steps);
      faults.push({
        location: found.location,
        message: wire.rephrase?.(message) ?? message,
        ...(found.value !== undefined && { value: found.value }),
      });
    }
    return value;
  }

  /** Moves a fault from its path in the graph (`input.users[0].id`) to where the client wrote the value. */
  readonly relocate = (fault: Fault, sent: Record<string, Sent>): Fault => {
    const [name, ...steps] = fault.location
      .split(/[.[\]]+/)
      .filter(Boolean)
      .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    const [field, ...below] = steps;
    // A field of the input may have been sent apart from it, such as the id in the path of a request.
    const part = sent[`${name}.${field}`];
    const origin = part ?? sent[String(name)];
    if (!origin) return fault;
    const { location, value } = this.#locate(origin, part ? below : steps, fault.value);
    // An id may have been sent as a text.
    return { ...fault, location, ...(value === String(fault.value) && { value }) };
  };

  readonly #readId = (value: unknown, type: string, fault: (message: string) => undefined): number | undefined => {
    try {
      return this.#wire.parseId(value, type);
    } catch (error) {
      return fault((error as Error).message);
    }
  };

  /** The fields of an input type, remembered, since they are visited for every record. */
  readonly #fieldsOf = (type: GraphQLInputObjectType): readonly ReadField[] =>
    getOrMake(this.#fields, type, () =>
      this.#wire.sortFields(type).map((field) => ({
        field,
        spellings: this.#wire.spellingsOf(type.name, field.name),
        isRequired: isNonNullType(field.type),
        isLeaf: isLeafType(getNullableType(field.type)),
        convert: this.#wire.findConversion?.(type.name, field),
      })),
    );

  /** The wire's step for a step of the graph's path, and the value there; `meant` chooses among several names of a field. */
  readonly #locate = (
    { argument, location, value }: Sent,
    steps: readonly Step[],
    meant?: unknown,
  ): { location: string; value: unknown } => {
    let type: GraphQLInputType = getNullableType(argument.type);
    for (const step of steps) {
      if (typeof step === 'number') {
        location += `[${step}]`;
        value = Array.isArray(value) ? value[step] : this.#wire.isGraphql ? value : undefined;
        type = isListType(type) ? getNullableType(type.ofType) : type;
      } else {
        const record = isRecord(value) ? value : {};
        const { field, spelling } = typeof step === 'string' ? { field: step, spelling: undefined } : step;
        const names = isInputObjectType(type) ? this.#wire.spellingsOf(type.name, field) : [field];
        const name = spelling ?? spellingIn(record, names, meant);
        location += `.${name}`;
        value = record[name];
        const below = isInputObjectType(type) ? type.getFields()[field] : undefined;
        if (below) type = getNullableType(below.type);
      }
    }
    return { location, value };
  };
}

/** Whether a value is an empty text that stands for no value of a leaf: only texts may be empty. */
const isBlank = (type: GraphQLInputType, value: unknown, { blank }: Reading): boolean =>
  blank !== undefined && isBlankText(value) && isLeafType(type) && type.name !== 'String';

/** The path of steps, whatever the spellings. */
const keyOf = (steps: readonly Step[]): string =>
  JSON.stringify(steps.map((step) => (typeof step === 'object' ? step.field : step)));

/** The step to a field, which names its spelling where there is a choice. */
const stepOf = (field: string, spelling: string, names: readonly string[]): Step =>
  names.length > 1 ? { field, spelling } : field;

const isAlike = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** Reads literals and variables of GraphQL documents. */
export const graphqlInput = new InputReader(graphNotation);
/** Reads what resolvers are given. */
export const coercedInput = new InputReader({ ...graphNotation, isCoerced: true });
