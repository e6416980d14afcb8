// A segment as it is edited: groups of conditions and groups. Values are texts as they are typed, until a query is made of them.

export type Kind =
  | 'TEXT'
  | 'PHONE'
  | 'INSTANT'
  | 'DAY'
  | 'CENTS'
  | 'WHOLE'
  | 'DECIMAL'
  | 'ID'
  | 'FLAG'
  | 'GENDER'
  | 'AGE_CATEGORY'
  | 'YEAR'
  | 'VALIDITY'
  | 'ANSWER'
  | 'CIRCLE'
  | 'AREA'
  | 'RECORD';

/** An operator as the server describes it: its name in the contract's notation, and its field in the graph. */
export interface Operator {
  name: string;
  field: string;
  negates: string | null;
  takes: (typeof editable)[number];
}

/** An attribute that the caller may search by, as the server describes it. */
export interface Attribute {
  name: string;
  path: string;
  kind: Kind;
  ofRecords: boolean;
  recordType: string | null;
  operators: Operator[];
  description: string;
}

export type Attributes = ReadonlyMap<string, Attribute>;

/** The kinds of operands that the page has fields for. */
const editable = ['NOTHING', 'VALUE', 'LIST', 'RANGE', 'PLACE', 'PERIOD', 'CONDITIONS'] as const;

/** The attributes with the operators that the page can edit, by name. A query with another operator cannot be shown. */
export const selectEditable = (attributes: readonly Attribute[]): Attributes =>
  new Map(
    attributes.flatMap((one): [string, Attribute][] => {
      const operators = one.operators.filter(({ name, takes }) => editable.includes(takes) && name !== 'all');
      return operators.length > 0 ? [[one.name, { ...one, operators }]] : [];
    }),
  );

/** The attributes that one record of a family has. In how many memberships a year is, no single one tells. */
export const selectRecordAttributes = (family: string, attributes: Attributes): Attributes =>
  new Map(
    [...attributes].filter(
      ([name, { ofRecords }]) =>
        ofRecords && name.startsWith(`${family}.`) && name !== 'memberships.multiple_in_period',
    ),
  );

/** The attributes whose conditions name a form, and the kinds of forms that they name. */
export const formKinds: ReadonlyMap<string, string[]> = new Map([
  ['custom_fields', ['CUSTOM_FIELDS']],
  ['form', ['CONSENT', 'LEVEL_OF_SUPPORT', 'PRESENCE_STATUS', 'SURVEY', 'TASKS']],
  ['consented_at', ['CONSENT']],
]);

/** One of these fields of the graph tells the centre of a circle. */
export const centreKinds = ['postalCode', 'point', 'contactId'] as const;

export interface Condition {
  id: string;
  /** The name of the attribute, empty until one is chosen. */
  attribute: string;
  /** The name of the operator. Empty in a condition on answers that only asks for options. */
  operator: string;
  /** A span of time is the contract's word here. A circle has its centre here. An area has its JSON, which is kept as it is. */
  value: string;
  list: string[];
  from: string;
  to: string;
  /** The number of the form that the condition names, and those of the options that must be answered. */
  form: string;
  options: string[];
  /** How the centre of a circle is told, and its radius. */
  centre: (typeof centreKinds)[number];
  km: string;
  /** The conditions that one record satisfies together. */
  record: Condition[];
}

export interface Group {
  id: string;
  /** Whether all parts must hold, or at least one. */
  every: boolean;
  negated: boolean;
  parts: Part[];
}

export type Part = Group | Condition;

export const isGroup = (part: Part): part is Group => 'parts' in part;

let created = 0;
const createId = (): string => `p${++created}`;

export const createCondition = (more: Partial<Condition> = {}): Condition => ({
  id: createId(),
  attribute: '',
  operator: '',
  value: '',
  list: [],
  from: '',
  to: '',
  form: '',
  options: [],
  centre: 'postalCode',
  km: '',
  record: [],
  ...more,
});

export const createGroup = (parts: Part[] = [], more: Partial<Group> = {}): Group => ({
  id: createId(),
  every: true,
  negated: false,
  parts,
  ...more,
});

/** The parts that lie in a part: those of a group, or the conditions on one record. */
export const listInnerParts = (part: Part): Part[] => (isGroup(part) ? part.parts : part.record);

/** A part with another list of what lies in it. */
export const replaceInnerParts = <One extends Part>(part: One, inner: Part[]): One =>
  isGroup(part) ? { ...part, parts: inner } : { ...part, record: inner as Condition[] };

/** The tree with the part of this id replaced by what `change` makes of it; undefined removes it. */
export const changePart = <One extends Part>(whole: One, id: string, change: (part: Part) => Part | undefined): One => {
  if (whole.id === id) return change(whole) as One;
  const inner = listInnerParts(whole).flatMap((part): Part[] =>
    part.id === id ? [change(part) ?? []].flat() : [changePart(part, id, change)],
  );
  return replaceInnerParts(whole, inner);
};

/** All parts of a tree, the tree itself first. */
export const listParts = (part: Part): Part[] => [part, ...listInnerParts(part).flatMap(listParts)];

export const countLevels = (group: Group): number =>
  1 + Math.max(0, ...group.parts.map((part) => (isGroup(part) ? countLevels(part) : 0)));

const findOperator = ({ operators }: Attribute, name: string): Operator | undefined =>
  operators.find((operator) => operator.name === name);

/** The attribute and the operator of a condition, as far as they are chosen. */
export const describeCondition = (
  { attribute: name, operator }: Condition,
  attributes: Attributes,
): { attribute?: Attribute; operator?: Operator } => {
  const attribute = attributes.get(name);
  return { attribute, operator: attribute && findOperator(attribute, operator) };
};

/** Whether everything that a condition needs was given: one that is still being written is not searched for. */
export const isComplete = (condition: Condition, attributes: Attributes): boolean => {
  const { attribute, operator } = describeCondition(condition, attributes);
  if (!attribute) return false;
  if (formKinds.has(attribute.name) && condition.form === '') return false;
  if (!operator) return attribute.kind === 'ANSWER' && condition.operator === '' && condition.options.length > 0;
  if (operator.takes === 'NOTHING') return true;
  // Without one that is still being written, it would find others.
  if (operator.takes === 'CONDITIONS') return condition.record.every((one) => isComplete(one, attributes));
  if (operator.takes === 'LIST') return condition.list.length > 0;
  if (operator.takes === 'RANGE') return condition.from.trim() !== '' && condition.to.trim() !== '';
  return condition.value.trim() !== '' && (attribute.kind !== 'CIRCLE' || condition.km.trim() !== '');
};

/** A condition after another attribute was chosen: the operator stays if it is permitted, and the value if it is of the same kind. */
export const chooseAttribute = (condition: Condition, name: string, attributes: Attributes): Condition => {
  const [old, chosen] = [attributes.get(condition.attribute), attributes.get(name)];
  if (!chosen) return createCondition({ id: condition.id });
  const operator = findOperator(chosen, condition.operator) ?? chosen.operators[0]!;
  const asksForForm = [old?.name, name].some((one) => formKinds.has(one ?? ''));
  const keeps =
    old?.kind === chosen.kind && chosen.kind !== 'RECORD' && old.recordType === chosen.recordType && !asksForForm;
  const kept = keeps ? chooseOperator(condition, operator.name, attributes) : createCondition({ id: condition.id });
  return { ...kept, attribute: name, operator: operator.name };
};

/** A condition after another operator was chosen: what was typed is carried over. */
export const chooseOperator = (condition: Condition, name: string, attributes: Attributes): Condition => {
  const old = describeCondition(condition, attributes).operator;
  const chosen = describeCondition({ ...condition, operator: name }, attributes).operator;
  const [before, after] = [old?.takes, chosen?.takes];
  const { value, list, from } = condition;
  const first = before === 'LIST' ? (list[0] ?? '') : before === 'RANGE' ? from : value;
  const changed = { ...condition, operator: name };
  // A span of time is no date, nor is a part of the year.
  if (old !== chosen && [old, chosen].some((one) => one?.takes === 'PERIOD' || one?.name === 'period'))
    return { ...changed, value: '', list: [], from: '', to: '' };
  if (before === after || !first) return changed;
  if (after === 'LIST') return { ...changed, list: [first] };
  if (after === 'RANGE') return { ...changed, from: first };
  return after === 'VALUE' ? { ...changed, value: first } : changed;
};
