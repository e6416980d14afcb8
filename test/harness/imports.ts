// Which files a file needs: what it imports, and what those import in turn.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Types are left out: they are gone when the code runs. */
const statement =
  /^(?:import|export)\s(?!type\s)[^'"`;]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm;

export interface SourceText {
  text: string;
  /** Full paths of files, and names of packages. */
  imports: string[];
}

const known = new Map<string, SourceText>();

/** Reads a file once in a run. */
export const readSource = (file: string): SourceText => {
  const read = known.get(file);
  if (read) return read;
  const text = readFileSync(file, 'utf8');
  const specifiers = [...text.matchAll(statement)].map(([, from, bare, dynamic]) => (from ?? bare ?? dynamic)!);
  const imports = specifiers.map((name) => (name.startsWith('.') ? join(dirname(file), name) : name));
  known.set(file, { text, imports });
  return known.get(file)!;
};

/** The file and all that it needs, except files that `follow` refuses and what only they need. */
export const listNeeded = (file: string, follow = (_: string): boolean => true): string[] => {
  const needed = new Set([file]);
  for (const one of needed)
    for (const next of readSource(one).imports)
      if (next.startsWith('/') && existsSync(next) && follow(next)) needed.add(next);
  return [...needed];
};
