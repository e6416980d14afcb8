// Writes what is derived from the code and committed: the SDL, the stored operations, the tables of the documentation, the schema of the database.
// `node --import tsx codegen.ts` writes; with --check it writes nothing and fails when a file has drifted.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type FragmentDefinitionNode,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  validate,
  visit,
} from 'graphql';
import { schema } from './schema/index.ts';
import { settingRows } from './src/config.ts';
import { writeLimitsPage } from './src/docs/limits.ts';
import { formatMarkdownTable, made } from './src/docs/markdown.ts';
import { writeSchemaSql } from './src/docs/schema-sql.ts';
import { problems } from './src/problem.ts';

const sdl = (): string => `# ${made}\n\n${printSchema(lexicographicSortSchema(schema))}\n`;

/** Each operation of src/rest/*.graphql with the fragments it needs; a document that the schema refuses stops here. */
const operations = (): string => {
  const folder = 'src/rest/';
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.graphql'))
    .sort();
  const document = parse(files.map((file) => readFileSync(folder + file, 'utf8')).join('\n'), { noLocation: true });
  const faults = validate(schema, document);
  if (faults.length > 0) throw new Error(`src/rest/*.graphql: ${faults.map((fault) => fault.message).join('; ')}`);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const entries = document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
    const needed = new Set<string>();
    const collect = (node: Parameters<typeof visit>[0]): void => {
      visit(node, {
        FragmentSpread: ({ name: { value } }) => {
          if (needed.has(value)) return;
          needed.add(value);
          collect(fragments.get(value)!);
        },
      });
    };
    collect(definition);
    const text = [definition, ...[...needed].map((name) => fragments.get(name)!)].map(print).join('\n\n');
    return [`  ${definition.name!.value}: \`${text}\`,\n`];
  });
  return `// ${made}\n\nexport const operations = {\n${entries.join('')}} as const;\n`;
};

const errors = (): string => `# Errors

${made}

Every refusal has a code. REST answers it as \`application/problem+json\`, where \`type\` is \`urn:muster:problem:<code>\`;
GraphQL answers it in \`errors[].extensions.code\`, with the status in \`extensions.status\` and \`locations\` where the fault has a place in the document.

Where several things are wrong, \`errors\` (of GraphQL \`extensions.errors\`) lists them all, 100 at most, each with \`location\`, \`message\` and the \`value\` that was found:
\`body.data.tags[1].name\` of a REST body, \`input.tags[1].name\` of the arguments of a GraphQL field. A record that is refused for its form is looked up as well: ids, forms and values that
are not in the space are told in the same answer.

GraphQL answers as \`application/json\` or \`application/graphql-response+json\`, by what \`Accept\` prefers. A document or variables that are at fault have the status 200 in the first,
and that of the code in the second. All other refusals have their status in both.

${formatMarkdownTable(
  ['Code', 'Status', 'Title', 'When'],
  Object.entries(problems).map(([code, [status, title, when]]) => [`\`${code}\``, status, title, when]),
)}
`;

const search = async (): Promise<string> => {
  const [
    { attributes, getAttribute },
    { operators },
    { kindRows },
    { conditionLimit, valueLimit },
    { sortNames },
    { convertToGraphName },
  ] = await Promise.all([
    import('./src/search/attributes.ts'),
    import('./src/search/operators.ts'),
    import('./src/search/operand.ts'),
    import('./src/search/parse.ts'),
    import('./src/search/sort.ts'),
    import('./schema/search-input.ts'),
  ]);
  const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
  const rows = (Object.keys(attributes) as (keyof typeof attributes)[]).map((name) => {
    const { kind, doc, operators: permitted } = getAttribute(name);
    return [`\`${name}\``, doc, kind, code(permitted)];
  });
  return `# Searching contacts

${made}

A search is a tree of conditions: an attribute, an operator, and a value to compare with. \`POST /search\` takes it in the notation of the contract,
GraphQL's \`searchContacts\` as typed inputs. Both find the same contacts.

\`\`\`json
{"data": {"advanced_search": {"per_page": 50, "sort_attr": "surname", "sort_asc": true, "query": {"$all": [
  {"$all": [{"$condition": {"attr": "gender", "ope": "eql", "value": "F"}},
            {"$condition": {"attr": "birthdate", "ope": "range", "from": "now-35y", "to": "now-18y"}}]},
  {"$at_least_one": [{"$condition": {"attr": "tags.name", "ope": "any_of", "value": ["Sympathisant", "Bénévole"]}},
                     {"$condition": {"attr": "donations.sum_amount", "ope": "gte", "value": "100"}}]}]}}}}
\`\`\`

\`\`\`graphql
{
  searchContacts(first: 50, sortBy: surname, ascending: true, query: { all: [
    { condition: { attribute: gender, operator: eql, value: "F" } }
    { condition: { attribute: birthdate, operator: range, from: "now-35y", to: "now-18y" } }
    { any: [
      { condition: { attribute: tags_name, operator: any_of, values: ["Sympathisant", "Bénévole"] } }
      { condition: { attribute: donations_sum_amount, operator: gte, value: "100" } }
    ] }
  ] }) { totalCount nodes { id firstname surname } pageInfo { hasNextPage endCursor } }
}
\`\`\`

## What it means

- Text is compared without regard to case, accents and surrounding space; \`%\`, \`_\` and \`\\\` are plain characters. Phones are compared by their digits.
- **Conditions on the contact's own values** (its fields, address, tags, actions, answers) are negated as a whole: \`not_eql\` finds every contact that \`eql\` does not, also those without a value.
- **Conditions on records** (transactions, donations, memberships, emails, sanctions) match when at least one record does: \`not_eql\` asks for a record whose value is set and differs,
  \`not_ext\` for one whose field is empty. Two conditions may be satisfied by two records. A sum or a count over no records is 0.
- A date alone means its whole day in UTC; \`now\`, \`now-30d\`, \`now-1y/M\` (rounded down to the month) are relative to the one instant of the request. Units: \`y M w d h m s\`.
- The order is total: by the sort key, with contacts that have no value last in both directions, then by id. Sort keys: ${code(sortNames)}.
- Pages by number continue each other: page n + 1 begins after the last contact of page n, when the same token requests it within ten minutes, with the same search and
  page size. So no contact is missed or repeated while others write. Any other page is the page of its moment. A page that is requested again begins where it began before.
- \`POST /search\` takes groups on exactly two levels; in GraphQL, groups may nest eight deep. A query has at most ${conditionLimit} conditions, and ${valueLimit} values in their lists.
- \`POST /kpi\` and \`totalCount\` count the matches. Nothing is counted unless it is requested (\`with_total\` on \`POST /search\`).
- \`explainSearch\` reports for every group and condition how many contacts it finds alone, how fast, and by which indexes.

## Attributes

In GraphQL \`_\` stands for \`.\`: \`${convertToGraphName('transactions.sum_amount')}\`.

${formatMarkdownTable(['Attribute', 'Meaning', 'Kind', 'Operators'], rows)}

## Operators

In GraphQL \`_\` stands for \`:\`: \`${convertToGraphName('eql:strictdata')}\`.

${formatMarkdownTable(
  ['Operator', 'Meaning', 'Takes'],
  Object.entries(operators).map(([name, { doc, takes }]) => [`\`${name}\``, doc, takes]),
)}

## Kinds

${formatMarkdownTable(
  ['Kind', 'A value is'],
  kindRows.map(({ kind, want }) => [kind, want]),
)}
`;
};

const rest = async (): Promise<string> => {
  const [{ routes }, { compileStoredOperations }] = await Promise.all([
    import('./src/rest/routes/index.ts'),
    import('./src/rest/stored.ts'),
  ]);
  const stored = compileStoredOperations(schema);
  const rows = routes.map((route) => [
    `\`${route.method} ${route.path.replaceAll('#}', '}')}\``,
    route.summary,
    route.status ?? 200,
    route.cost ?? stored[route.operation].cost,
    (route.aliases ?? []).map((alias) => `\`${alias.replaceAll('#}', '}')}\``).join(', '),
  ]);
  return `# REST routes

${made}

Every route needs \`Authorization: Bearer <ACCESS_TOKEN>\`. The shapes of requests and replies are in [openapi.json](../openapi.json).

Every write takes \`Idempotency-Key\`: 1 to 255 visible ASCII characters, chosen by the client, of one user in one space. It is done once; who sends it
again within 24 hours is given the same answer, byte for byte, with \`Idempotency-Replayed: true\`. While the first is under way the answer is 409, and
to another request with the same key 422. A refusal is not kept: it can be tried again. GraphQL mutations take the header too.

\`ETag\` is the version of a contact or a team. \`If-None-Match\` spares the reading of what has not changed (304); \`If-Match\` on a change refuses
it with 412 when somebody else has changed the record since.

Clients send back whole records. What is not known is ignored, and what says nothing new changes nothing: no version, no \`UpdatedAt\`. Where a record has one value under two names
(\`birthcity\` and \`birth_city\`), the one that differs from what is stored counts; when both do, and differ from each other, the answer is 400. A body in which nothing is known is 400.

An empty text is no value. In \`POST /contacts/upsert\` it was not given; in any other write it is null. \`null\` clears. Lists of an upsert (\`tags\`, \`action_ids\`, \`formdatas\`) are added to;
those of a PATCH replace. \`notes\` without an id are added, once. A new mail must be a mail address, a new phone holds a digit, new coordinates are on earth, and a new answer to a form of numbers or
dates is one; what is stored from before may be sent back.

${formatMarkdownTable(['Route', 'Does', 'Status', 'Cost', 'Also at'], rows)}
`;
};

const recordFiles = async (): Promise<string> => {
  const { listRecordColumns, recordTypeNames } = await import('./src/import/families.ts');
  const parts = recordTypeNames.map((name) => {
    const rows = listRecordColumns(name).map(({ name: column, kind, required, says }) => [
      `\`${column}\``,
      says ? kind : '',
      required ? 'yes' : '',
      says ?? 'Written by an export; passed over by an import.',
    ]);
    return `## ${name}\n\n${formatMarkdownTable(['Column', 'Kind', 'Required', 'Meaning'], rows)}\n`;
  });
  return `# Columns of files of records

${made}

What \`muster import\` and \`muster export\` know of each family; [importing.md](importing.md) tells how to use them. In CSV: \`number\` is a whole
number, \`flag\` true or false (or yes, no, 1, 0), \`day\` a date as \`--days\` has it, \`instant\` a date-time of RFC 3339 or such a date for its midnight
in UTC, \`json\` a list as JSON. NDJSON has the values themselves.

${parts.join('\n')}`;
};

const settings = (): string => `# Settings

${made}

Settings are read from the environment.

${formatMarkdownTable(
  ['Name', 'Default', 'Meaning'],
  settingRows.map(({ name, fallback, meaning }) => [
    `\`${name}\``,
    fallback === undefined ? '' : `\`${fallback}\``,
    meaning,
  ]),
)}
`;

/** Imported only once the stored operations are written, since it is derived from them. */
const openapi = async (): Promise<string> => {
  const { describeOpenApi } = await import('./src/rest/openapi.ts');
  return `${JSON.stringify(describeOpenApi(schema), null, 2)}\n`;
};

/** In this order: later ones are derived from earlier ones. */
const files: [path: string, make: () => string | Promise<string>][] = [
  ['schema/schema.graphql', sdl],
  ['src/rest/operations.ts', operations],
  ['docs/errors.md', errors],
  ['docs/limits.md', writeLimitsPage],
  ['docs/settings.md', settings],
  ['docs/rest.md', rest],
  ['docs/search.md', search],
  ['docs/record-columns.md', recordFiles],
  ['docs/schema.sql', writeSchemaSql],
  ['openapi.json', openapi],
];

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

const checking = process.argv.includes('--check');
for (const [path, make] of files) {
  const text = await make();
  if (read(path) === text) continue;
  console.log(`${checking ? 'drifted' : 'written'}: ${path}`);
  if (checking) process.exitCode = 1;
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
