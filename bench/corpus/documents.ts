// Documents as front-ends write them: with edges and cursors, references, arguments in lists, aliases, fragments and totals.
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';

/** The texts of the files of a folder by their names. */
const readFolder = (name: string): Map<string, string> => {
  const folder = join(import.meta.dirname, name);
  const files = readdirSync(folder).sort();
  return new Map(files.map((file) => [parse(file).name, readFileSync(join(folder, file), 'utf8')]));
};

/** Their texts by name. Variables without a default are given by name: `$contact` is the id of a contact. */
export const readCorpus = (): Map<string, string> => readFolder('documents');

/** Statements that answer them, by their names. `$1` is the space, then come the values of the variables, and last the id of the caller. */
export const readStatements = (): Map<string, string> => readFolder('statements');
