// JSON Schemas of input types of the graph, in all the spellings and forms in which the wire takes them. Unknown properties are ignored, so none is forbidden.

import {
  type GraphQLEnumType,
  type GraphQLInputFieldExtensions,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { z } from 'zod';
import type { Blank } from '../../input/blank.ts';
import { isReadWithoutCase } from '../../input/input-value.ts';
import {
  findOtherForm,
  findTextField,
  isLoose,
  listSpellings,
  numberText,
  sortInputFields,
} from '../../input/legacy-input.ts';
import { getListBound } from '../../input/list-length.ts';
import type { Input } from '../../input/read-input.ts';
import { capitalize } from '../../input/snake-case.ts';
import { invisible } from '../../search/trim-line.ts';
import {
  type Components,
  describeIdInput,
  describeLeaf,
  describeNullable,
  describeObject,
  type Json,
} from './components.ts';
import { describeSearchQuery } from './search-schema.ts';

/** Around a value: the meaning of a blank text that stands for none, and whether texts and numbers are taken for each other. */
interface Surroundings {
  blank: Blank | undefined;
  loose: boolean;
}

const strict: Surroundings = { blank: undefined, loose: false };

/** The rules of an input in the words of JSON Schema: lengths, bounds, formats. */
const describeRules = ({ extensions }: { extensions: GraphQLInputFieldExtensions }): Json => {
  const rules = extensions['@pothos/plugin-validation']?.schemas ?? [];
  const described = rules.map((rule) => z.toJSONSchema(rule as z.ZodType, { unrepresentable: 'any' }) as Json);
  const { $schema, type, items, ...bounds } = Object.assign({}, ...described) as Json;
  return bounds;
};

/** Names of components for inputs: those that create, update and replace a noun often have the same fields. */
const nameInput = (name: string): string[] => [name.replace(/(Create|Update|Replace)Input$/, 'Input'), name];

/** The JSON Schema of an argument or a field as the wire takes it. */
export const describeInput = (input: Input, components: Components, around: Surroundings = strict): Json =>
  describeValue(input, input.type, components, around);

/** The description of a part of a body. It tells the default: generators of types would require what has one in the schema. */
export const describeMeaning = ({ description, defaultValue }: Input): Json => {
  const fallback = defaultValue == null ? '' : ` When left out: \`${JSON.stringify(defaultValue)}\`.`;
  const text = `${description ?? ''}${fallback}`.trim();
  return text ? { description: text } : {};
};

const describeValue = (input: Input, given: GraphQLInputType, components: Components, around: Surroundings): Json => {
  const type = getNullableType(given);
  const orNull = (schema: Json): Json => (isNonNullType(given) ? schema : describeNullable(schema));
  if (isListType(type)) {
    const item = { ...input, extensions: { idOf: input.extensions.idOf } };
    const one = describeValue(item, type.ofType, components, around);
    const items = around.blank === 'absent' ? addBlank(one, components) : one;
    return orNull({ type: 'array', ...describeRules(input), maxItems: getListBound(input.extensions).most, items });
  }
  if (isInputObjectType(type)) return orNull(describeInputObject(type, components, around));
  return describeScalar(input, type, components, { ...around, isNullable: !isNonNullType(given) });
};

const nameBlank = (components: Components): Json =>
  components.name(['Blank'], {
    type: 'string',
    pattern: `^${invisible.source}*$`,
    description: 'A blank text is no value: in an upsert as if it was not given, else as null.',
  });

const addBlank = (schema: Json, components: Components): Json => {
  const { anyOf = [schema] } = schema as { anyOf?: Json[] };
  return { anyOf: [...anyOf, nameBlank(components)] };
};

const describeScalar = (
  input: Input,
  type: GraphQLInputType,
  components: Components,
  { blank, loose, isNullable }: Surroundings & { isNullable: boolean },
): Json => {
  const { name } = getNamedType(type);
  const form = describeForm(name, type, components);
  if (name === 'QueryTree') return describeNullable(form);
  if (name === 'String') {
    // A rule for both doors may take numbers too, which the graph has in place of these texts.
    const { anyOf = [], ...rules } = describeRules(input) as { anyOf?: Json[] };
    const types = ['string', ...(loose ? ['number', 'boolean'] : []), ...(isNullable ? ['null'] : [])];
    const ofText = anyOf.find(({ type: of }) => of === 'string');
    return { ...form, ...rules, ...ofText, type: types.length > 1 ? types : 'string' };
  }
  const bounded = form.$ref ? form : { ...form, ...describeRules(input) };
  const isText = form.type === 'string' && !form.format && !isEnumType(type);
  const others: Json[] = [
    ...(loose && name === 'Float' ? [{ type: 'string', pattern: numberText.source }] : []),
    ...(blank && isNullable && !isText ? [nameBlank(components)] : []),
    ...(isNullable ? [{ type: 'null' }] : []),
  ];
  if (others.length === 0) return bounded;
  if (others.length === 1 && isNullable) return describeNullable(bounded);
  return { anyOf: [bounded, ...others] };
};

/** A scalar in the forms that the wire takes beside that of replies. */
const describeForm = (name: string, type: GraphQLInputType, components: Components): Json => {
  if (name === 'QueryTree') return describeSearchQuery(components);
  if (name === 'ID') return describeIdInput(components);
  if (name === 'Date')
    return components.name(['DateInput'], {
      anyOf: [
        { type: 'string', format: 'date' },
        { type: 'string', format: 'date-time' },
      ],
      description: 'A day, or a date-time for its day as it is written, whatever its offset.',
      examples: ['1986-05-17'],
    });
  const named = getNamedType(type);
  if (isReadWithoutCase(named)) return describeNames(named, components);
  return describeLeaf(type, components);
};

const describeNames = (type: GraphQLEnumType, components: Components): Json => {
  const names = type.getValues().map(({ name }) => name);
  const words = [...names, ...names.map((name) => name.toLowerCase())];
  return components.name([`${type.name}Input`], {
    type: 'string',
    pattern: `^\\s*(${words.join('|')})\\s*$`,
    description: `One of ${names.join(', ')}, in any case.`,
    examples: [names[0]],
  });
};

/** A field of several spellings has a named form: generators of clients make a type for each spelling, and the names of these may differ by case alone. */
const nameForm = (owner: string, { name, type }: Input, form: Json, components: Components): Json => {
  if (form.$ref) return form;
  const of = getNamedType(type).name;
  const field = capitalize(name);
  const isLoose = [form.type].flat().includes('number');
  const usual = isListType(getNullableType(type))
    ? `${of}List`
    : of === 'String'
      ? isLoose
        ? 'AnyLine'
        : 'Line'
      : field;
  return components.name([usual, `${owner}${field}`], form);
};

const describeInputObject = (type: GraphQLInputObjectType, components: Components, around: Surroundings): Json => {
  const within = { blank: type.extensions.blank ?? around.blank, loose: isLoose(type.name) };
  const fields = sortInputFields(type);
  const describeField = (field: (typeof fields)[number]): Json => {
    const schema = describeInput(field, components, within);
    const form = findOtherForm(type.name, field.name);
    const { items, type: types } = schema as { items?: Json; type?: unknown };
    const whole: Json =
      form === 'item' && items
        ? { anyOf: [{ ...schema, type: [types].flat()[0] }, items, { type: 'null' }] }
        : form === 'list'
          ? {
              anyOf: [
                ...((schema.anyOf as Json[]) ?? [schema]),
                { type: 'array', minItems: 1, maxItems: 1, items: schema },
              ],
            }
          : schema;
    const of = getNullableType(field.type);
    const isOptional = !isNonNullType(field.type) && (isListType(of) || isInputObjectType(of));
    const taken = within.blank && isOptional ? addBlank(whole, components) : whole;
    return { ...taken, ...describeMeaning(field) };
  };
  const required = fields
    .filter(({ type: of, defaultValue }) => isNonNullType(of) && defaultValue === undefined)
    .map((field) => listSpellings(type.name, field.name)[0]!);
  const properties = Object.fromEntries(
    fields.flatMap((field) => {
      const { description, ...form } = describeField(field);
      const [first, ...others] = listSpellings(type.name, field.name);
      const schema = others.length > 0 ? nameForm(type.name, field, form, components) : form;
      return [
        [first, { ...schema, ...(description !== undefined && { description }) }],
        ...others.map((name) => [name, { ...schema, description: `The same as \`${first}\`.` }]),
      ];
    }),
  );
  const object = describeObject(properties, required);
  const text = findTextField(type.name);
  return components.name(nameInput(type.name), text ? { anyOf: [{ type: 'string' }, object] } : object);
};
