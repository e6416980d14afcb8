// Writes the page of the documentation that lists every limit.
import {
  type GraphQLArgument,
  type GraphQLInputField,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql';
import { schema } from '../../schema/index.ts';
import { getListBound } from '../input/list-length.ts';
import { limits, limitTables, listSizes } from '../limits.ts';
import { problems } from '../problem.ts';
import { formatMarkdownTable, made } from './markdown.ts';

/** The title of each table of limits. */
const limitTitles: Record<keyof typeof limitTables, string> = {
  connection: 'Connections',
  request: 'Requests and answers',
  document: 'GraphQL documents',
  list: 'Pages and lists',
  value: 'Values',
  search: 'Searches',
};

/** Every list that clients can send, with its largest length. */
const collectListBounds = (): [place: string, most: number][] => {
  const rows = new Map<string, number>();
  const add = (place: string, { type, extensions }: GraphQLArgument | GraphQLInputField): void => {
    if (isListType(getNullableType(type))) rows.set(place, getListBound(extensions).most);
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) add(`${type.name}.${field.name}`, field);
    else if (isObjectType(type) && !type.name.startsWith('__'))
      for (const field of Object.values(type.getFields()))
        for (const argument of field.args) add(`${field.name}(${argument.name})`, argument);
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
};

const formatNumber = (value: number): string => value.toLocaleString('en-US');

/** Writes docs/limits.md: the tables of limits, and the bounds of lists in the schema. */
export const writeLimitsPage = (): string => `# Limits

${made}

The limits on what a client may send, request or keep open. All of them are active by default. The rate limit, the number of concurrent searches and the connections to the
database are settings (\`BUCKET_CAPACITY\`, \`BUCKET_REFILL\`, \`SEARCHES_PER_SPACE\`, \`POOL_SIZE\`: [settings](settings.md)). [Errors](errors.md) explains the codes.

${(Object.keys(limitTitles) as (keyof typeof limitTables)[])
  .map(
    (name) => `## ${limitTitles[name]}

${formatMarkdownTable(
  ['Limit', 'Applies to', 'Beyond it'],
  Object.values(limitTables[name] as Record<string, readonly [number, string, string, string]>).map(
    ([value, unit, of, beyond]) => [
      `${formatNumber(value)} ${unit}`,
      of,
      beyond in problems ? `\`${beyond}\`` : beyond,
    ],
  ),
)}`,
  )
  .join('\n\n')}

## Lists in requests

A longer list is refused before any of its items is read.

${formatMarkdownTable(
  ['List', 'Items at most'],
  collectListBounds().map(([place, most]) => [`\`${place}\``, formatNumber(most)]),
)}

## The cost of a GraphQL document

A document costs the sum of its root fields: 1 token each, or the cost that the field declares, plus 1 token for each ${formatNumber(limits.document.nodesPerToken)} records that it may yield. The
estimate comes before any read: it multiplies the sizes of pages, and of lists in the request, down the document. A list without pages
counts with the size in this table, whatever its length, and is answered completely. Stored operations keep the costs of the contract. A refused document
costs 1 token; a new one has paid for its root fields by then.

${formatMarkdownTable(
  ['List', 'Estimated records'],
  Object.entries(listSizes).map(([place, size]) => [`\`${place}\``, size]),
)}
`;
