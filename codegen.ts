// Writes the derived files that are committed: the SDL, the stored operations, the tables of the documentation, the schema of the database.
// `node --import tsx codegen.ts` writes them. With --check it writes nothing and fails when a file has drifted.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kind, parse, print, validate } from 'graphql';
import { writeClientAttributes, writeClientProblems } from './codegen/client.ts';
import { writeDecisionsPage } from './codegen/decisions.ts';
import { formatJson, formatMarkdownTable, made } from './codegen/format.ts';
import { writeLimitsPage } from './codegen/limits.ts';
import { writeMetricsPage } from './codegen/metrics.ts';
import { checksumsPath, writeMigrationChecksums } from './codegen/migration-checksums.ts';
import { printOperations } from './codegen/operations.ts';
import { writePermissionsPage } from './codegen/permissions.ts';
import { writeRestPage } from './codegen/rest.ts';
import { writeSchemaSql } from './codegen/schema-sql.ts';
import { printSdl } from './codegen/sdl.ts';
import { writeAppTypes, writeClientDocuments } from './codegen/typed-documents.ts';
import appSettings from './examples/app/codegen.ts';
import { legacySchema, schema } from './schema/index.ts';
import { settingRows } from './src/config/config.ts';
import { problems } from './src/problem.ts';

const writeSdl = (): string => `# ${made}\n\n${printSdl(schema)}\n`;

/** Writes each operation of src/rest/*.graphql with its fragments. Throws for a document that the schema refuses. */
const writeOperations = (): string => {
  const folder = 'src/rest/';
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.graphql'))
    .sort();
  const document = parse(files.map((file) => readFileSync(folder + file, 'utf8')).join('\n'), { noLocation: true });
  const faults = validate(legacySchema, document);
  if (faults.length > 0) throw new Error(`src/rest/*.graphql: ${faults.map((fault) => fault.message).join('; ')}`);
  const fragments = document.definitions.flatMap((one): [name: string, text: string][] =>
    one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, print(one)]] : [],
  );
  const constants = fragments.map(([name, text]) => `const ${name} = \`${text}\`;\n`);
  const entries = printOperations(document).map(({ name, text }) => {
    const short = fragments.reduce((rest, [fragment, whole]) => rest.replace(whole, `\${${fragment}}`), text);
    return `  ${name}: \`${short}\`,\n`;
  });
  return `// ${made}\n\n${constants.join('')}\nexport const operations = {\n${entries.join('')}} as const;\n`;
};

const writeErrorsPage = (): string => `# Errors

${made}

Every problem has a code, and each code a page with causes and remedies. REST answers \`application/problem+json\`, where \`type\` is \`urn:muster:problem:<code>\`.
GraphQL has the code in \`errors[].extensions.code\` and the status in \`extensions.status\`, and \`locations\` if the fault is in the document.

\`errors\` (in GraphQL \`extensions.errors\`) lists all faults, 100 at most, each with \`location\`, \`message\` and the \`value\`. A location is
\`body.data.tags[1].name\` in a REST body, and \`input.tags[1].name\` in the arguments of a GraphQL field. The same answer lists ids, forms and values that
are not in the space.

GraphQL answers \`application/json\` or \`application/graphql-response+json\`, as \`Accept\` prefers. Faults of a document or its variables have status 200 in the first,
and the status of the code in the second. All other problems have their status in both.

${formatMarkdownTable(
  ['Code', 'Status', 'Title', 'When'],
  Object.entries(problems).map(([code, [status, title, when]]) => [
    `[\`${code}\`](errors/${code}.md)`,
    status,
    title,
    when,
  ]),
)}
`;

const writeSearchPage = async (): Promise<string> => {
  const [
    { attributes, getAttribute, getPlaceKind },
    { operators },
    { kindRows },
    { conditionLimit, valueLimit },
    { sortNames },
    { getFieldPath, operatorFields },
    { queryDepth },
    { searchedAs, unrecorded, unsearched },
  ] = await Promise.all([
    import('./src/search/attributes.ts'),
    import('./src/search/operators.ts'),
    import('./src/search/operand.ts'),
    import('./src/search/parse.ts'),
    import('./src/search/sort.ts'),
    import('./src/search/field-names.ts'),
    import('./src/search/parse-contact-query.ts'),
    import('./src/search/unsearched.ts'),
  ]);
  const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
  const rows = (Object.keys(attributes) as (keyof typeof attributes)[]).map((name) => {
    const { kind, doc, operators: permitted } = getAttribute(name);
    const fields = [...new Set(permitted.map((operator) => operatorFields[operator]))];
    return [
      `\`${getFieldPath(name)}\``,
      `\`${name}\``,
      doc,
      kind,
      getPlaceKind(name) ? 'none' : code(fields),
      code(permitted),
    ];
  });
  return `# Searching contacts

${made}

A search is a tree of conditions: an attribute, an operator, and a value to compare with. GraphQL's \`searchContacts\` takes it as typed inputs,
\`POST /search\` in the notation of the contract. Both find the same contacts. \`searchContactsByTree\` takes the contract's notation in GraphQL.

\`\`\`graphql
{
  searchContacts(first: 50, orderBy: { field: LAST_NAME }, query: { and: [
    { gender: { equals: F } }
    { birthDate: { between: { from: "now-35y", to: "now-18y" } } }
    { or: [
      { tags: { in: ["Sympathisant", "Bénévole"] } }
      { donations: { total: { gte: 10000 } } }
    ] }
  ] }) { totalCount nodes { id firstName lastName } pageInfo { hasNextPage endCursor } }
}
\`\`\`

\`\`\`json
{"data": {"advanced_search": {"per_page": 50, "sort_attr": "surname", "sort_asc": true, "query": {"$all": [
  {"$all": [{"$condition": {"attr": "gender", "ope": "eql", "value": "F"}},
            {"$condition": {"attr": "birthdate", "ope": "range", "from": "now-35y", "to": "now-18y"}}]},
  {"$at_least_one": [{"$condition": {"attr": "tags.name", "ope": "any_of", "value": ["Sympathisant", "Bénévole"]}},
                     {"$condition": {"attr": "donations.sum_amount", "ope": "gte", "value": "100"}}]}]}}}}
\`\`\`

## Meaning

- Text is compared without regard to case, accents and surrounding space; \`%\`, \`_\` and \`\\\` are plain characters. Phones are compared by their digits.
- A part of a GraphQL query is an object with exactly one field: an attribute with exactly one operator, or \`and\`, \`or\` or \`not\`. Attributes of the address and of records are below \`address\` and the name of the records:
  \`{ address: { city: { startsWith: "Ly" } } }\`. GraphQL refuses a wrong combination, such as an operator that the attribute does not permit, before it runs anything.
- **Conditions on the contact's own values** (its fields, address, tags, actions, answers) are negated as a whole: \`notEquals\` finds every contact that \`equals\` does not, also those without a value.
- **Conditions on records** (transactions, donations, memberships, emails, sanctions, notes, interactions) match when at least one record does: \`notEquals\` asks for a record whose value is set and differs,
  \`exists: false\` for one whose field is empty. Different records may satisfy different conditions. A sum or a count over no records is 0.
- **Conditions that one record satisfies together** are below \`any\` (at least one record satisfies them), \`all\` (every record does, also where there is none), \`none\` (no record does) or \`count\` (how many do):
  \`{ donations: { any: { amount: { gte: 10000 }, paymentMethodKind: { equals: "cheque" }, transactionDate: { gte: "now-1y" } } } }\`, \`{ donations: { count: { of: { amount: { gte: 10000 } }, gte: 2 } } }\`. All given fields must hold; \`and\`, \`or\` and
  \`not\` of the same kind may stand among them. There \`notEquals\` asks for a value that is set and differs, and \`not\` finds every record that its condition does not find. Without conditions, \`any: {}\` finds those who have records, \`none: {}\` those who have none.
  In the contract's notation the family is the attribute, and the conditions are a list \`$all\` or \`$at_least_one\` beside the operator: \`{"attr": "donations", "ope": "any", "$all": [{"$condition": {"attr": "donations.amount", "ope": "gte", "value": "100"}}, …]}\`,
  \`{"attr": "donations.count_amount", "ope": "gte", "value": "2", "$all": [{"$condition": …}]}\`. Each of them counts towards the conditions of the query.
- **\`not\`** finds exactly the contacts that the query within it does not find. So \`{ not: { emails: { openedAt: { exists: true } } } }\` finds those who opened none, and also those who got none.
- **Answers** have the form beside the condition: \`{ answer: { form: "Form:3", value: { gte: "5" } } }\`. With \`options\`, the contact must have answered each of them, and the condition must hold for each answer.
- Amounts are in minor units in GraphQL (\`10000\`), and in euros in the contract's notation (\`"100"\`). Conditions on amounts and totals count only records in euros. A \`currency\` beside the operator or the value names another one:
  \`{ donations: { total: { gte: 100000, currency: "JPY" } } }\`, \`{"attr": "donations.sum_amount", "ope": "gte", "value": "100000", "currency": "JPY"}\`. The value is then in that currency, with as many decimals as it has: yen have none, so
  both examples ask for 100,000 yen. The number of records (\`count\`, \`count_amount\`) includes all currencies.
- A date alone means its whole day in UTC; \`now\`, \`now-30d\`, \`now-1y/M\` (rounded down to the month) are relative to the one instant of the request. Units: \`y M w d h m s\`.
- **Spans of time** work for every day and instant: \`{ createdAt: { within: { this: YEAR } } }\`, \`{ previous: MONTH }\`, \`{ following: WEEK }\`, \`{ last: { days: 90 } }\`, \`{ next: { months: 6 } }\`; in the contract's notation
  \`{"attr": "CreatedAt", "ope": "within", "value": "this_year"}\`, \`previous_month\`, \`following_week\`, \`last_90_days\`, \`next_6_months\`. Units of the calendar are in UTC, with weeks from Monday. For an instant, the last 90 days are the 90 times 24 hours before the request;
  for a day, they are the 90 days that end with the day of the request, and the next 90 days begin with it.
- A part of the year (\`inPeriod\`, \`period\`) names days that exist in some year: \`02-29\` is one, \`02-30\` and \`06-31\` are refused. A person born on 29 February counts on 29 February in every year: in \`02-28/03-01\`, but not in a part
  that ends on 28 February, nor in one that begins on 1 March. To include them there, let the part end or begin on \`02-29\`.
- A day has no zone: for a day, such as a birthdate, a date-time means the day that is written in it, whatever its offset.
- The order is total: by the sort key, with contacts that have no value last in both directions, then by id, ascending. Sort keys: ${code(sortNames)};
  in GraphQL \`ID\` and the names of the fields (\`LAST_NAME\`). Without an order, contacts are sorted by id.
- \`searchContacts\` pages by cursors in both directions, with \`first\` and \`after\`, or \`last\` and \`before\`.
- Pages by number (\`POST /search\`, \`searchContactsByTree\`) continue each other: page n + 1 begins after the last contact of page n, when the same token requests it within ten minutes, with the same search and
  page size. So no contact is missed or repeated while others write. Any other page shows the contacts of its moment. A page that is requested again begins where it began before.
- The contract's notation has groups on exactly two levels; in GraphQL, \`and\`, \`or\` and \`not\` may nest ${queryDepth} deep. An empty \`and\` finds everybody, an empty \`or\` nobody. A query has at most ${conditionLimit} conditions, and ${valueLimit} values in their lists.
- **Places** are circles, \`{ address: { near: { point: { latitude: 48.85, longitude: 2.35 }, km: 10 } } }\`, with \`contactId\` (where that contact lives now) or \`postalCode\` (the middle of its addresses, of the first thousand contacts) in the place of \`point\`; and polygons, \`{ address: { within: { polygon: [[[2.2, 48.8], …]] } } }\`, the \`coordinates\` of a GeoJSON Polygon.
  They have no operator in GraphQL: \`not\` finds the others, also those without coordinates. In the contract's notation \`{"attr": "address.near", "ope": "inside", "value": {"contact_id": 12, "km": 10}}\`, \`not_inside\`. Distances are along the surface of a sphere; edges of polygons are straight in degrees, and a polygon over the antimeridian is cut there into two.
  A point on the outer ring lies within, one on the ring of a hole does not. A contact or postal code without coordinates is near nobody, and \`explainSearch\` says so in its \`note\`. If every match is in a circle, \`orderBy: { field: DISTANCE }\` begins with the nearest, and \`edges { distance }\` says how far they live from its centre, in kilometres.
- **Segments** (\`{ segment: { in: ["Segment:3"] } }\`, in the contract's notation \`{"attr": "segment", "ope": "any_of", "value": [3]}\`) are [saved searches](segments.md): the query of the segment stands in the place of the condition. The contract does not have this attribute.
- **A text beside the query** (\`searchContacts(search: "dupont lyon", query: …)\`, also on the contacts of a segment) keeps those that the search box also finds, misspelt names too: the best matches first (\`RELEVANCE\`), or in any other order.
- \`POST /kpi\` and \`totalCount\` count the matches. Nothing is counted unless it is requested (\`with_total\` on \`POST /search\`). \`count(upTo: 10000) { value isExact estimate }\` counts no further than that, which is much faster when most of a large space matches; \`estimate\` is only a guess.
- \`contactFacets\` counts what a query finds by city, tag, age or month of the last change. \`searchAttributes\` is the table below without the attributes that the caller may not search by.
- \`explainSearch\` reports for every group and condition how many contacts it finds alone, how fast, and by which indexes.

## Attributes

${formatMarkdownTable(['In GraphQL', 'In the contract', 'Meaning', 'Kind', 'Operators in GraphQL', 'Operators in the contract'], rows)}

## Fields that no search reads

Every field of a contact and of its records in GraphQL has an attribute with its name, or with its name and \`Id\`, except these:

${formatMarkdownTable(
  ['Field', 'Searched as'],
  Object.entries(searchedAs).map(([field, name]) => [`\`${field}\``, `\`${getFieldPath(name)}\``]),
)}

${formatMarkdownTable(
  ['Field', 'Why it is not searched'],
  Object.entries(unsearched).map(([field, why]) => [`\`${field}\``, why]),
)}

No record has these facts, so no search reads them:

${unrecorded.map((one) => `- ${one}`).join('\n')}

## Operators

\`exists\` takes true or false.

${formatMarkdownTable(
  ['In GraphQL', 'In the contract', 'Meaning', 'Takes'],
  (Object.keys(operators) as (keyof typeof operators)[]).map((name) => {
    const { doc, takes } = operators[name];
    return [takes === 'place' ? 'none' : `\`${operatorFields[name]}\``, `\`${name}\``, doc, takes];
  }),
)}

## Kinds

The values of the contract's notation. GraphQL has types for them: \`String\`, \`SearchDate\`, \`SafeInt\`, \`ID\`, \`Boolean\`, enums.

${formatMarkdownTable(
  ['Kind', 'A value is'],
  kindRows.map(({ kind, want }) => [kind, want]),
)}
`;
};

const writeRecordColumnsPage = async (): Promise<string> => {
  const { listRecordColumns } = await import('./src/import/record-columns.ts');
  const { recordTypeNames } = await import('./src/data/import/record-types.ts');
  const parts = recordTypeNames.map((name) => {
    const rows = listRecordColumns(name).map(({ name: column, kind, required, says }) => [
      `\`${column}\``,
      says ? kind : '',
      required ? 'yes' : '',
      says ?? 'Written by an export, ignored by an import.',
    ]);
    return `## ${name}\n\n${formatMarkdownTable(['Column', 'Kind', 'Required', 'Meaning'], rows)}\n`;
  });
  return `# Columns of record files

${made}

The columns that \`muster import\` and \`muster export\` know, by record type. [importing.md](importing.md) explains how to use them. In CSV, \`number\` is a whole
number, \`flag\` true or false (or yes, no, 1, 0), \`day\` a date in the order of \`--days\`, \`instant\` a date-time of RFC 3339 or such a date for its midnight
in UTC, \`json\` a list as JSON. NDJSON has typed values.

${parts.join('\n')}`;
};

const writeHeadingsPage = async (): Promise<string> => {
  const { headingSources, recordHeadings } = await import('./src/import/headings.ts');
  const listColumns = (sources: typeof headingSources): string[] => [
    ...new Set(sources.flatMap(({ headings }) => Object.keys(headings))),
  ];
  const writeTable = (sources: typeof headingSources): string =>
    formatMarkdownTable(
      ['Column', ...sources.map(({ name }) => name)],
      listColumns(sources).map((column) => [
        `\`${column}\``,
        ...sources.map(({ headings }) => (headings[column] ?? []).join('<br>')),
      ]),
    );
  return `# Headings of lists

${made}

The headings of columns that \`muster import\` recognizes, without regard to case, accents and signs. It also knows the names of an export. \`--map\` wins over
both. [importing.md](importing.md) explains how to use it. When several columns mean the same, the first heading of the cell with a value counts, and another value is told.

## Ordinary lists

A column \`Name\` beside a first name is the surname.

${writeTable(headingSources.filter(({ signs }) => !signs))}

## Files of other programs

A file with a heading that only this program writes is read as its file. Columns that contacts do not have are ignored, and told. The first address of a row that has a value is read.

${writeTable(headingSources.filter(({ signs }) => signs))}

## Files of records

A heading that means several columns means the first of these that the records have. \`Amount\` is an amount of euros, \`amount\` one of cents, as an export writes it.

${writeTable(recordHeadings)}
`;
};

const writeSettingsPage = (): string => `# Settings

${made}

Muster reads its settings from the environment.

${formatMarkdownTable(
  ['Name', 'Default', 'Meaning'],
  settingRows.map(({ name, fallback, meaning }) => [
    `\`${name}\``,
    fallback === undefined ? '' : `\`${fallback}\``,
    meaning,
  ]),
)}
`;

/** The import waits until the stored operations are written, since OpenAPI derives from them. */
const writeOpenApi = async (): Promise<string> => {
  const { describeOpenApi } = await import('./src/rest/openapi/document.ts');
  return `${formatJson(describeOpenApi(legacySchema))}\n`;
};

let known: Promise<Map<string, string>> | undefined;
/** The types of the example app; made once. */
const appTypes = (): Promise<Map<string, string>> =>
  (known ??= writeAppTypes(schema, 'examples/app', appSettings, made));
/** Routes need the stored operations, so the import waits for them. */
const writeParity = async (): Promise<string> => (await import('./codegen/parity.ts')).writeParityPage();

/** In order: later files derive from earlier ones. */
const files: [path: string, make: () => string | Promise<string>][] = [
  ['schema/schema.graphql', writeSdl],
  ['src/rest/routes/operations.ts', writeOperations],
  ['docs/errors.md', writeErrorsPage],
  ['docs/decisions.md', writeDecisionsPage],
  ['docs/limits.md', writeLimitsPage],
  ['docs/metrics.md', writeMetricsPage],
  ['docs/permissions.md', writePermissionsPage],
  ['docs/settings.md', writeSettingsPage],
  ['docs/rest.md', writeRestPage],
  ['docs/search.md', writeSearchPage],
  ['docs/headings.md', writeHeadingsPage],
  ['docs/record-columns.md', writeRecordColumnsPage],
  ['docs/parity.md', writeParity],
  [checksumsPath, () => writeMigrationChecksums(readIfPresent(checksumsPath) ?? '')],
  ['docs/schema.sql', writeSchemaSql],
  ['openapi.json', writeOpenApi],
  [
    'clients/typescript/src/generated/documents.ts',
    () => writeClientDocuments(schema, 'clients/typescript/src/documents', made),
  ],
  ['clients/typescript/src/generated/attributes.ts', () => writeClientAttributes(schema, made)],
  ['clients/typescript/src/generated/problems.ts', () => writeClientProblems(made)],
  ...['gql.ts', 'graphql.ts', 'index.ts'].map((name): [string, () => Promise<string>] => {
    const path = `examples/app/src/generated/${name}`;
    return [path, async () => (await appTypes()).get(path)!];
  }),
];

const readIfPresent = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

const isCheck = process.argv.includes('--check');
for (const [path, make] of files) {
  const text = await make();
  if (readIfPresent(path) === text) continue;
  console.log(`${isCheck ? 'drifted' : 'written'}: ${path}`);
  if (isCheck) process.exitCode = 1;
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
