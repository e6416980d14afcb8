// Writes the page of the documentation that lists every limit.
import {
  type GraphQLArgument,
  type GraphQLInputField,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql';
import { schema } from '../schema/index.ts';
import { getListBound } from '../src/input/list-length.ts';
import { limits, limitTables, listSizes } from '../src/limits/limits.ts';
import { problems } from '../src/problem.ts';
import { formatMarkdownTable, made } from './format.ts';

/** The title of each table of limits. */
const limitTitles: Record<keyof typeof limitTables, string> = {
  connection: 'Connections',
  request: 'Requests and answers',
  document: 'GraphQL documents',
  list: 'Pages and lists',
  value: 'Values',
  search: 'Searches',
  duplicates: 'Duplicates',
  bulk: 'Changes of many contacts',
  import: 'Files that are sent to be imported',
  change: 'The change feed',
  subscription: 'Subscriptions',
  webhook: 'Webhooks',
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

A document costs the sum of its root fields, and more when it may yield many records.

- **Root fields** cost 1 point each, or the \`weight\` of their \`@cost\` in [schema.graphql](../schema/schema.graphql). Each alias is a field of its own. Fields that \`@skip\` or
  \`@include\` leaves out count too.
- **Records**: the first ${formatNumber(limits.document.nodesPerToken)} are included. Each further ${formatNumber(limits.document.nodesPerToken)}, also begun ones, cost 1 point: ${formatNumber(limits.document.nodesPerToken + 1)} records cost 1 point more, ${formatNumber(2 * limits.document.nodesPerToken + 1)} cost 2 more.
- A document that may yield **more than ${formatNumber(limits.document.nodes)} records** is refused (\`query-too-large\`). The message has the estimate, the limit, and the field that yields most of the records.
- Stored operations, and so all REST routes, have the costs of the contract, whatever they yield.
- A refused document costs 1 point, or the price of its root fields if the server has not seen it before.

The estimate comes before any read, from the document and its variables. The content of the space does not matter:

- Every object in an answer is a record, except connections, edges, and payloads without an id. \`Money\`, \`Address\` and \`PageInfo\` count.
- A page has as many records as \`first\`, \`last\` or \`limit\` says. Without a value, or with null, it has the default of the field.
- Sizes are multiplied down the document: \`{ contacts(first: 100) { nodes { emails { id } } } }\` yields 100 contacts and the e-mails of each.
- A list in the payload of a mutation is as long as the longest list of ids or inputs that is sent to the mutation.
- Another list without page arguments has the size in the following table, whatever its length, and is answered completely.
- Aliases of one list count separately. So do fragments on different types, though an object has only one type.

${formatMarkdownTable(
  ['List', 'Estimated records'],
  Object.entries(listSizes).map(([place, size]) => [`\`${place}\``, size]),
)}
`;
