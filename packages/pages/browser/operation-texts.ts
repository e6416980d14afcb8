// An operation of GraphiQL as texts to copy: a link, a curl command, a program in TypeScript, and one with Apollo. None has the token.

/** The content of a tab: the document, its variables as JSON, and the operation that was run, for documents with several. */
export interface Tab {
  query: string;
  variables: string;
  chosen?: string | undefined;
}

/** Texts and comments, in which a word has no meaning. */
const ignored = /"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|#.*/g;

/** The operations of a document. One without its type, and without a name, is not among them. */
const listOperations = (query: string): { type: string; name?: string | undefined }[] => {
  const operations: ReturnType<typeof listOperations> = [];
  let depth = 0;
  const marks = /[{(]|[)}]|\b(query|mutation|subscription)\b\s*([_A-Za-z]\w*)?/g;
  for (const [mark, type, name] of query.replace(ignored, '').matchAll(marks)) {
    if (/[{(]/.test(mark)) depth++;
    else if (/[)}]/.test(mark)) depth--;
    else if (depth === 0) operations.push({ type: type!, name });
  }
  return operations;
};

const findOperation = ({ query, chosen }: Tab) => {
  const operations = listOperations(query);
  const { type, name } = operations.find((one) => one.name === chosen) ?? operations[0] ?? { type: 'query' };
  return { type, operationName: name, isAlone: operations.length < 2 };
};

/** Throws a SyntaxError for variables that are no JSON. */
const readTab = (tab: Tab) => {
  const { query, variables } = tab;
  const given: unknown = variables.trim() === '' ? undefined : JSON.parse(variables);
  return { ...findOperation(tab), query, variables: given };
};

/** The address is that of the page. The part after `#` stays in the browser. */
export const writeLink = (address: string, tab: Tab): string => {
  const { operationName } = findOperation(tab);
  const { query, variables } = tab;
  const parts = { query, ...(variables.trim() && { variables }), ...(operationName && { operationName }) };
  return `${address}#${new URLSearchParams(parts)}`;
};

export const writeCurl = (address: string, tab: Tab): string => {
  const { query, variables, operationName, type } = readTab(tab);
  const body = JSON.stringify({ query, variables, operationName }).replaceAll("'", "'\\''");
  const stream = type === 'subscription' ? " -N -H 'Accept: text/event-stream'" : '';
  return `curl -s${stream} ${address} -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${body}'`;
};

const hint = '// TOKEN is your access token.';
const authorization = `Authorization: \`Bearer \${process.env.TOKEN}\``;

const quoteText = (text: string): string => `\`${text.replace(/[\\`]|\$\{/g, '\\$&')}\``;

/** JSON within a line that is indented so far. */
const indentJson = (value: unknown, spaces: number): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);

/** A program for Node, and for browsers with another place of the token. */
export const writeTypeScript = (address: string, tab: Tab): string => {
  const { query, variables, operationName, type } = readTab(tab);
  const isStream = type === 'subscription';
  const accept = isStream ? ", Accept: 'text/event-stream'" : '';
  const read = isStream
    ? `if (!response.ok) throw new Error(await response.text());
for await (const events of response.body!.pipeThrough(new TextDecoderStream())) console.log(events);`
    : `const { data, errors } = (await response.json()) as { data?: unknown; errors?: { message: string }[] };
if (errors) throw new Error(errors.map(({ message }) => message).join('\\n'));
console.log(JSON.stringify(data, null, 2));`;
  return `${hint}
const response = await fetch('${address}', {
  method: 'POST',
  headers: { ${authorization}, 'Content-Type': 'application/json'${accept} },
  body: JSON.stringify({
    query: ${quoteText(query)},${variables === undefined ? '' : `\n    variables: ${indentJson(variables, 4)},`}${operationName ? `\n    operationName: '${operationName}',` : ''}
  }),
});
${read}
`;
};

/** A program with Apollo Client 4. Throws for a document with several operations, which Apollo refuses. */
export const writeApollo = (address: string, tab: Tab): string => {
  const { query, variables, type, isAlone } = readTab(tab);
  if (!isAlone) throw new Error('Apollo takes one operation at a time');
  const [method, field] = { query: ['query', 'query'], mutation: ['mutate', 'mutation'] }[type] ?? [
    'subscribe',
    'query',
  ];
  const call = `client.${method}({
  ${field}: gql${quoteText(query)},${variables === undefined ? '' : `\n  variables: ${indentJson(variables, 2)},`}
})`;
  const read =
    method === 'subscribe'
      ? `${call}.subscribe(({ data }) => console.log(data));`
      : `const { data } = await ${call};\nconsole.log(JSON.stringify(data, null, 2));`;
  return `${hint}
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';

const client = new ApolloClient({
  link: new HttpLink({ uri: '${address}', headers: { ${authorization} } }),
  cache: new InMemoryCache(),
});

${read}
`;
};
