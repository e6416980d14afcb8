// The page of the documentation that lists every limit.
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

/** What a table of limits is about. */
const limitTitles: Record<keyof typeof limitTables, string> = {
  connection: 'Connections',
  request: 'Requests and answers',
  document: 'GraphQL documents',
  list: 'Pages and lists',
  value: 'Values',
  search: 'Searches',
};

/** Every list that can be sent, with the bound that its rules give it. */
const listRows = (): [place: string, most: number][] => {
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

const figure = (value: number): string => value.toLocaleString('en-US');

/** docs/limits.md: the tables of limits, and the bounds that the schema gives to lists. */
export const writeLimitsPage = (): string => `# Limits

${made}

What a client may send, ask for or hold. All limits are on by default; those of the rate limit, of searches under way and of the connections to the
database are settings (\`BUCKET_CAPACITY\`, \`BUCKET_REFILL\`, \`SEARCHES_PER_SPACE\`, \`POOL_SIZE\`: [settings](settings.md)). Codes are those of [errors](errors.md).

${(Object.keys(limitTitles) as (keyof typeof limitTables)[])
  .map(
    (name) => `## ${limitTitles[name]}

${formatMarkdownTable(
  ['Limit', 'Of what', 'Beyond it'],
  Object.values(limitTables[name] as Record<string, readonly [number, string, string, string]>).map(
    ([value, unit, of, beyond]) => [`${figure(value)} ${unit}`, of, beyond in problems ? `\`${beyond}\`` : beyond],
  ),
)}`,
  )
  .join('\n\n')}

## Lists that are sent

More items are refused by their number, before any of them is read.

${formatMarkdownTable(
  ['List', 'Items at most'],
  listRows().map(([place, most]) => [`\`${place}\``, figure(most)]),
)}

## What a GraphQL document costs

A document costs the sum of its root fields: 1 token each, or what the field says, plus 1 token for each ${figure(limits.document.nodesPerToken)} records that it may yield. The
records are reckoned before anything is read: the sizes of pages, and of lists that are sent, are multiplied down the document. A list that is not paged
counts with the size in this table, whatever it holds; all of it is answered. Stored operations behind REST keep the prices of the contract. A document
that is refused costs 1 token; one that was not sent before has paid for its root fields by then.

${formatMarkdownTable(
  ['List', 'Records reckoned'],
  Object.entries(listSizes).map(([place, size]) => [`\`${place}\``, size]),
)}
`;
