// Documents as front-ends write them: with edges and cursors, references, arguments in lists, aliases, fragments and totals.
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';

const folder = join(import.meta.dirname, 'documents');

/** Their texts by name. Variables without a default are given by name: `$contact` is the id of a contact. */
export const readCorpus = (): Map<string, string> =>
  new Map(
    readdirSync(folder)
      .sort()
      .map((file) => [parse(file).name, readFileSync(join(folder, file), 'utf8')]),
  );
