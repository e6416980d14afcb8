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

const files: Record<string, () => string> = {
  'schema/schema.graphql': sdl,
  'src/rest/operations.ts': operations,
  'docs/errors.md': errors,
  'docs/settings.md': settings,
};

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

const drifted = Object.entries(files).filter(([path, make]) => {
  const text = make();
  if (read(path) === text) return false;
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return true;
});

for (const [path] of drifted) console.log(process.argv.includes('--check') ? `drifted: ${path}` : `written: ${path}`);
if (process.argv.includes('--check') && drifted.length > 0) process.exitCode = 1;
