// The question of a segment as texts to copy: a GraphQL document, a REST body, a curl command and a TypeScript program.
import type { TreeResult } from './contract-tree.ts';
import type { Json } from './graph-query.ts';

/** Values of enums, which have no quotes in GraphQL. Their fields are the only ones whose texts are enums. */
const enumPaths = [/(^|\.)(gender|validity)\.(equals|notEquals)$/, /\.within\.(this|previous|following)$/];

const lineWidth = 90;

/** A value in the syntax of GraphQL. A line that would be too long is broken at its parts. */
const printValue = (value: Json, path: string, indent: string): string => {
  if (typeof value === 'string')
    return enumPaths.some((one) => one.test(path)) ? value : JSON.stringify(value).replaceAll('\u2028', '\\u2028');
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const printAll = (below: string): string[] =>
    isList
      ? value.map((one) => printValue(one, path, below))
      : Object.entries(value).map(
          ([name, one]) => `${name}: ${printValue(one, path ? `${path}.${name}` : name, below)}`,
        );
  const [open, close] = isList ? (['[', ']'] as const) : (['{', '}'] as const);
  const parts = printAll(indent);
  if (parts.length === 0) return open + close;
  const line = isList ? `${open}${parts.join(', ')}${close}` : `${open} ${parts.join(', ')} ${close}`;
  if (!line.includes('\n') && line.length + indent.length <= lineWidth) return line;
  return `${open}\n${printAll(inner)
    .map((part) => `${inner}${part}`)
    .join('\n')}\n${indent}${close}`;
};

const selection = `totalCount
    nodes { id firstName lastName email }
    pageInfo { hasNextPage endCursor }`;

export const writeGraphql = (query: Json | undefined): string =>
  `query Segment {
  searchContacts(first: 50${query === undefined ? '' : `, query: ${printValue(query, '', '  ')}`}) {
    ${selection}
  }
}
`;

/** The body of `POST /search`; undefined when the segment has no tree. */
export const writeRestBody = (result: TreeResult): string | undefined =>
  'tree' in result
    ? `${JSON.stringify({ data: { advanced_search: { per_page: 50, with_total: true, query: result.tree } } }, null, 2)}\n`
    : undefined;

/** Quotes a text for a POSIX shell. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const program = `query Segment($query: ContactQuery, $after: String) {
  searchContacts(first: 500, query: $query, after: $after) {
    ${selection}
  }
}`;

export const writeCurl = (origin: string, query: Json | undefined): string => {
  const body = JSON.stringify({
    query: program.replace(/\s+/g, ' '),
    ...(query !== undefined && { variables: { query } }),
  });
  return `curl -s ${origin}/graphql \\
  -H "Authorization: Bearer $MUSTER_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d ${quoteForShell(body)}
`;
};

export const writeTypeScript = (
  origin: string,
  query: Json | undefined,
): string => `// Prints everyone in the segment. Run it with: MUSTER_TOKEN=… npx tsx segment.ts
const query = ${query === undefined ? 'undefined' : JSON.stringify(query, null, 2)};

const document = \`${program}\`;

interface Person {
  id: string;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
}

interface Answer {
  data?: { searchContacts: { nodes: Person[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } };
  errors?: { message: string }[];
}

async function* findPeople(): AsyncGenerator<Person> {
  for (let after: string | null = null; ; ) {
    const response = await fetch('${origin}/graphql', {
      method: 'POST',
      headers: { Authorization: \`Bearer \${process.env.MUSTER_TOKEN}\`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: document, variables: { query, after } }),
    });
    const { data, errors } = (await response.json()) as Answer;
    if (!data) throw new Error(errors?.map(({ message }) => message).join('; ') ?? \`status \${response.status}\`);
    const { nodes, pageInfo } = data.searchContacts;
    yield* nodes;
    if (!pageInfo.hasNextPage) return;
    after = pageInfo.endCursor;
  }
}

for await (const { id, firstName, lastName, email } of findPeople())
  console.log([id, firstName, lastName, email].join('\\t'));
`;
