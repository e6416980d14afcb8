// The JSON Schema of the query tree (spec §4.13), from the table of attributes: a condition is one of those of its kind of value, by attribute and operator.
import { capitalize } from '../../input/snake-case.ts';
import { limits } from '../../limits/limits.ts';
import type { ValueKind } from '../../search/attribute.ts';
import { type AttributeName, asksForForm, attributes, getAskedFamily, getAttribute } from '../../search/attributes.ts';
import { kindRows } from '../../search/operand.ts';
import { type Operator, operators } from '../../search/operators.ts';
import { farthest } from '../../search/places.ts';
import { type Components, describeIdInput, describeObject, type Json } from './components.ts';

const wholeNumber = '^-?\\d{1,16}$';
const text: Json = { type: ['string', 'number'], maxLength: 256, pattern: '\\S' };
const date: Json = { type: 'string', maxLength: 64 };

/** A value of each kind, in every form in which it is read. */
const values: Record<ValueKind, Json> = {
  text: { ...text, examples: ['Lyon'] },
  phone: { type: ['string', 'number'], maxLength: 256, pattern: '\\p{Nd}', examples: ['+33 6 12 34 56 78'] },
  instant: { ...date, examples: ['now-30d', '2026-11-21', '2026-11-21T09:00:00Z'] },
  day: { ...date, examples: ['now-18y', '1986-05-17'] },
  cents: { type: ['string', 'number'], pattern: '^-?\\d{1,14}(\\.\\d{1,4})?$', examples: ['99.90'] },
  whole: { type: ['integer', 'string'], pattern: wholeNumber, examples: ['3'] },
  decimal: { type: ['number', 'string'], pattern: '^-?\\d{1,15}(\\.\\d{1,15})?$', examples: ['48.8566'] },
  id: { type: ['integer', 'string'], minimum: 0, pattern: '^\\d{1,16}$', examples: [1] },
  // Generators of clients make a name of each value, so that values of several types would have one name.
  flag: {
    oneOf: [
      { type: 'boolean' },
      { type: 'string', enum: ['true', 'false', '1', '0'] },
      { type: 'integer', enum: [1, 0] },
    ],
  },
  gender: { type: 'string', pattern: '^\\s*[MFOmfo]\\s*$', examples: ['F'] },
  ageCategory: { type: ['integer', 'string'], minimum: 0, maximum: 6, pattern: '^[0-6]$', examples: [3] },
  year: { type: ['string', 'integer'], minimum: 1, maximum: 9999, pattern: '^\\d{4}$', examples: ['2026'] },
  validity: { enum: ['ongoing', 'ended'] },
  // It has no value of its own.
  record: {},
  circle: {
    type: 'object',
    examples: [{ point: { latitude: 48.85, longitude: 2.35 }, km: 10 }],
    properties: {
      km: { type: 'number', exclusiveMinimum: 0, maximum: farthest },
      point: {
        type: 'object',
        properties: {
          latitude: { type: 'number', minimum: -90, maximum: 90 },
          longitude: { type: 'number', minimum: -180, maximum: 180 },
        },
        required: ['latitude', 'longitude'],
        additionalProperties: false,
      },
      contact_id: { type: ['integer', 'string'], minimum: 0, pattern: '^\\d{1,16}$' },
      postal_code: { type: 'string', maxLength: 256, pattern: '\\S' },
    },
    required: ['km'],
    oneOf: [{ required: ['point'] }, { required: ['contact_id'] }, { required: ['postal_code'] }],
    additionalProperties: false,
  },
  area: {
    type: 'object',
    properties: {
      polygon: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'array',
          minItems: 4,
          items: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'number', minimum: -180, maximum: 180 } },
        },
      },
    },
    required: ['polygon'],
    additionalProperties: false,
  },
  answer: { type: ['string', 'number', 'boolean'], maxLength: 256, pattern: '\\S', examples: ['yes'] },
};

const unique = <Item>(items: readonly Item[]): Item[] => [...new Set(items)];

const nameValue = (kind: ValueKind, components: Components): Json => {
  const { want } = kindRows.find((row) => row.kind === kind)!;
  const description = `${capitalize(want.replace(/^must be /, ''))}.`;
  return components.name([`${capitalize(kind)}Value`], { ...values[kind], description });
};

/** Operators that take the same operands. A condition on answers may lack its value, so its operators are two groups. */
const groupOperators = (kind: ValueKind, permitted: readonly Operator[]): Operator[][] => {
  const keyOf = (operator: Operator): string => {
    const isOptional = kind === 'answer' && ['eql', 'not_eql'].includes(operator);
    return `${operators[operator].takes} ${operator === 'period'} ${isOptional}`;
  };
  return unique(permitted.map(keyOf)).map((key) => permitted.filter((operator) => keyOf(operator) === key));
};

/** The operands of operators of one group: their schemas, and which of them are required. */
const describeOperands = (
  kind: ValueKind,
  [operator]: readonly Operator[],
  components: Components,
): [Json, string[]] => {
  const { takes } = operators[operator!];
  if (takes === 'nothing' || takes === 'conditions') return [{}, []];
  if (takes === 'period') {
    const period = components.name(['SearchPeriod'], {
      type: 'string',
      pattern:
        '^((this|previous|following)_(day|week|month|quarter|year)|(last|next)_[1-9]\\d{0,3}_(day|week|month|year)s?)$',
      description: 'A span of time relative to the request, in UTC.',
      examples: ['this_year', 'previous_month', 'last_90_days'],
    });
    return [{ value: period }, ['value']];
  }
  const value = nameValue(kind, components);
  if (operator === 'period') {
    const end = components.name(['DayOfYear'], {
      type: 'string',
      pattern: '^((0[1-9]|1[0-2])-(0[1-9]|[12]\\d)|(0[13-9]|1[0-2])-30|(0[13578]|1[02])-31)$',
      description: 'A day of any year: its month and its day.',
      examples: ['12-15'],
    });
    return [{ value: { type: 'string', examples: ['12-15/01-15'] }, from: end, to: end }, []];
  }
  if (takes === 'range') return [{ from: value, to: value }, ['from', 'to']];
  if (takes === 'list') {
    const list = { type: 'array', minItems: 1, maxItems: limits.search.listValues, items: value };
    const anyOf = [list, { type: 'string', description: 'The values, separated by commas.' }];
    return [{ value: { anyOf } }, ['value']];
  }
  const isOptional = kind === 'answer' && ['eql', 'not_eql'].includes(operator!);
  return [{ value: isOptional ? { anyOf: [value, { type: 'null' }] } : value }, isOptional ? [] : ['value']];
};

/** The presence of an answer is asked for whatever the reference values are. */
const describeForm = (components: Components, [operator]: readonly Operator[]): Json => {
  const id = describeIdInput(components);
  const most = limits.search.listValues;
  const references = { type: ['array', 'null'], maxItems: most, items: id };
  return { form_id: id, form_ref_ids: operators[operator!].takes === 'nothing' ? {} : references };
};

const describeCurrency: Json = {
  type: ['string', 'null'],
  pattern: '^[A-Z]{3}$',
  description: 'The currency of the amounts that count, and of the value; EUR when it is left out.',
  examples: ['JPY'],
};

const describeRecord = (components: Components): Json =>
  components.name(['RecordConditions'], {
    type: ['array', 'null'],
    minItems: 1,
    maxItems: limits.search.conditions,
    items: describeObject({ $condition: { $ref: '#/components/schemas/SearchCondition' } }),
    description:
      'Conditions on the attributes of one record, such as `donations.amount`, that it must satisfy together.',
  });

/** The conditions on attributes of one kind: attributes that permit the same operators with the same operands are one alternative. */
const describeConditions = (kind: ValueKind, components: Components): Json => {
  const names = (Object.keys(attributes) as AttributeName[]).filter((name) => getAttribute(name).kind === kind);
  const alternatives = new Map<string, { group: Operator[]; names: AttributeName[] }>();
  for (const name of names)
    for (const group of groupOperators(kind, getAttribute(name).operators)) {
      const key = [asksForForm(name), Boolean(getAskedFamily(name)), ...group.toSorted()].join();
      const known = alternatives.get(key) ?? { group, names: [] };
      alternatives.set(key, { group, names: [...known.names, name] });
    }
  const anyOf = [...alternatives.values()].map(({ group, names: attr }) => {
    const hasForm = asksForForm(attr[0]!);
    const beside = {
      ...(hasForm && describeForm(components, group)),
      ...(kind === 'cents' && { currency: describeCurrency }),
      ...(getAskedFamily(attr[0]!) && {
        $all: describeRecord(components),
        $at_least_one: describeRecord(components),
      }),
    };
    const [operands, required] = describeOperands(kind, group, components);
    const properties = { attr: { enum: attr }, ope: { enum: group }, ...operands, ...beside };
    return describeObject(properties, ['attr', 'ope', ...required, ...(hasForm ? ['form_id'] : [])]);
  });
  const meanings = names.map((name) => `- \`${name}\`: ${getAttribute(name).doc}`);
  const description = meanings.join('\n');
  const [only, ...others] = anyOf;
  return components.name(
    [`${capitalize(kind)}Condition`],
    others.length > 0 ? { anyOf, description } : { ...only, description },
  );
};

/** A group: all of its parts must hold, or at least one. */
const describeGroup = (parts: Json, description: string): Json => ({
  oneOf: [describeObject({ $all: parts }), describeObject({ $at_least_one: parts })],
  description,
});

/** The query of a search: groups on exactly two levels, and conditions in those of the second. */
export const describeSearchQuery = (components: Components): Json => {
  const kinds = unique((Object.keys(attributes) as AttributeName[]).map((name) => getAttribute(name).kind));
  const meanings = (Object.keys(operators) as Operator[]).map((name) => `- \`${name}\`: ${operators[name].doc}`);
  const condition = components.name(['SearchCondition'], {
    anyOf: kinds.map((kind) => describeConditions(kind, components)),
    description: `An attribute, an operator that it permits, and a value to compare with.\n\n${meanings.join('\n')}`,
  });
  const { conditions } = limits.search;
  const part = describeObject({ $condition: condition });
  const parts = { type: 'array', minItems: 1, maxItems: conditions, items: part };
  const group = components.name(
    ['SearchGroup'],
    describeGroup(
      parts,
      `Conditions, all of which must hold, or at least one. A query has at most ${conditions} of them.`,
    ),
  );
  const groups = { type: 'array', maxItems: conditions, items: group };
  const description =
    'Groups of conditions, all of which must hold, or at least one. Without groups every contact is found.';
  return components.name(['SearchQuery'], describeGroup(groups, description));
};
