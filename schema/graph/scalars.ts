// Scalars: whole numbers that JSON carries exactly, and times that stay text from the wire to the database and back, microseconds kept.
// User text never reaches a cast of the database.
import { GraphQLError, GraphQLScalarType, Kind, print, type ValueNode, valueFromASTUntyped } from 'graphql';
import {
  formatMicros,
  parseAbsoluteDate,
  parseDay,
  parseDate as parseSearchedDate,
} from '../../src/search/datetime.ts';

const refuse = (what: string, value: unknown): never => {
  throw new GraphQLError(`${what}, not ${JSON.stringify(value) ?? String(value)}`);
};

/** Specifications of the values, for `@specifiedBy`. */
const specifications = {
  safeInt: 'https://the-guild.dev/graphql/scalars/docs/scalars/safe-int',
  time: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  json: 'https://www.rfc-editor.org/rfc/rfc8259#section-3',
};

type Variables = Parameters<typeof valueFromASTUntyped>[1];

/** Parses a literal as its value would be parsed. Errors carry the literal's place in the document. */
const literally =
  <Value>(type: string, parse: (node: ValueNode, variables: Variables) => Value) =>
  (node: ValueNode, variables: Variables): Value => {
    try {
      return parse(node, variables);
    } catch (error) {
      const message = `Expected value of type "${type}", found ${print(node)}; ${(error as Error).message}`;
      throw new GraphQLError(message, { nodes: [node] });
    }
  };

const literal = (node: ValueNode): unknown =>
  node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : refuse('must be a number or a string', node.kind);

const parseWhole = (value: unknown): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (Number.isInteger(value) && Number(value) < 0)
    throw new GraphQLError(`must be at least ${Number.MIN_SAFE_INTEGER}`);
  throw new GraphQLError(
    Number.isInteger(value) || /^\d{16,}$/.test(String(value))
      ? `must be at most ${Number.MAX_SAFE_INTEGER}`
      : 'must be a whole number',
  );
};

/** The same values under two names: the public graph lacks the second. */
const defineWholeNumber = (name: string): GraphQLScalarType =>
  new GraphQLScalarType({
    name,
    description: 'A whole number that JSON carries exactly: of more than 32 bits, at most 9007199254740991.',
    specifiedByURL: specifications.safeInt,
    serialize: parseWhole,
    parseValue: parseWhole,
    parseLiteral: (node) => parseWhole(node.kind === Kind.INT ? Number(node.value) : undefined),
  });

/** The instant that an RFC 3339 text names, in UTC with six digits of a second; undefined when it names none. */
export const parseDateTime = (text: string): string | undefined => {
  const moment = parseAbsoluteDate(text);
  return moment && !moment.whole ? formatMicros(moment.at) : undefined;
};

/** PostgreSQL's text of a timestamp in UTC, of a column (`2026-11-21 02:56:41.1+00`) or in JSON (`…T…+00:00`), as RFC 3339. */
export const printDateTime = (text: string): string =>
  `${text.slice(0, 10)}T${text.slice(11).replace(/\+00(:00)?$/, '')}Z`;

const parseText =
  (parse: (text: string) => string | undefined, what: string) =>
  (value: unknown): string =>
    (typeof value === 'string' ? parse(value) : undefined) ?? refuse(what, value);

const dateTime = parseText(
  parseDateTime,
  'must be a date-time of RFC 3339 such as 2026-11-21T02:56:41Z, years 0001 to 9999',
);
const date = parseText(parseDay, 'must be a date such as 2026-11-21, or a date-time of RFC 3339, years 0001 to 9999');

const searchDate = parseText(
  (text) => (parseSearchedDate(text) ? text : undefined),
  'must be a date such as 2026-11-21, a date-time of RFC 3339, or relative such as now-30d',
);

export const DateTimeScalar = new GraphQLScalarType({
  name: 'DateTime',
  specifiedByURL: specifications.time,
  description:
    'An instant as RFC 3339 text with microseconds. Any offset is accepted; UTC is returned: `2026-11-21T02:56:41.123456Z`.',
  serialize: (value) => printDateTime(value as string),
  parseValue: dateTime,
  parseLiteral: literally('DateTime', (node) => dateTime(literal(node))),
});

export const scalars = [
  defineWholeNumber('SafeInt'),
  defineWholeNumber('WholeNumber'),
  DateTimeScalar,
  new GraphQLScalarType({
    name: 'Date',
    specifiedByURL: specifications.time,
    description:
      'A calendar day: `2026-11-21`. A date-time is accepted too, for its day as it is written: a day has no zone.',
    serialize: (value) => value as string,
    parseValue: date,
    parseLiteral: literally('Date', (node) => date(literal(node))),
  }),
  new GraphQLScalarType({
    name: 'SearchDate',
    specifiedByURL: specifications.time,
    description:
      'A date such as `2026-11-21`, which means its whole day in UTC; a date-time of RFC 3339; or a date relative to the instant of the request, such as `now`, `now-30d` or `now-1y/M`, which is rounded down to the month. Units: y M w d h m s.',
    parseValue: searchDate,
    parseLiteral: literally('SearchDate', (node) => searchDate(literal(node))),
  }),
  new GraphQLScalarType({
    name: 'QueryTree',
    specifiedByURL: specifications.json,
    description:
      'A query as the REST contract writes it: `{$all: [{$all: [{$condition: {attr, ope, value}}]}]}`, groups on exactly two levels.',
    parseValue: (value) => value,
    parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
  }),
  new GraphQLScalarType({
    name: 'ContactQueryJSON',
    specifiedByURL: specifications.json,
    description:
      'A `ContactQuery` as JSON: exactly what a variable of that type takes, so that a client can show it, change it and send it back.',
    parseValue: () => refuse('is never sent: send a ContactQuery', null),
  }),
];
