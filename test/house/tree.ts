// Reads the source files of the repository: what each imports, which functions it exports, and its comments.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { parse } from '@babel/parser';

export const root = join(import.meta.dirname, '../..');

export interface SourceFile {
  path: string;
  lines: number;
  /** Paths of the repository's files that it imports, types among them. */
  imports: string[];
  /** Names of packages that it imports. */
  packages: string[];
  /** Names of the functions that it exports. */
  functions: string[];
  comments: string[];
}

export interface Node {
  type: string;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';

/** Visits a node and all below it. */
export const visitNodes = (node: Node, visit: (node: Node) => void): void => {
  visit(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visitNodes(child, visit);
};

/** The module that a node imports or re-exports from, if it is such a node. */
const readSpecifier = ({ type, source, argument, callee, arguments: given }: Node): string | undefined => {
  const literal =
    type === 'TSImportType'
      ? argument
      : type === 'CallExpression' && (callee as Node).type === 'Import'
        ? (given as Node[])[0]
        : type.startsWith('Import') || type.startsWith('Export')
          ? source
          : undefined;
  return isNode(literal) && typeof literal.value === 'string' ? literal.value : undefined;
};

const isFunction = (node: unknown): boolean =>
  isNode(node) && ['ArrowFunctionExpression', 'FunctionExpression'].includes(node.type);

/** Names of the functions that a statement at the top of a file exports. */
const readExportedFunctions = ({ type, declaration }: Node): string[] => {
  if (type !== 'ExportNamedDeclaration' || !isNode(declaration)) return [];
  if (declaration.type === 'FunctionDeclaration') return [(declaration.id as { name: string }).name];
  if (declaration.type !== 'VariableDeclaration') return [];
  return (
    (declaration.declarations as { id: { name: string }; init: unknown }[])
      .filter(({ init }) => isFunction(init))
      .map(({ id }) => id.name)
      // A component is named by what it shows.
      .filter((name) => !/^[A-Z]/.test(name))
  );
};

/** The text of a comment without its stars. */
const readComment = ({ type, value }: { type: string; value: string }): string =>
  type === 'CommentBlock' ? value.replaceAll(/^\s*\*+ ?/gm, '').trim() : value.trim();

export const readSourceFile = (path: string): SourceFile => {
  const text = readFileSync(join(root, path), 'utf8');
  const { program, comments } = parse(text, {
    sourceType: 'module',
    plugins: ['typescript', 'explicitResourceManagement', ...(path.endsWith('.tsx') ? (['jsx'] as const) : [])],
  });
  const specifiers = new Set<string>();
  visitNodes(program as unknown as Node, (node) => {
    const specifier = readSpecifier(node);
    if (specifier) specifiers.add(specifier);
  });
  const isLocal = (specifier: string): boolean => specifier.startsWith('.');
  return {
    path,
    lines: text.split('\n').length - 1,
    imports: [...specifiers].filter(isLocal).map((specifier) => posix.join(dirname(path), specifier)),
    packages: [...specifiers].filter((specifier) => !isLocal(specifier)),
    functions: (program.body as unknown as Node[]).flatMap(readExportedFunctions),
    comments: (comments ?? []).map(readComment),
  };
};

/** The files that git knows below these folders, whose names end so. */
export const listFiles = (folders: readonly string[], ending: string): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...folders], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
    .split('\n')
    .filter((path) => path !== '' && path.endsWith(ending));

/** Files that codegen writes: their names and lengths follow from others. */
export const isDerived = (path: string): boolean =>
  path === 'src/rest/routes/operations.ts' || /^(clients\/typescript|examples\/app)\/src\/generated\//.test(path);

/** The files of the program: what `src`, `packages` and `schema` hold, and the code generator. */
export const readProgram = (): SourceFile[] =>
  ['.ts', '.tsx']
    .flatMap((ending) => listFiles(['src', 'packages', 'schema', 'codegen', 'codegen.ts'], ending))
    .filter((path) => !isDerived(path))
    .map(readSourceFile);

/** The tests and the benchmarks. */
export const readTests = (): SourceFile[] => listFiles(['test', 'bench'], '.ts').map(readSourceFile);
