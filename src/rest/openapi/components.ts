// The named schemas of the OpenAPI document, where equal ones have one name and others share none, and those of single values.
import { type GraphQLInputType, type GraphQLOutputType, isEnumType } from 'graphql';
import { formatCanonicalJson } from '../../limits/cache-key.ts';

export type Json = { [key: string]: unknown };

export class Components {
  readonly #schemas = new Map<string, Json>();
  readonly #names = new Map<string, string>();

  readonly replies: Record<string, Json> = {};
  readonly #reserved: ReadonlySet<string>;

  /** Reserved names are for the fragments that have them. */
  constructor(reserved: Iterable<string> = []) {
    this.#reserved = new Set(reserved);
  }

  isReserved(name: string): boolean {
    return this.#reserved.has(name);
  }

  /** A reference to the schema, under its present name or the first free one of these. Throws when all are taken. */
  name(names: readonly string[], schema: Json): Json {
    const text = formatCanonicalJson(schema);
    const known = this.#names.get(text);
    if (known) return { $ref: `#/components/schemas/${known}` };
    const name = names.find((one) => !this.#schemas.has(one));
    if (!name)
      throw new Error(`OpenAPI has other schemas of the names ${names.join(', ')}: give the fragment another one`);
    this.#schemas.set(name, schema);
    this.#names.set(text, name);
    return { $ref: `#/components/schemas/${name}` };
  }

  nameReply(name: string, reply: Json): Json {
    this.replies[name] = reply;
    return { $ref: `#/components/responses/${name}` };
  }

  /** A reply, or that which a reference names. */
  resolveReply(reply: Json): Json {
    return typeof reply.$ref === 'string' ? this.replies[reply.$ref.split('/').at(-1)!]! : reply;
  }

  list(): Record<string, Json> {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

/** An object whose properties are required, unless others are named. */
export const describeObject = (properties: Json, required = Object.keys(properties)): Json => ({
  type: 'object',
  ...(required.length > 0 && { required }),
  properties,
});

export const describeNullable = (schema: Json): Json => {
  if (typeof schema.type === 'string' && !schema.enum && schema.const === undefined)
    return { ...schema, type: [schema.type, 'null'] };
  if (Array.isArray(schema.type)) return { ...schema, type: [...schema.type, 'null'] };
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  return { anyOf: [schema, { type: 'null' }] };
};

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
