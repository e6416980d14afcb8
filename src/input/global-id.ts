// Ids of records in the graph: `Contact:42` tells the type; arguments also accept the number alone, and resolvers get 42.
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { type Fault, faultsSought } from '../problem.ts';
import { readId as readDecimalId } from '../search/parse.ts';

/** The largest id, which JSON and PostgreSQL both carry exactly. */
const maxId = Number.MAX_SAFE_INTEGER;
const globalId = /^([A-Za-z]+):(0|[1-9][0-9]{0,15})$/;

/** Parses an id as legacy clients send it: a number, or its decimal text. Throws for anything else. */
export const parseLegacyId = (value: unknown): number => {
  const id = readDecimalId(value);
  if (id !== undefined) return id;
  throw new Error(`must be a whole number from 0 to ${maxId}, not ${JSON.stringify(value) ?? String(value)}`);
};

export const formatGlobalId = (type: string, id: number): string => `${type}:${id}`;

/** The type and the number of a global id; undefined for another text. */
export const splitGlobalId = (text: string): { type: string; id: number } | undefined => {
  const [, type, number] = globalId.exec(text) ?? [];
  const id = readDecimalId(number);
  return type !== undefined && id !== undefined ? { type, id } : undefined;
};

const addArticle = (type: string): string => `${/^[AEIO]/.test(type) ? 'an' : 'a'} ${type}`;

/** Parses the id of a record of this type: `Contact:42`, `"42"` or `42`. Throws for anything else, such as an id of another type. */
export const parseId = (value: unknown, type: string): number => {
  const number = readDecimalId(value);
  if (number !== undefined) return number;
  const found = typeof value === 'string' ? splitGlobalId(value) : undefined;
  if (found?.type === type) return found.id;
  if (found) throw new Error(`must be the id of ${addArticle(type)}, not of ${addArticle(found.type)}`);
  throw new Error(`must be an id such as ${type}:42, or a whole number from 0 to ${maxId}`);
};

type Input = GraphQLArgument | GraphQLInputField;
type IdField = Pick<GraphQLField<unknown, unknown>, 'args'>;
type InputRecord = Record<string, unknown>;
/** Returns the value with its ids as numbers, and undefined in place of a faulty id. */
type ReadValue = (value: unknown, location: string, faults: Fault[]) => unknown;

const readId =
  (type: string): ReadValue =>
  (value, location, faults) => {
    // A small body can have so many faults that placing each of them would delay other requests.
    if (faults.length >= faultsSought) return undefined;
    try {
      return parseId(value, type);
    } catch (error) {
      faults.push({ location, message: (error as Error).message, value });
      return undefined;
    }
  };

/** Readers of input types, which may contain themselves; null for a type without ids. */
const readers = new WeakMap<GraphQLInputObjectType, ReadValue | null>();

const containsIds = (type: GraphQLInputType, visited = new Set<GraphQLInputType>()): boolean => {
  const named = getNamedType(type);
  if (named.name === 'ID') return true;
  if (!isInputObjectType(named) || visited.has(named)) return false;
  visited.add(named);
  return Object.values(named.getFields()).some((field) => containsIds(field.type, visited));
};

const planObject = (type: GraphQLInputObjectType): ReadValue | null => {
  const known = readers.get(type);
  if (known !== undefined) return known;
  if (!containsIds(type)) {
    readers.set(type, null);
    return null;
  }
  const fields: [string, ReadValue][] = [];
  const read: ReadValue = (value, location, faults) => {
    const changed = { ...(value as InputRecord) };
    for (const [name, readField] of fields)
      if (changed[name] !== undefined && changed[name] !== null)
        changed[name] = readField(changed[name], `${location}.${name}`, faults);
    return changed;
  };
  readers.set(type, read);
  for (const field of Object.values(type.getFields())) {
    const readField = planInput(field);
    if (readField) fields.push([field.name, readField]);
  }
  return read;
};

/** `type` is that of the value, which may be an item of the input. */
const planInput = (input: Input, type: GraphQLInputType = input.type): ReadValue | null => {
  const bare = getNullableType(type);
  if (isListType(bare)) {
    const readItem = planInput(input, bare.ofType);
    return (
      readItem &&
      ((value, location, faults) =>
        (value as unknown[]).map((item, index) =>
          item === null || item === undefined ? item : readItem(item, `${location}[${index}]`, faults),
        ))
    );
  }
  if (isInputObjectType(bare)) return planObject(bare);
  const { idOf } = input.extensions;
  return bare.name === 'ID' && idOf !== undefined ? readId(idOf) : null;
};

/** The function that reads the ids among a field's arguments; undefined when it takes none. */
export const planIds = ({ args }: IdField) => {
  const plans = args.flatMap((argument): [string, ReadValue][] => {
    const read = planInput(argument);
    return read ? [[argument.name, read]] : [];
  });
  if (plans.length === 0) return undefined;
  return (args: Record<string, unknown>, faults: Fault[]): Record<string, unknown> => {
    const changed = { ...args };
    for (const [name, read] of plans)
      if (changed[name] !== undefined && changed[name] !== null) changed[name] = read(changed[name], name, faults);
    return changed;
  };
};

const acceptsIds = (input: Input, of: string, above: readonly string[] = []): boolean => {
  const named = getNamedType(input.type);
  if (input.extensions.idOf === of) return true;
  if (!isInputObjectType(named) || above.includes(named.name)) return false;
  return Object.values(named.getFields()).some((field) => acceptsIds(field, of, [...above, named.name]));
};

/** Whether the arguments of a field can contain ids of this type. */
export const acceptsIdsOf = ({ args }: IdField, of: string): boolean =>
  args.some((argument) => acceptsIds(argument, of));

/** The arguments of a field, whose ids are numbers already, with other ids of this type. */
export const mapArgumentIds = (
  field: IdField,
  args: InputRecord,
  of: string,
  map: (id: number) => number,
): InputRecord => {
  const change = (input: Input, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => change(input, item));
    if (typeof value === 'number') return input.extensions.idOf === of ? map(value) : value;
    const named = getNamedType(input.type);
    return isInputObjectType(named) && typeof value === 'object' && value !== null
      ? changeAll(Object.values(named.getFields()), value as InputRecord)
      : value;
  };
  const changeAll = (inputs: readonly Input[], values: InputRecord): InputRecord => {
    const changed = { ...values };
    for (const input of inputs)
      if (values[input.name] !== undefined) changed[input.name] = change(input, values[input.name]);
    return changed;
  };
  return changeAll(field.args, args);
};
