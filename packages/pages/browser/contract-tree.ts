// From a segment to the contract's tree, which has groups on exactly two levels: segments that can be brought into that form are.
import { type Json, type JsonObject, writePlace } from './graph-query.ts';
import {
  type Attributes,
  type Condition,
  describeCondition,
  formKinds,
  type Group,
  isComplete,
  isGroup,
  type Kind,
  type Part,
} from './model.ts';

/** Why a segment has no tree: groups nest too deep, or a group is excluded whose conditions have no opposite. */
type Obstacle = 'depth' | 'exclusion';

export type TreeResult = { tree: JsonObject } | { obstacle: Obstacle };

/** Its message is the obstacle. */
class NoTree extends Error {
  declare message: Obstacle;
}

/** A segment without exclusions: groups by turns of `every`, and conditions. */
type Plain = Condition | PlainGroup;
type PlainGroup = { every: boolean; parts: Plain[] };
const isPlainGroup = (part: Plain): part is PlainGroup => 'parts' in part;

/** The condition that finds exactly the other contacts. Throws a NoTree when the attribute has none. */
const negate = (condition: Condition, attributes: Attributes): Condition => {
  const { attribute, operator } = describeCondition(condition, attributes);
  const opposite = attribute?.operators.find((one) => one.negates === operator?.name || operator?.negates === one.name);
  if (!operator || !opposite || attribute!.ofRecords || condition.options.length > 0) throw new NoTree('exclusion');
  return { ...condition, operator: opposite.name };
};

/** Moves exclusions down to the conditions, and joins groups to those above them that mean the same. */
const flatten = (part: Part, attributes: Attributes, negated: boolean): Plain | undefined => {
  if (!isGroup(part)) {
    if (!isComplete(part, attributes)) return undefined;
    return negated ? negate(part, attributes) : part;
  }
  const isNegated = negated !== part.negated;
  const every = part.every !== isNegated;
  const parts = part.parts.flatMap((one) => {
    const below = flatten(one, attributes, isNegated);
    if (!below) return [];
    return isPlainGroup(below) && below.every === every ? below.parts : [below];
  });
  if (parts.length === 0) return undefined;
  return parts.length === 1 ? parts[0] : { every, parts };
};

const writeValue = (kind: Kind, text: string): Json => {
  if (kind === 'ID' || kind === 'WHOLE' || kind === 'AGE_CATEGORY') return Number(text);
  if (kind === 'FLAG') return text === 'true';
  if (kind === 'CENTS' || kind === 'DECIMAL') return text.replace(/\s/g, '').replace(',', '.');
  return kind === 'TEXT' || kind === 'ANSWER' || kind === 'PHONE' ? text : text.trim();
};

/** A place with the names of the contract. */
const renamePlace = ({ contactId: contact_id, postalCode: postal_code, ...place }: JsonObject): Json => ({
  ...place,
  ...(contact_id !== undefined && { contact_id }),
  ...(postal_code !== undefined && { postal_code }),
});

const writeCondition = (condition: Condition, attributes: Attributes): Json => {
  const { attribute, operator } = describeCondition(condition, attributes);
  const write = (text: string): Json => (operator?.name === 'period' ? text : writeValue(attribute!.kind, text));
  const takes = operator?.takes;
  return {
    $condition: {
      attr: attribute!.name,
      ope: operator?.name ?? 'eql',
      ...(takes === 'VALUE' && { value: write(condition.value) }),
      ...(takes === 'PERIOD' && { value: condition.value }),
      ...(takes === 'CONDITIONS' &&
        condition.record.length > 0 && { $all: condition.record.map((one) => writeCondition(one, attributes)) }),
      ...(takes === 'PLACE' && { value: renamePlace(writePlace(attribute!, condition)) }),
      ...(takes === 'LIST' && { value: condition.list.map(write) }),
      ...(takes === 'RANGE' && { from: write(condition.from), to: write(condition.to) }),
      ...(formKinds.has(attribute!.name) && {
        form_id: Number(condition.form),
        ...(condition.options.length > 0 && takes !== 'NOTHING' && { form_ref_ids: condition.options.map(Number) }),
      }),
    },
  };
};

export const writeTree = (root: Group, attributes: Attributes): TreeResult => {
  const nameGroup = (every: boolean): string => (every ? '$all' : '$at_least_one');
  const write = (part: Condition): Json => writeCondition(part, attributes);
  const writeInner = ({ every, parts }: PlainGroup): Json => {
    if (parts.some(isPlainGroup)) throw new NoTree('depth');
    return { [nameGroup(every)]: (parts as Condition[]).map(write) };
  };
  try {
    const plain = flatten(root, attributes, false);
    if (!plain) return { tree: { $all: [] } };
    if (!isPlainGroup(plain)) return { tree: { $all: [{ $all: [write(plain)] }] } };
    const conditions = plain.parts.filter((part): part is Condition => !isPlainGroup(part));
    const groups = plain.parts.filter(isPlainGroup);
    const gathered = conditions.length > 0 ? [{ [nameGroup(plain.every)]: conditions.map(write) }] : [];
    return { tree: { [nameGroup(plain.every)]: [...gathered, ...groups.map(writeInner)] } };
  } catch (error) {
    if (error instanceof NoTree) return { obstacle: error.message };
    throw error;
  }
};
