// Writes what the TypeScript client knows of searches and problems: each attribute with its operators, the type of its values and its name in the contract; the code of each problem.
import {
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
} from 'graphql';
import { getTypeOfId } from '../schema/graph/list-filter.ts';
import { problems } from '../src/problem.ts';
import { type AttributeName, asksForForm, getAttribute, getPlaceKind } from '../src/search/attributes.ts';
import { fieldTree } from '../src/search/field-names.ts';

const valueTypes: Record<string, string> = {
  Boolean: 'boolean',
  Float: 'number',
  Int: 'number',
  SafeInt: 'number',
  SearchDate: 'SearchDate | Date',
  String: 'string',
};

const readFields = (type: GraphQLNamedType | undefined, field: string): [string, GraphQLNamedType][] => {
  if (!isInputObjectType(type)) throw new Error(`${field} is no input type`);
  return Object.values((type as GraphQLInputObjectType).getFields()).map((field) => [
    field.name,
    getNamedType(field.type),
  ]);
};

/** The type of a value: that of `equals` or of a bound; a range has the type of its ends. `field` says which records an id is of. */
const findValueType = (type: GraphQLNamedType, field: string): string => {
  if (isInputObjectType(type)) return findValueType(readFields(type, field)[0]![1], field);
  if (isEnumType(type))
    return type
      .getValues()
      .map(({ name }) => `'${name}'`)
      .join(' | ');
  const known = type.name === 'ID' ? `RecordId<'${getTypeOfId(field, 'Contact')}'>` : valueTypes[type.name];
  if (!known) throw new Error(`${field}: the client has no type for values of ${type.name}`);
  return known;
};

/** The TypeScript type of a condition. Conditions on answers have the form beside them. */
const describeCondition = (type: GraphQLNamedType, field: string): string => {
  const fields = new Map(readFields(type, field));
  const inner = fields.get('form') && fields.get('value');
  if (inner) return `AnswerAttribute<${describeOperators(inner, field)}>`;
  return `Attribute<${describeOperators(type, field)}>`;
};

/** The operators of a condition that the client has. A currency beside them is none, nor is what says which records are counted. */
const readOperators = (type: GraphQLNamedType, field: string): [string, GraphQLNamedType][] =>
  readFields(type, field).filter(([name]) => !['currency', 'of', 'within'].includes(name));

const describeOperators = (type: GraphQLNamedType, field: string): string => {
  const fields = readOperators(type, field);
  const values = [
    ...new Set(
      fields.filter(([name]) => name !== 'exists' && name !== 'inPeriod').map(([, one]) => findValueType(one, field)),
    ),
  ];
  if (values.length > 1) throw new Error(`${field} takes values of several types: ${values.join(', ')}`);
  return `${values[0] ?? 'never'}, ${fields.map(([name]) => `'${name}'`).join(' | ')}`;
};

const listOperators = (type: GraphQLNamedType, field: string): string[] => {
  const fields = new Map(readFields(type, field));
  const inner = fields.get('form') && fields.get('value');
  return readOperators(inner || type, field).map(([name]) => name);
};

/** A row of the table: what converts a condition, and the type that its methods have. */
const describeAttribute = (name: AttributeName, type: GraphQLNamedType, field: string) => {
  const { kind, doc } = getAttribute(name);
  const facts = {
    name,
    kind,
    operators: listOperators(type, field),
    ...(asksForForm(name) && { hasForm: true }),
  };
  return { doc, type: describeCondition(type, field), facts: JSON.stringify(facts) };
};

export const writeClientAttributes = (schema: GraphQLSchema, note: string): string => {
  const query = new Map(readFields(schema.getType('ContactQuery'), 'ContactQuery'));
  const types: string[] = [];
  const facts: string[] = [];
  for (const [field, found] of fieldTree) {
    if (typeof found === 'string') {
      const one = describeAttribute(found, query.get(field)!, field);
      types.push(`  /** ${one.doc} */\n  ${field}: ${one.type};`);
      facts.push(`  ${field}: ${one.facts},`);
      continue;
    }
    const family = new Map(readFields(query.get(field), field));
    types.push(`  ${field}: {`);
    facts.push(`  ${field}: {`);
    for (const [inner, name] of found) {
      // A place has no operators: queries with one are written as the graph has them.
      if (getPlaceKind(name)) continue;
      const one = describeAttribute(name, family.get(inner)!, inner);
      types.push(`    /** ${one.doc} */\n    ${inner}: ${one.type};`);
      facts.push(`    ${inner}: ${one.facts},`);
    }
    types.push('  };');
    facts.push('  },');
  }
  return `// ${note}
import type { AnswerAttribute, Attribute, AttributeTable, RecordId } from '../search/attribute.ts';
import type { SearchDate } from '../search/search-date.ts';

/** The attributes that contacts are searched by, each with the operators that it permits. */
export interface ContactAttributes {
${types.join('\n')}
}

/** Their names in the contract, and the kinds of their values. */
export const attributeTable: AttributeTable = {
${facts.join('\n')}
};
`;
};

/** Writes the codes of problems, so that a misspelt code is an error of the compiler. */
export const writeClientProblems = (note: string): string => `// ${note}

/** The code of each problem, and the HTTP status that it has. */
export const problemStatuses = {
${Object.entries(problems)
  .map(([code, [status, , when]]) => `  /** ${when} */\n  '${code}': ${status},\n`)
  .join('')}} as const;
`;
