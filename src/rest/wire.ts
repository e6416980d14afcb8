// Input from the wire: JSON of legacy clients becomes variables of a stored operation, and every fault is placed where the client wrote it.
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputFieldExtensions,
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
import { snakeCase, stepsOf } from '../../schema/builder.ts';
import { boundOf } from '../../schema/lists.ts';
import type { Fault } from '../problem.ts';

const contactSpellings = {
  birthCity: ['birthcity', 'birth_city'],
  birthCountry: ['birthcountry', 'birth_country'],
  birthDept: ['birthdept', 'birth_dept'],
  ageCategory: ['age_category', 'age_cat'],
  actionIds: ['actions_ids', 'action_ids'],
  answers: ['formdatas'],
};

/** How a field of an input type is spelled on the wire, where that is not its name in snake_case. The first spelling present counts. */
const spellings: Record<string, Record<string, string[]>> = {
  TeamAddressInput: {
    houseNumber: ['house_number', 'housenumber'],
    postalCode: ['postal_code', 'postalcode'],
    latitude: ['latitude', 'lattitude'],
    pollingStation: ['pollingstation', 'polling_station'],
  },
  UserInput: { updateToken: ['UpdateToken'] },
  // Clients echo back whole records, in the spellings of either shape (spec §2.2, §2.3).
  ContactInput: { ...contactSpellings, customFields: ['customfields', 'custom_fields'] },
  UpsertContactInput: {
    ...contactSpellings,
    customFields: ['custom_fields', 'customfields'],
    namePresences: ['name_presences', 'presence_status'],
  },
  ContactAddressInput: {
    houseNumber: ['housenumber', 'house_number'],
    postalCode: ['postalcode', 'postal_code'],
    latitude: ['latitude', 'lattitude'],
    pollingStation: ['pollingstation', 'polling_station'],
  },
};

/** Values that come in another form than the graph's. */
const values: Record<string, Record<string, (value: unknown) => unknown>> = {
  // An integer or a list of one (decisions on spec §4.6).
  UserInput: { selectedGroupId: (value) => (Array.isArray(value) && value.length === 1 ? value[0] : value) },
  ContactInput: { tags: tagsByName },
  UpsertContactInput: { tags: tagsByName },
};

/** Types of records that clients read with numbers where texts are kept, and with texts where numbers are (spec §2.2, §2.3): both are taken. */
const loose = ['ContactInput', 'UpsertContactInput', 'ContactAddressInput', 'AnswerInput', 'FormAnswerInput'];

/** A value in the form that a field of the graph takes. */
const inForm = (typeName: string, field: GraphQLInputField, value: unknown): unknown => {
  const change = values[typeName]?.[field.name];
  if (change) return change(value);
  if (!loose.includes(typeName)) return value;
  const { name } = getNamedType(field.type);
  if (name === 'String' && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
  if (name === 'Float' && typeof value === 'string') return value.trim() === '' ? null : readNumber(value);
  return value;
};

const readNumber = (text: string): unknown => (/^\s*-?\d{1,15}(\.\d{1,20})?\s*$/.test(text) ? Number(text) : text);

/** Tags come as texts or as objects (decisions on spec §4.14). */
function tagsByName(value: unknown): unknown {
  return Array.isArray(value) ? value.map((tag) => (typeof tag === 'string' ? { name: tag } : tag)) : value;
}

type Input = GraphQLArgument | GraphQLInputField;
type Step = string | number;
/** Whatever carries rules of the validation plugin. */
type Ruled = { extensions: GraphQLInputFieldExtensions };

/** What a client sent for an argument of the operation, and where. */
export interface Sent {
  argument: Input;
  location: string;
  value: unknown;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** All spellings of a field of an input type. */
export const spellingsOf = (typeName: string, field: string): string[] =>
  spellings[typeName]?.[field] ?? [snakeCase(field)];

/** The spelling under which a field was sent, or the one we would expect. */
const spellingIn = (sent: Record<string, unknown>, names: readonly string[]): string =>
  names.find((name) => Object.hasOwn(sent, name)) ?? names[0]!;

interface Field {
  field: GraphQLInputField;
  spellings: readonly string[];
  required: boolean;
}

const fieldsByType = new WeakMap<GraphQLInputObjectType, readonly Field[]>();

/** The fields of an input type. They are gone through with every record, so that what is known of them beforehand is remembered. */
const fieldsOf = (type: GraphQLInputObjectType): readonly Field[] => {
  const found =
    fieldsByType.get(type) ??
    Object.values(type.getFields()).map((field) => ({
      field,
      spellings: spellingsOf(type.name, field.name),
      required: isNonNullType(field.type),
    }));
  fieldsByType.set(type, found);
  return found;
};

/** Where a step of the graph's path is on the wire, and what stands there. */
const locate = ({ argument, location, value }: Sent, steps: readonly Step[]): { location: string; value: unknown } => {
  let type: GraphQLInputType = getNullableType(argument.type);
  for (const step of steps) {
    if (typeof step === 'number') {
      location += `[${step}]`;
      value = Array.isArray(value) ? value[step] : undefined;
      type = isListType(type) ? getNullableType(type.ofType) : type;
    } else {
      const record = isRecord(value) ? value : {};
      const spelling = isInputObjectType(type) ? spellingIn(record, spellingsOf(type.name, step)) : step;
      location += `.${spelling}`;
      value = record[spelling];
      type = isInputObjectType(type) ? getNullableType(type.getFields()[step]!.type) : type;
    }
  }
  return { location, value };
};

/** Puts a fault that names a path of the graph (`input.users[0].id`) where the client wrote the value. */
export const relocate = (fault: Fault, sent: Record<string, Sent>): Fault => {
  const [name, ...steps] = fault.location
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const origin = sent[String(name)];
  return origin ? { ...fault, location: locate(origin, steps).location } : fault;
};

const kinds: Record<string, string> = {
  String: 'a string',
  Int: 'a whole number',
  Float: 'a number',
  Boolean: 'true or false',
};

/**
 * Reads what was sent for one argument, by its type and its rules. Adds every fault; the value counts only when there is none. It
 * is a variable of an operation; or, `parsed`, what a resolver is given for it.
 */
export const read = (sent: Sent, faults: Fault[], parsed = false): unknown => {
  const own: { steps: Step[]; message: string }[] = [];
  /** Places of faults, and all places above them: with many faults, looking through the list for each would take for ever. */
  const known = new Set<string>();
  const add = (steps: Step[], message: string): void => {
    own.push({ steps, message });
    for (let length = 0; length <= steps.length; length++) known.add(JSON.stringify(steps.slice(0, length)));
  };
  const rules = (input: Ruled, value: unknown, steps: Step[]): void => {
    for (const schema of input.extensions['@pothos/plugin-validation']?.schemas ?? []) {
      const result = schema['~standard'].validate(value);
      if (result instanceof Promise) throw new Error('rules of input are synchronous');
      for (const issue of result.issues ?? []) {
        const at = [...steps, ...(stepsOf(issue) as Step[])];
        // What is already known to be wrong there, or below, is not said again in the words of a rule that presumes it right.
        if (!known.has(JSON.stringify(at))) add(at, issue.message);
      }
    }
  };
  const walk = (input: Input, type: GraphQLInputType, value: unknown, steps: Step[]): unknown => {
    const fault = (message: string): undefined => void add(steps, message);
    if (isNonNullType(type)) {
      if (value === undefined && input.defaultValue !== undefined) return undefined;
      return value === undefined || value === null ? fault('is required') : walk(input, type.ofType, value, steps);
    }
    if (value === undefined || value === null) return value;
    if (isListType(type)) {
      if (!Array.isArray(value)) return fault('must be an array');
      const { most, message } = boundOf(input.extensions);
      if (value.length > most) return fault(message);
      const before = own.length;
      const list = value.map((item, index) =>
        walk({ ...input, extensions: {} }, type.ofType, item ?? null, [...steps, index]),
      );
      if (own.length === before) rules(input, list, steps);
      return list;
    }
    if (isInputObjectType(type)) {
      if (!isRecord(value)) return fault('must be an object');
      const object: Record<string, unknown> = {};
      for (const { field, spellings: names, required } of fieldsOf(type)) {
        const raw = value[spellingIn(value, names)];
        if (raw === undefined && !required) continue;
        const inner = walk(field, field.type, inForm(type.name, field, raw), [...steps, field.name]);
        if (inner !== undefined) object[field.name] = inner;
      }
      rules(type, object, steps);
      return object;
    }
    const before = own.length;
    const leaf = parse(type, value, fault);
    if (own.length === before) rules(input, value, steps);
    return parsed ? leaf : value;
  };
  const value = walk(sent.argument, sent.argument.type, sent.value, []);
  for (const { steps, message } of own) {
    const found = locate(sent, steps);
    faults.push({ location: found.location, message, ...(found.value !== undefined && { value: found.value }) });
  }
  return value;
};

const parse = (type: GraphQLInputType, value: unknown, fault: (message: string) => undefined): unknown => {
  if (!isLeafType(type)) throw new Error(`cannot read ${type}`);
  try {
    return type.parseValue(value) ?? fault(`must be of type ${type}`);
  } catch (error) {
    if (isEnumType(type))
      return fault(
        `must be one of ${type
          .getValues()
          .map(({ name }) => name)
          .join(', ')}`,
      );
    return fault(
      type.name in kinds ? `must be ${kinds[type.name]}` : (error as Error).message.replace(/ Did you mean.*$/, ''),
    );
  }
};
