// The input `ContactQuery`: a field for each searchable attribute, with a field for each operator that it permits, from the tables of the search language.

import { capitalize } from '../../src/input/snake-case.ts';
import type { ValueKind } from '../../src/search/attribute.ts';
import {
  type AttributeName,
  asksForForm,
  getAskedFamily,
  getAttribute,
  getPlaceKind,
  isAttributeName,
} from '../../src/search/attributes.ts';
import { type FieldTree, fieldTree, getFieldPath, operatorFields, recordTrees } from '../../src/search/field-names.ts';
import { type Operator, operators } from '../../src/search/operators.ts';
import { queryDepth } from '../../src/search/parse-contact-query.ts';
import { farthest, type PlaceKind } from '../../src/search/places.ts';
import { Gender } from '../contact/contact.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { getTypeOfId } from '../graph/list-filter.ts';
import { acceptId, acceptIds } from '../graph/node.ts';

const SanctionValidity = builder.enumType('SanctionValidity', {
  description: 'Whether a sanction holds at this moment.',
  values: defineEnumValues({ ongoing: 'It has begun and has not ended.', ended: 'It has ended.' }),
});

const defineRange = (name: string, type: 'SearchDate' | 'SafeInt' | 'Float' | 'Int' | 'String', description: string) =>
  builder.inputType(name, {
    description,
    fields: (t) => ({
      from: t.field({ type, required: true, description: 'The beginning; included.' }),
      to: t.field({ type, required: true, description: 'The end; included.' }),
    }),
  });
const DateRange = defineRange('DateRange', 'SearchDate', 'A range of dates or instants.');
const NumberRange = defineRange('NumberRange', 'SafeInt', 'A range of whole numbers.');
const DecimalRange = defineRange('DecimalRange', 'Float', 'A range of numbers.');
const YearRange = defineRange('YearRange', 'Int', 'A range of years.');
const TextRange = defineRange(
  'TextRange',
  'String',
  'A range of values of an answer: numbers, dates or texts, by the type of the form.',
);
const MonthDayRange = defineRange(
  'MonthDayRange',
  'String',
  'A part of the year, from `MM-DD` to `MM-DD`; it may go beyond New Year.',
);

const CalendarUnit = builder.enumType('CalendarUnit', {
  description: 'A unit of the calendar, in UTC.',
  values: defineEnumValues({
    day: 'A day.',
    week: 'A week, which begins on Monday.',
    month: 'A month.',
    quarter: 'A quarter of a year: January to March, and so on.',
    year: 'A year.',
  }),
});
const PeriodLength = builder.inputType('PeriodLength', {
  isOneOf: true,
  description: 'How long a span of time is, from 1 to 9999 of a unit.',
  fields: (t) => ({
    days: t.int({ description: 'Days.' }),
    weeks: t.int({ description: 'Weeks.' }),
    months: t.int({ description: 'Months.' }),
    years: t.int({ description: 'Years.' }),
  }),
});
const SearchPeriod = builder.inputType('SearchPeriod', {
  isOneOf: true,
  description: 'A span of time relative to the request, such as `{ this: YEAR }` or `{ last: { days: 90 } }`.',
  fields: (t) => ({
    this: t.field({ type: CalendarUnit, description: 'The day, week, month, quarter or year of the request.' }),
    previous: t.field({ type: CalendarUnit, description: 'The one before.' }),
    following: t.field({ type: CalendarUnit, description: 'The one after.' }),
    last: t.field({
      type: PeriodLength,
      description: 'As long before the request, up to it. Of days: those that end with the day of the request.',
    }),
    next: t.field({
      type: PeriodLength,
      description: 'As long after the request, from it on. Of days: those that begin with the day of the request.',
    }),
  }),
});

/** The type of a value of each kind, ids, records and places excepted, and that of a range of it. */
const valueTypes: Record<Exclude<ValueKind, 'id' | 'record' | PlaceKind>, { type: unknown; range?: unknown }> = {
  text: { type: 'String' },
  phone: { type: 'String' },
  instant: { type: 'SearchDate', range: DateRange },
  day: { type: 'SearchDate', range: DateRange },
  cents: { type: 'SafeInt', range: NumberRange },
  whole: { type: 'SafeInt', range: NumberRange },
  decimal: { type: 'Float', range: DecimalRange },
  flag: { type: 'Boolean' },
  gender: { type: Gender },
  ageCategory: { type: 'Int' },
  year: { type: 'Int', range: YearRange },
  validity: { type: SanctionValidity },
  answer: { type: 'String', range: TextRange },
};

type FieldOptions = { type: never; description: string };
/** Defines a field whose type the table decides. */
const defineField = (t: object, options: FieldOptions): never =>
  (t as { field(options: FieldOptions): never }).field(options);

const describe = (name: AttributeName): string => {
  const { doc, kind } = getAttribute(name);
  return `${capitalize(doc)}${kind === 'cents' ? ', in minor units: 9990 is 99.90 euros. Other currencies count only where `currency` names one' : ''}.`;
};

/** The options of the field of an operator: the type of its operand, and its meaning. */
const getOperandOptions = (operator: Operator, kind: ValueKind, field: string): FieldOptions => {
  const { doc, takes } = operators[operator];
  const described = { description: `${capitalize(doc)}.` };
  if (takes === 'nothing')
    return {
      type: 'Boolean' as never,
      description: `True: ${operators.ext.doc}; false: ${operators.not_ext.doc}.`,
    };
  if (operator === 'period') return { ...described, type: MonthDayRange as never };
  if (takes === 'period') return { description: 'Falls in this span of time.', type: SearchPeriod as never };
  if (kind === 'id')
    return {
      ...described,
      ...((takes === 'list' ? acceptIds : acceptId)(getTypeOfId(field, 'Contact')) as object),
    } as never;
  const { type, range } = valueTypes[kind as keyof typeof valueTypes];
  if (takes === 'range') return { ...described, type: range as never };
  return { ...described, type: (takes === 'list' ? [type] : type) as never };
};

const currencyOptions: FieldOptions = {
  type: 'String' as never,
  description: 'The currency of the amounts that count, by its code of ISO 4217; EUR when it is left out.',
};

type RecordQueryRef = ReturnType<typeof builder.inputRef<object>>;
/** The input of conditions on one record, by family. */
const recordQueries = new Map<string, RecordQueryRef>();

/** The field that may stand beside the operator of a condition: the currency of an amount, the records that a number counts. */
const describeBeside = (name: AttributeName): { field: string; says: string; options: FieldOptions } | undefined => {
  if (getAttribute(name).kind === 'cents')
    return { field: 'currency', says: 'a currency may stand', options: currencyOptions };
  const family = getAskedFamily(name);
  if (!family) return undefined;
  const type = recordQueries.get(family) as never;
  const description = `What a record must satisfy to be counted. Without it, all ${family} are.`;
  return { field: 'of', says: '`of` may say which of them are counted', options: { type, description } };
};

/** Defines the condition of an attribute: exactly one of its operators, which another field may stand beside. */
const defineCondition = (typeName: string, name: AttributeName, field: string) => {
  const { kind, operators: permitted } = getAttribute(name);
  const beside = describeBeside(name);
  return builder.inputType(typeName, {
    isOneOf: !beside,
    description: `A condition on: ${getAttribute(name).doc}. It has exactly one operator${beside ? `, beside which ${beside.says}` : ''}.`,
    fields: (t) =>
      Object.fromEntries([
        ...permitted.map((operator) => [
          operatorFields[operator],
          defineField(t, getOperandOptions(operator, kind, field)),
        ]),
        ...(beside ? [[beside.field, defineField(t, beside.options)]] : []),
      ]),
  });
};

/** Defines the input of an attribute. Conditions on answers also have the form. */
const defineAttribute = (typeName: string, name: AttributeName, field: string) => {
  const Condition = defineCondition(`${typeName}Condition`, name, field);
  if (!asksForForm(name)) return Condition;
  const isAnswer = getAttribute(name).kind === 'answer';
  return builder.inputType(`${typeName}Query`, {
    description: `A condition on: ${getAttribute(name).doc}.${isAnswer ? ' It has options, a value, or both.' : ''}`,
    fields: (t) => ({
      form: t.field({ ...acceptId('Form'), required: true, description: 'The form.' }),
      options: t.field({ ...acceptIds('FormOption'), description: 'Options of the form that must all be answered.' }),
      value: t.field({
        type: Condition,
        required: !isAnswer,
        description: 'What must hold for the answer; with options, for the answer under each of them.',
      }),
    }),
  });
};

const CoordinatesInput = builder.inputType('Coordinates', {
  description: 'A point on the earth.',
  fields: (t) => ({
    latitude: t.float({ required: true, description: 'Degrees north, -90 to 90.' }),
    longitude: t.float({ required: true, description: 'Degrees east, -180 to 180.' }),
  }),
});

/** Defines the input of each kind of place, which has no operators: `not` is for who does not live there. */
const definePlace: Record<PlaceKind, (typeName: string) => unknown> = {
  circle: (typeName) =>
    builder.inputType(typeName, {
      description:
        'A circle around exactly one of a point, a contact and a postal code. Where a contact or a code has no coordinates, it finds nobody, and `explainSearch` says so.',
      fields: (t) => ({
        point: t.field({ type: CoordinatesInput, description: 'Its centre.' }),
        contactId: t.field({ ...acceptId('Contact'), description: 'Its centre is where this contact lives now.' }),
        postalCode: t.string({
          description:
            'Its centre is the middle of the addresses with this postal code, of the first thousand contacts who have it.',
        }),
        km: t.float({
          required: true,
          description: `Its radius in kilometres, more than 0 and at most ${farthest}, along the surface of the earth.`,
        }),
      }),
    }),
  area: (typeName) =>
    builder.inputType(typeName, {
      description:
        'A polygon as GeoJSON has it. Its edges are straight in degrees; one that lies over the antimeridian is cut there in two, joined by `or`.',
      fields: (t) => ({
        polygon: t.field({
          type: t.listRef(t.listRef(t.listRef('Float'))),
          required: true,
          description:
            'The `coordinates` of a GeoJSON Polygon: its outer ring, then the rings of its holes. A ring is a list of positions `[longitude, latitude]`, of which the last is the first. A point on the outer ring lies within, one on the ring of a hole does not.',
        }),
      }),
    }),
};

const inputs = new Map<AttributeName, unknown>();

/** The field of an attribute; its input is defined once, and stands in conditions on one record too. */
const defineAttributeField = (t: object, field: string, name: AttributeName): never => {
  const typeName = getFieldPath(name).split('.').map(capitalize).join('');
  const place = getPlaceKind(name);
  const type = inputs.get(name) ?? (place ? definePlace[place](typeName) : defineAttribute(typeName, name, field));
  inputs.set(name, type);
  return defineField(t, { type: type as never, description: describe(name) });
};

/** Defines what one record of a family must satisfy: all that is given. */
const defineRecordQuery = (family: string, tree: ReadonlyMap<string, AttributeName>): void => {
  const RecordQuery: RecordQueryRef = builder.inputRef<object>(`${capitalize(family)}RecordQuery`);
  recordQueries.set(family, RecordQuery);
  RecordQuery.implement({
    description: `What one record of the ${family} must satisfy: all that is given. Nothing given is satisfied by every record.`,
    fields: (t) => ({
      and: t.field({ type: [RecordQuery], description: 'The record must satisfy all of these.' }),
      or: t.field({ type: [RecordQuery], description: 'The record must satisfy at least one of these.' }),
      not: t.field({ type: RecordQuery, description: 'The record must not satisfy this.' }),
      ...Object.fromEntries([...tree].map(([field, name]) => [field, defineAttributeField(t, field, name)])),
    }),
  });
};
for (const [family, tree] of recordTrees) defineRecordQuery(family, tree);

/** Defines the operators of records that satisfy conditions together. */
const defineTogether = (t: object, family: string): Record<string, never> =>
  Object.fromEntries(
    (isAttributeName(family) ? getAttribute(family).operators : []).map((operator) => [
      operatorFields[operator],
      defineField(t, {
        type: recordQueries.get(family) as never,
        description: `${capitalize(operators[operator].doc)}.`,
      }),
    ]),
  );

/** Defines the fields of attributes, and the inputs of families such as `address`. */
const defineFields = (t: object, tree: FieldTree): Record<string, never> =>
  Object.fromEntries(
    [...tree].map(([field, found]) => {
      if (typeof found === 'string') return [field, defineAttributeField(t, field, found)];
      const isRecord = recordQueries.has(field);
      const Family = builder.inputType(`${capitalize(field)}Query`, {
        isOneOf: true,
        description: `A condition on the ${field} of a contact.${isRecord ? ' What it says of a record must hold for at least one; `any`, `all`, `none` and `count` are for several conditions on the same record.' : ''}`,
        fields: (inner) => ({ ...defineTogether(inner, field), ...defineFields(inner, found) }),
      });
      const description = isRecord
        ? `Their ${field}: what is said of a record must hold for at least one.`
        : 'Their address.';
      return [field, defineField(t, { type: Family as never, description })];
    }),
  );

/** A query as GraphQL coerced it. */
type ContactQueryInput = object;

export const ContactQuery = builder.inputRef<ContactQueryInput>('ContactQuery');
ContactQuery.implement({
  isOneOf: true,
  description: `A query for contacts: a condition on one attribute, or \`and\`, \`or\` and \`not\` of queries, which nest ${queryDepth} levels deep.`,
  fields: (t) => ({
    and: t.field({ type: [ContactQuery], description: 'All of these must hold; none given is everybody.' }),
    or: t.field({ type: [ContactQuery], description: 'At least one of these must hold; none given is nobody.' }),
    not: t.field({
      type: ContactQuery,
      description: 'This must not hold: exactly the contacts that it does not find.',
    }),
    ...defineFields(t, fieldTree),
  }),
});
