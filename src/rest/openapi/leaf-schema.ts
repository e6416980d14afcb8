// JSON Schemas of scalars and enums, as replies have them.
import { type GraphQLInputType, type GraphQLOutputType, isEnumType } from 'graphql';
import type { Components, Json } from './components.ts';

const id: Json = {
  type: 'integer',
  format: 'int64',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The number of a record.',
};

const safeInteger: Json = {
  type: 'integer',
  format: 'int64',
  minimum: -Number.MAX_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'A whole number that JSON carries exactly.',
};

const scalars: Record<string, Json> = {
  WholeNumber: { type: 'integer', format: 'int64', maximum: Number.MAX_SAFE_INTEGER },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  String: { type: 'string' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
};

/** The JSON Schema of a scalar or an enum. Throws for a scalar without one. */
export const describeLeaf = (type: GraphQLInputType | GraphQLOutputType, components: Components): Json => {
  if (isEnumType(type)) {
    const { name, description } = type;
    const names = type.getValues().map((value) => value.name);
    return components.name([name], { type: 'string', enum: names, ...(description && { description }) });
  }
  if (String(type) === 'ID') return components.name(['Id'], id);
  if (String(type) === 'SafeInt') return components.name(['SafeInt'], safeInteger);
  const known = scalars[String(type)];
  if (!known) throw new Error(`no JSON Schema for ${type}`);
  return known;
};

/** An id as the wire takes it. */
export const describeIdInput = (components: Components): Json =>
  components.name(['IdInput'], {
    anyOf: [components.name(['Id'], id), { type: 'string', pattern: '^(0|[1-9][0-9]{0,15})$' }],
    description: 'The number of a record, or its digits as a text.',
  });
