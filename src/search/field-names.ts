// Names of attributes and operators in the graph: each attribute is a path of fields, such as `transactions.amount`, each operator a field of its condition.
import { type AttributeName, attributes, getAttribute, getRecordFamily, isAttributeName } from './attributes.ts';
import { type Operator, operators } from './operators.ts';

/** The paths that are not just the contract's name in camelCase. */
const paths: Partial<Record<AttributeName, string>> = {
  firstname: 'firstName',
  surname: 'lastName',
  birthdate: 'birthDate',
  age_cat: 'ageCategory',
  birthcity: 'birthCity',
  birthcountry: 'birthCountry',
  birth_dept: 'birthDepartment',
  mail: 'email',
  'tags.name': 'tags',
  'actions.name': 'actions',
  black_list: 'optedOut',
  lastchange: 'lastChangedAt',
  user_id: 'lastChangedById',
  user_contact_id: 'accountId',
  action_ids: 'actionId',
  'address.postalcode': 'address.postalCode',
  'address.housenumber': 'address.houseNumber',
  'address.pollingstation': 'address.pollingStation',
  'address.invalid': 'address.invalidReason',
  'address.citycode': 'address.cityCode',
  'address.infos': 'address.details',
  'transactions.sum_amount': 'transactions.total',
  'transactions.count_amount': 'transactions.count',
  'memberships.count_amount': 'memberships.count',
  'emails.count_amount': 'emails.count',
  'sanctions.count_amount': 'sanctions.count',
  'notes.count_amount': 'notes.count',
  'notes.user_id': 'notes.authorId',
  'interactions.count_amount': 'interactions.count',
  'interactions.user_id': 'interactions.authorId',
  'donations.sum_amount': 'donations.total',
  'donations.count_amount': 'donations.count',
  'memberships.period': 'memberships.year',
  'memberships.multiple_in_period': 'memberships.severalInYear',
  'emails.user_id': 'emails.sentById',
  custom_fields: 'customField',
  form: 'answer',
  CreatedAt: 'createdAt',
  UpdatedAt: 'updatedAt',
};

const toCamelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The path of an attribute in a query of the graph, such as `address.city`. */
export const getFieldPath = (name: AttributeName): string => paths[name] ?? toCamelCase(name);

/** The attributes by the first field of their path, and those of a family by the second. */
export type FieldTree = Map<string, AttributeName | Map<string, AttributeName>>;

const buildFieldTree = (): FieldTree => {
  const tree: FieldTree = new Map();
  for (const name of Object.keys(attributes) as AttributeName[]) {
    // Its operators are fields beside the attributes of its records.
    if (getAttribute(name).kind === 'record') continue;
    const [first, second] = getFieldPath(name).split('.') as [string, string?];
    if (second === undefined) tree.set(first, name);
    else {
      const family = (tree.get(first) ?? new Map()) as Map<string, AttributeName>;
      tree.set(first, family.set(second, name));
    }
  }
  return tree;
};
export const fieldTree: FieldTree = buildFieldTree();

/** The attributes of one record of each family, by their fields. */
export const recordTrees: ReadonlyMap<string, ReadonlyMap<string, AttributeName>> = new Map(
  [...fieldTree].flatMap(([field, found]) =>
    typeof found === 'string' || !isAttributeName(field)
      ? []
      : [[field, new Map([...found].filter(([, name]) => getRecordFamily(name) === field))]],
  ),
);

/** The field of each operator in a condition. `exists` takes true or false: it stands for two operators. */
export const operatorFields: Readonly<Record<Operator, string>> = {
  eql: 'equals',
  not_eql: 'notEquals',
  'eql:strictdata': 'equalsExactly',
  'not_eql:strictdata': 'notEqualsExactly',
  any_of: 'in',
  none_of: 'notIn',
  all_of: 'hasAll',
  lte: 'lte',
  gte: 'gte',
  range: 'between',
  period: 'inPeriod',
  within: 'within',
  contains: 'contains',
  not_contains: 'notContains',
  start_with: 'startsWith',
  not_start_with: 'notStartsWith',
  ext: 'exists',
  not_ext: 'exists',
  any: 'any',
  all: 'all',
  none: 'none',
  // The field of the attribute takes the place itself.
  inside: 'inside',
  not_inside: 'notInside',
};

const operatorsByField = new Map((Object.keys(operators) as Operator[]).map((name) => [operatorFields[name], name]));

/** The operator that a field of a condition stands for, given its value. */
export const getOperatorOfField = (field: string, value: unknown): Operator | undefined =>
  field === 'exists' ? (value === false ? 'not_ext' : 'ext') : operatorsByField.get(field);
