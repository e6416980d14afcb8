// Writes what is derived from the code and committed: the SDL, the stored operations, the tables of the documentation.
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
import { problems } from './src/problem.ts';

const made = 'Made by `npm run codegen`; change its source instead.';

const table = (head: string[], rows: unknown[][]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((cell) => String(cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

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
GraphQL answers it in \`errors[].extensions.code\`.

${table(
  ['Code', 'Status', 'Title', 'When'],
  Object.entries(problems).map(([code, [status, title, when]]) => [`\`${code}\``, status, title, when]),
)}
`;

const rest = async (): Promise<string> => {
  const [{ routes }, { compileStored }] = await Promise.all([
    import('./src/rest/routes.ts'),
    import('./src/rest/stored.ts'),
  ]);
  const stored = compileStored(schema);
  const rows = routes.map((route) => [
    `\`${route.method} ${route.path.replaceAll('#}', '}')}\``,
    route.summary,
    route.status ?? 200,
    stored[route.operation].cost,
    (route.aliases ?? []).map((alias) => `\`${alias.replaceAll('#}', '}')}\``).join(', '),
  ]);
  return `# REST routes

${made}

Every route needs \`Authorization: Bearer <ACCESS_TOKEN>\`. The shapes of requests and replies are in [openapi.json](../openapi.json).

${table(['Route', 'Does', 'Status', 'Cost', 'Also at'], rows)}
`;
};

const settings = (): string => `# Settings

${made}

Settings are read from the environment.

${table(
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
  const { openApi } = await import('./src/rest/openapi.ts');
  return `${JSON.stringify(openApi(schema), null, 2)}\n`;
};

/** In this order: later ones are derived from earlier ones. */
const files: [path: string, make: () => string | Promise<string>][] = [
  ['schema/schema.graphql', sdl],
  ['src/rest/operations.ts', operations],
  ['docs/errors.md', errors],
  ['docs/settings.md', settings],
  ['docs/rest.md', rest],
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
