// Layers of the program, as the table in ARCHITECTURE.md names them from top to bottom: a file imports its own layer and those below it.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, type SourceFile } from './tree.ts';

export interface Layer {
  /** Files, and folders that end with a slash. */
  paths: string[];
}

/** The layers, the topmost first: rows of the first table whose first cell names files of the program. */
export const readLayers = (): Layer[] =>
  readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => ({ paths: [...line.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!) }));

/** The index of a file's layer, which the longest path names. Throws for a file that stands in none. */
export const findLayer = (layers: readonly Layer[], path: string): number => {
  const named = layers.flatMap(({ paths }, layer) => paths.map((one) => ({ one, layer })));
  const [found] = named
    .filter(({ one }) => (one.endsWith('/') ? path.startsWith(one) : path === one))
    .sort((a, b) => b.one.length - a.one.length);
  if (!found) throw new Error(`${path} stands in no row of the table in ARCHITECTURE.md: add its folder, or the file`);
  return found.layer;
};

/** Imports of a layer above the importing file's own, as `from → to`. */
export const findUpwardImports = (files: readonly SourceFile[], layers: readonly Layer[]): string[] =>
  files.flatMap(({ path, imports }) =>
    imports
      .filter((target) => findLayer(layers, target) < findLayer(layers, path))
      .map((target) => `${path} → ${target}`),
  );

/** Files and what they import, or folders. */
type Importers = readonly Pick<SourceFile, 'path' | 'imports'>[];

/** Groups files by a name, such as that of their folder. Imports within a group are left out. */
const groupFiles = (files: Importers, nameOf: (path: string) => string): { path: string; imports: string[] }[] =>
  [...new Set(files.map(({ path }) => nameOf(path)))].map((path) => {
    const all = files.filter((one) => nameOf(one.path) === path).flatMap(({ imports }) => imports.map(nameOf));
    return { path, imports: [...new Set(all)].filter((one) => one !== path) };
  });

/** Files that stand in no folder below `src` or `schema`. */
export const isLoose = (path: string): boolean => ['src', 'schema', '.'].includes(dirname(path));

/** Folders, the deepest ones, and loose files. */
export const groupByFolder = (files: Importers) => groupFiles(files, (path) => (isLoose(path) ? path : dirname(path)));

/** The folders and loose files that `ls src packages` lists, `schema`, and the code generator. */
export const groupByRoom = (files: Importers) =>
  groupFiles(files, (path) =>
    /^(src|packages)\//.test(path) ? path.split('/').slice(0, 2).join('/') : path.split(/[/.]/)[0]!,
  );

/** Groups of files, or of folders, that import each other in a circle, types among them. */
export const findCycles = (files: Importers): string[][] => {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  // Tarjan's algorithm: the files above one that reaches nothing older than itself are its circle.
  const visit = (path: string): void => {
    order.set(path, order.size);
    lowest.set(path, order.get(path)!);
    stack.push(path);
    for (const target of importsOf.get(path) ?? []) {
      if (!importsOf.has(target)) continue;
      if (!order.has(target)) {
        visit(target);
        lowest.set(path, Math.min(lowest.get(path)!, lowest.get(target)!));
      } else if (stack.includes(target)) {
        lowest.set(path, Math.min(lowest.get(path)!, order.get(target)!));
      }
    }
    if (lowest.get(path) !== order.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    if (circle.length > 1) cycles.push(circle.sort());
  };
  for (const { path } of files) if (!order.has(path)) visit(path);
  return cycles;
};
